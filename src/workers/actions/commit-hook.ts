// Runs the repository's own commit hooks inside the sandbox: they see the tree and the index, and can change neither.
import { GRACE_MS } from "../../core/limits.js";
import type { Flow, Node, Run } from "../../core/model.js";
import type { ActionTask } from "../../ports/action.js";
import { FaultError } from "../../ports/errors.js";
import type { CommitWish } from "../../ports/git.js";
import type { Workshop } from "../../ports/workshop.js";
import { openVisit } from "../visit.js";
import { commitFolder } from "./commit.js";

const HOOK_MS = 600_000;
/** A person waits for the end of a run that is over. */
const CLOSING_HOOK_MS = 120_000;
/** Git inside: no configuration but the repository's, and no doubt about whose folder this is. */
const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

export const commitHook =
  (shop: Workshop) =>
  (task: ActionTask): CommitWish["hook"] => {
    const { run, flow, signal } = task;
    const node = flow.nodes[task.step];
    if (node?.work.kind !== "action") throw new Error(`unreachable: "${task.step}" is no action`);
    return hookIn(shop, { run, flow, signal, node, visit: task.visit, folder: commitFolder(task), timeoutMs: HOOK_MS });
  };

/** For the commit of the record, which no step makes. */
export const closingHook = (
  shop: Workshop,
  asked: Pick<Asked, "run" | "flow" | "signal" | "folder">,
): CommitWish["hook"] => {
  const work = { kind: "action" as const, action: "commit", params: {} };
  const node = { name: "the record", enter: [], work, exit: [], routes: {}, produces: [] };
  return hookIn(shop, { ...asked, node, visit: asked.run.seq, timeoutMs: CLOSING_HOOK_MS });
};

interface Asked {
  run: Run;
  flow: Flow;
  node: Node;
  visit: number;
  /** Ours, with the index and the message: the hook may read it. */
  folder: string;
  signal: AbortSignal;
  timeoutMs: number;
}

const hookIn =
  (shop: Workshop, { run, flow, node, visit: number, folder, signal, timeoutMs }: Asked): CommitWish["hook"] =>
  async (name, args, env) => {
    if (node.work.kind !== "action") throw new Error(`unreachable: "${node.name}" is no action`);
    const command = { do: "work" as const, ticket: `${node.name}@hook`, node, work: node.work, visit: number };
    const task = { command, run, flow, begin: { performer: name }, tries: 1 };
    const visit = await openVisit(shop, task, { access: "read", readable: [folder] });
    try {
      const { workspace } = shop.frozen.start;
      const argv = ["git", "hook", "run", name, "--", ...args];
      const child = await visit.start({
        argv,
        cwd: workspace,
        env: { ...visit.env, ...GIT_ENV, ...env },
        timeoutMs,
        graceMs: GRACE_MS,
      });
      const stop = () => child.stop("cancelled");
      signal.addEventListener("abort", stop);
      const heard = await shop.listen(child, {
        stdin: "",
        log: `${visit.folder}/console.log`,
        onLine: () => undefined,
        mask: visit.mask,
      });
      signal.removeEventListener("abort", stop);
      const { outcome } = heard;
      if (outcome.end === "fault") throw new FaultError(outcome.fault);
      if (outcome.end === "limit" && outcome.limit === "time")
        return { code: 124, output: `it took longer than ${timeoutMs / 1000} s` };
      return { code: outcome.end === "exit" ? outcome.code : 1, output: heard.tail };
    } finally {
      await visit.close();
    }
  };
