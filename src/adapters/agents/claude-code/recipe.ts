// How Claude Code is started: arguments and environment out of a turn. Data in, data out.
import { isAbsolute, relative } from "node:path";
import type { Turn } from "../../../ports/agent.js";
import { readerSettings } from "./guard.js";

export const PROGRAM = "claude";
/** Ids that may stand on a command line: never an option, never a path. */
export const isSessionToken = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{7,127}$/.test(id);
const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

export interface Host {
  env: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
}
type Asked = Pick<Turn, "performer" | "access" | "artifacts" | "workspace" | "session" | "resume" | "turnsMax" | "env">;

/** The prompt is not among the arguments: it goes to standard input. */
export function argumentsFor(turn: Asked): [string, ...string[]] {
  const { performer, session, resume, turnsMax } = turn;
  const args = ["-p", "--output-format", "stream-json", "--verbose"];
  args.push(...permissions(turn));
  args.push("--setting-sources", "user"); // the workspace's hooks, plugins and MCP servers stay out
  if (resume) args.push("--resume", session);
  else if (isUuid(session)) args.push("--session-id", session);
  if (performer.model !== undefined) args.push("--model", performer.model);
  if (turnsMax !== undefined) args.push("--max-turns", String(turnsMax));
  return [performer.command ?? PROGRAM, ...args, ...(performer.args ?? [])];
}

/** Who may write, may everything: the sandbox or the worktree is the wall. Who reads gets no shell, and a guard (guard.ts). */
function permissions({ access, artifacts, performer }: Asked): string[] {
  const args = ["--permission-mode", "bypassPermissions"];
  const tools = toolsOf(access, performer.tools?.filter(isTool));
  if (tools) args.push("--tools", tools.join(","));
  if (access === "read") args.push("--settings", readerSettings(artifacts));
  return args;
}

/** Its agent file may name fewer, never more; reports are written by the tool Write, so who has none of it could not answer. */
function toolsOf(access: Asked["access"], named: string[] | undefined): string[] | undefined {
  if (access === "write") return named && [...new Set([...named, "Write"])];
  return named ? READER.filter((tool) => tool === "Write" || named.includes(tool)) : READER;
}
const READER = ["Read", "Grep", "Glob", "Write"];
/** A plain name of a tool of the client: never an option, never two. */
const isTool = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name);

/** What is taken over from Pawl's own environment: a home, a language, a way to the network, a sign-in. Nothing else. */
const PASSED = new Set([
  ...["HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"],
]);

/** Pagers, editors and questions are switched off: nobody is there to press a key. */
const UNATTENDED = {
  NO_COLOR: "1",
  CI: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  npm_config_yes: "true",
  DISABLE_AUTOUPDATER: "1", // the version that was noted down stays the version that runs
};

/** Built from nothing. A variable that `npm run` or an agent around us has set is not handed on. */
export function environmentFor(turn: Asked, host: Host): Record<string, string> {
  const env: Record<string, string> = { TERM: "dumb", LANG: "C.UTF-8" };
  for (const [name, value] of Object.entries(host.env))
    if (value !== undefined && (PASSED.has(name) || name.startsWith("ANTHROPIC_"))) env[name] = value;
  env.PATH = pathFor(host.env.PATH ?? "", turn.workspace);
  // As root the client refuses to work without questions, unless it is told that there is a wall around it.
  if (host.isRoot) env.IS_SANDBOX = "1";
  return { ...env, ...UNATTENDED, ...turn.env };
}

/** Without the folders of the workspace: a doer could have put a `claude` there for the reviewer. */
export function pathFor(path: string, workspace: string): string {
  const isOutside = (folder: string) => /^\.\.(\/|$)/.test(relative(workspace, folder));
  return path
    .split(":")
    .filter((folder) => isAbsolute(folder) && isOutside(folder))
    .join(":");
}
