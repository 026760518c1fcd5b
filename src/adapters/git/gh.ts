// Pull requests as GitHub's own program tells them. It is run outside the repository, for it asks git, which would heed what lies there.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { FaultError } from "../../ports/errors.js";
import type { PullRequests } from "../../ports/pull-requests.js";
import { cleanLine } from "../files/text.js";
import { runProgram } from "./program.js";
import { type HostEnv, outsidePath } from "./quiet.js";
import { NETWORK_ENV, passed } from "./remote-env.js";

/** Time of one question. */
const GH_TIMEOUT_MS = 15_000;
const GH_OUTPUT_BYTES_MAX = 1 << 20;
const GH_ENV = [
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_HOST",
  "GH_CONFIG_DIR",
];

export function ghPullRequests(host: HostEnv, workspace: string): PullRequests {
  return {
    async isOpen({ branch, gitDir }) {
      const file = findGh(host, workspace);
      if (file === undefined) return { unknown: '"gh" is not installed, so pull requests are not known' };
      const env = {
        ...passed(host, [...NETWORK_ENV, ...GH_ENV]),
        ...{ PATH: outsidePath(host, workspace).join(delimiter), GIT_DIR: gitDir, GIT_TERMINAL_PROMPT: "0" },
        ...{ GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1", LC_ALL: "C" },
      };
      const args = ["pr", "view", branch, "--json", "state,headRefName"];
      const bounds = { timeoutMs: GH_TIMEOUT_MS, outputBytesMax: GH_OUTPUT_BYTES_MAX };
      try {
        const { code, stdout, stderr } = await runProgram({ file, args, cwd: dirname(gitDir), env, ...bounds });
        if (code === 0) return readAnswer(stdout.toString("utf8"), branch);
        if (/no pull requests found/i.test(stderr)) return { open: false };
        return { unknown: `"gh pr view" ended with ${code}: ${cleanLine(stderr).slice(0, 300)}` };
      } catch (error) {
        if (!(error instanceof FaultError)) throw error;
        const isLate = error.record.code === "git-timeout";
        return { unknown: isLate ? `"gh" took longer than ${GH_TIMEOUT_MS / 1000} s` : '"gh" cannot be asked' };
      }
    },
  };
}

/** A branch that is called like a number would name another pull request: the answer must be about this branch. */
function readAnswer(text: string, branch: string): { open: boolean } | { unknown: string } {
  try {
    const said: unknown = JSON.parse(text);
    const { state, headRefName } = { state: "", headRefName: branch, ...(typeof said === "object" ? said : {}) };
    return { open: state === "OPEN" && headRefName === branch };
  } catch {
    return { unknown: '"gh pr view" did not answer in JSON' };
  }
}

function findGh(host: HostEnv, workspace: string): string | undefined {
  return outsidePath(host, workspace)
    .map((folder) => join(folder, "gh"))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        return false;
      }
    });
}
