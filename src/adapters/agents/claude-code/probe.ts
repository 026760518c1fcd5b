// Is Claude Code here, and which? And what is said where it cannot be started.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { ErrorRecord, Performer } from "../../../core/model.js";
import type { AgentReport, Turn } from "../../../ports/agent.js";
import { startProgram } from "../child.js";
import { Lines } from "../lines.js";
import { drained, feed, pump } from "../pump.js";
import { printable, Tail } from "../text.js";
import { type Host, PROGRAM, pathFor } from "./recipe.js";

const PROBE_MS = 15_000;
const INSTALL = "npm install -g @anthropic-ai/claude-code";

export async function probe(performer: Performer, host: Host, signal: AbortSignal): Promise<AgentReport> {
  const use = "claude-code";
  const program = performer.command ?? PROGRAM;
  const mark = { PAWL_TURN: randomUUID() };
  const cwd = "/";
  const env = { PATH: pathFor(host.env.PATH ?? "", process.cwd()), HOME: host.env.HOME ?? cwd, ...mark };
  const running = startProgram({ argv: [program, "--version"], cwd, env, timeoutMs: PROBE_MS, mark });
  const stop = () => running.stop("cancelled");
  signal.addEventListener("abort", stop);
  const out = new Tail();
  const lines = new Lines((line) => out.push(printable(line)));
  const pumps = [pump(running.process.stdout, (chunk) => lines.push(chunk)), pump(running.process.stderr, () => {})];
  feed(running.process.stdin, "");
  const exit = await running.ended;
  await drained(pumps);
  lines.end();
  signal.removeEventListener("abort", stop);
  if (exit.trouble !== undefined) {
    const { message: why, hint: mend = INSTALL } = notStarted({ performer, workspace: cwd }, exit.trouble);
    return { use, usable: false, why, mend };
  }
  const version = /^\d+(\.\d+)+\S*/.exec(String(out))?.[0];
  if (exit.code === 0 && version !== undefined) return { use, usable: true, version };
  return { use, usable: false, why: `"${program} --version" ended with ${exit.how}`, mend: INSTALL };
}

/** ENOENT is said of the folder as well as of the program. */
export function notStarted(
  { performer, workspace }: Pick<Turn, "performer" | "workspace">,
  trouble: string,
): ErrorRecord {
  if (!existsSync(workspace))
    return { code: "agent-workspace", message: `The workspace "${workspace}" is not there`, hint: "`pawl doctor`" };
  const program = performer.command ?? PROGRAM;
  if (trouble === "ENOENT")
    return { code: "agent-missing", message: `Claude Code is not installed: no program "${program}"`, hint: INSTALL };
  return { code: "agent-start", message: `"${program}" cannot be started: ${trouble}`, hint: `try \`${program}\`` };
}
