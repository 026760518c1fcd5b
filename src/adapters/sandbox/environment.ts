// The whole environment of a command in the sandbox: ours, and what the step was given. Nothing of Pawl's own.
import type { SandboxPlan, SandboxTask } from "../../ports/sandbox.js";
import { guardFault } from "./faults.js";

export function environmentOf(plan: SandboxPlan, task: SandboxTask, path: string): Record<string, string> {
  const wrong = Object.keys(task.env).find((name) => name === "" || name.includes("="));
  if (wrong !== undefined) throw guardFault(`"${wrong}" cannot be the name of an environment variable`);
  return {
    PATH: path,
    HOME: "/tmp/home",
    TMPDIR: "/tmp",
    LANG: "C.UTF-8",
    TERM: "dumb",
    PAWL_ARTIFACTS: plan.artifacts,
    // git inside: no settings of anybody, nothing to lock, and a tree of another owner is no reason to refuse
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
    ...task.env,
  };
}
