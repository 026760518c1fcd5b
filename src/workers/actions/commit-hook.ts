// Runs the repository's own commit hooks inside the sandbox: they see the tree and the index, and can change neither.
import { GRACE_MS } from "../../core/limits.js";
import type { ActionTask } from "../../ports/action.js";
import { FaultError } from "../../ports/errors.js";
import type { CommitWish } from "../../ports/git.js";
import type { Workshop } from "../../ports/workshop.js";
import { openVisit } from "../visit.js";
import { commitFolder } from "./commit.js";

const HOOK_MS = 600_000;
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
  (task: ActionTask): CommitWish["hook"] =>
  async (name, args, env) => {
    const { run, flow, signal } = task;
    const node = flow.nodes[task.step];
    if (node?.work.kind !== "action") throw new Error(`unreachable: "${task.step}" is no action`);
    const command = { do: "work" as const, ticket: `${task.step}@hook`, node, work: node.work, visit: task.visit };
    const visit = await openVisit(
      shop,
      { command, run, flow, begin: { performer: name }, tries: 1 },
      { access: "read", readable: [commitFolder(task)] },
    );
    try {
      const { workspace } = shop.frozen.start;
      const argv = ["git", "hook", "run", name, "--", ...args];
      const child = await visit.start({
        argv,
        cwd: workspace,
        env: { ...visit.env, ...GIT_ENV, ...env },
        timeoutMs: HOOK_MS,
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
      return { code: outcome.end === "exit" ? outcome.code : 1, output: heard.tail };
    } finally {
      await visit.close();
    }
  };
