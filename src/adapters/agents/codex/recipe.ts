// How Codex is started: arguments and environment out of a turn. Everything goes by -c flags, so that the user's own settings and
// sign-in stay. Data in, data out.
import type { Turn } from "../../../ports/agent.js";
import { environmentFrom, type Host } from "../host.js";
import { CODEX } from "./known.js";

type Asked = Pick<Turn, "performer" | "access" | "artifacts" | "workspace" | "session" | "resume">;

/** The prompt is not among the arguments: it goes to standard input ("-"). */
export function argumentsFor(turn: Asked): [string, ...string[]] {
  const { performer, session, resume } = turn;
  const args = ["exec", ...(resume ? ["resume"] : []), "--json", "--skip-git-repo-check"];
  args.push(...permissions(turn), "-c", untrusted(turn));
  if (performer.model !== undefined) args.push("-m", performer.model);
  args.push(...(performer.args ?? []), ...(resume ? [session] : []), "-");
  return [performer.command ?? CODEX.program, ...args];
}

/**
 * Who may write, may everything: the worktree is the wall. Who reads stands in the folder of its report, behind the client's own
 * sandbox, which lets it write there and nowhere else; what the repository would tell it is not read, for a doer may have written it.
 */
function permissions({ access }: Asked): string[] {
  if (access === "write") return ["--dangerously-bypass-approvals-and-sandbox"];
  const only = "{exclude_tmpdir_env_var=true,exclude_slash_tmp=true,network_access=false}";
  const settings = ['sandbox_mode="workspace-write"', `sandbox_workspace_write=${only}`, 'approval_policy="never"'];
  return [...settings, "project_doc_max_bytes=0"].flatMap((setting) => ["-c", setting]);
}

/** The workspace's own settings, hooks and servers stay out, though the user may have said once that they trust it. */
function untrusted({ workspace, artifacts }: Asked): string {
  const folders = [workspace, artifacts].map((folder) => `${JSON.stringify(folder)}={trust_level="untrusted"}`);
  return `projects={${folders.join(",")}}`;
}

export const folderFor = ({ access, artifacts, workspace }: Asked): string =>
  access === "read" ? artifacts : workspace;

export const inputFor = ({ access, workspace, prompt }: Asked & Pick<Turn, "prompt">): string =>
  access === "read"
    ? `${prompt}\nYou stand in the folder of your report. What is to be looked at, and may only be read, is in ${workspace}\n`
    : prompt;

/** Its sign-in and its settings; not the marks of another Codex around us. */
const PASSED = [
  "CODEX_HOME",
  "CODEX_API_KEY",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_ORGANIZATION",
  "OPENAI_PROJECT",
];

export const environmentFor = (turn: Pick<Turn, "workspace" | "env">, host: Host): Record<string, string> =>
  environmentFrom(turn, host, { passes: (name) => PASSED.includes(name), fixed: {} });
