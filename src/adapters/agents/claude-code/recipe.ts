// How Claude Code is started: arguments and environment out of a turn. Data in, data out.
import type { Turn } from "../../../ports/agent.js";
import { environmentFrom, type Host } from "../host.js";
import { readerSettings } from "./guard.js";
import { CLAUDE_CODE } from "./known.js";

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

type Asked = Pick<Turn, "performer" | "access" | "artifacts" | "workspace" | "session" | "resume" | "turnsMax">;

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
  return [performer.command ?? CLAUDE_CODE.program, ...args, ...(performer.args ?? [])];
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

/** Its sign-in and its settings, but not what another Claude Code around us has set. */
const passes = (name: string): boolean =>
  name.startsWith("ANTHROPIC_") || name === "CLAUDE_CONFIG_DIR" || name === "CLAUDE_CODE_OAUTH_TOKEN";

export function environmentFor(turn: Pick<Turn, "workspace" | "env">, host: Host): Record<string, string> {
  const fixed = {
    DISABLE_AUTOUPDATER: "1", // the version that was noted down stays the version that runs
    // As root the client refuses to work without questions, unless it is told that there is a wall around it.
    ...(host.isRoot ? { IS_SANDBOX: "1" } : {}),
  };
  return environmentFrom(turn, host, { passes, fixed });
}
