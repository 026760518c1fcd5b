// action: command-check. Are the programs that later steps call there, inside the sandbox where those steps run? Starts none of them.
import { GRACE_MS } from "../../core/limits.js";
import type { Action, ActionEnd, ActionTask } from "../../ports/action.js";
import { FaultError } from "../../ports/errors.js";
import type { Workshop } from "../../ports/workshop.js";
import { openVisit } from "../visit.js";
import { keysOf, strangersTo } from "./params.js";

const NAME = "command-check";
const COMMANDS_MAX = 50;
const LOOK_MS = 30_000;
/** Prints the names that the shell would not find. They are arguments, never text of the script. */
const LOOK = 'for name; do command -v -- "$name" >/dev/null 2>&1 || printf "%s\\n" "$name"; done';

export const checkCommandCheck: Action["check"] = (params) => {
  const { commands } = keysOf(params);
  const isList =
    Array.isArray(commands) && commands.length > 0 && commands.length <= COMMANDS_MAX && commands.every(isCommand);
  const message = `"commands" must be a list of 1 to ${COMMANDS_MAX} names of programs, like [node, gh]`;
  return [
    ...strangersTo(NAME, params, ["commands"]),
    ...(isList ? [] : [{ path: commands === undefined ? [] : ["commands"], message }]),
  ];
};
const isCommand = (name: unknown): boolean => typeof name === "string" && /^[A-Za-z0-9_./][\w.+/-]{0,199}$/.test(name);

export const commandCheck = (shop: Workshop): Action => ({
  name: NAME,
  outcomes: [],
  check: checkCommandCheck,
  run: (task) => look(shop, task),
});

async function look(
  shop: Workshop,
  { run, flow, step, visit: number, params, signal }: ActionTask,
): Promise<ActionEnd> {
  const node = flow.nodes[step];
  if (node?.work.kind !== "action") throw new Error(`unreachable: "${step}" is no action`);
  const { commands } = keysOf(params) as { commands: string[] }; // checked at load
  const command = { do: "work" as const, ticket: `${step}@look`, node, work: node.work, visit: number };
  const visit = await openVisit(shop, { command, run, flow, begin: { performer: NAME }, tries: 1 }, { access: "read" });
  try {
    const { workspace } = shop.frozen.start;
    const argv = ["sh", "-c", LOOK, "sh", ...commands];
    const child = await visit.start({ argv, cwd: workspace, env: visit.env, timeoutMs: LOOK_MS, graceMs: GRACE_MS });
    const stop = () => child.stop("cancelled");
    signal.addEventListener("abort", stop);
    const log = `${visit.folder}/console.log`;
    const heard = await shop.listen(child, { stdin: "", log, onLine: () => undefined, mask: visit.mask });
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
    if (heard.outcome.end === "fault") throw new FaultError(heard.outcome.fault);
    if (heard.outcome.end !== "exit" || heard.outcome.code !== 0)
      throw new Error(`the look ended with ${heard.outcome.end}`);
    const missing = heard.stdout.split("\n").filter((name) => name !== "");
    if (missing.length === 0) return { output: `there: ${commands.join(", ")}` };
    throw new FaultError({
      code: "command-missing",
      message: `Inside the sandbox there is no ${missing.map((name) => `"${name}"`).join(", no ")}`,
      hint: "install it on this machine, or give its folder with isolation.mounts, then resume the run",
    });
  } finally {
    await visit.close();
  }
}
