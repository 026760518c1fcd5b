// What a client that Pawl starts is given of Pawl's own surroundings: a home, a language, a way to the network. Nothing else.
import { isAbsolute, relative } from "node:path";
import type { Turn } from "../../ports/agent.js";

export interface Host {
  env: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
}
export const hostOf = ({ env, getuid }: NodeJS.Process): Host => ({ env, isRoot: getuid?.() === 0 });

/** Ids that may stand on a command line: never an option, never a path. */
export const isSessionToken = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{7,127}$/.test(id);

/** What every client needs; its own sign-in is added by its recipe. */
const PASSED = new Set([
  ...["HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
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
};

/**
 * Built from nothing: a variable that `npm run` or an agent around us has set is not handed on. `passes` names the client's own
 * variables, `fixed` is what it must have; what the performer's `env` gave comes last.
 */
export function environmentFrom(
  turn: Pick<Turn, "workspace" | "env">,
  host: Host,
  { passes, fixed }: { passes(name: string): boolean; fixed: Record<string, string> },
): Record<string, string> {
  const env: Record<string, string> = { TERM: "dumb", LANG: "C.UTF-8" };
  for (const [name, value] of Object.entries(host.env))
    if (value !== undefined && (PASSED.has(name) || passes(name))) env[name] = value;
  env.PATH = pathFor(host.env.PATH ?? "", turn.workspace);
  return { ...env, ...fixed, ...UNATTENDED, ...turn.env };
}

/** Without the folders of the workspace: a doer could have put a `claude` there for the reviewer. */
export function pathFor(path: string, workspace: string): string {
  const isOutside = (folder: string) => /^\.\.(\/|$)/.test(relative(workspace, folder));
  return path
    .split(":")
    .filter((folder) => isAbsolute(folder) && isOutside(folder))
    .join(":");
}
