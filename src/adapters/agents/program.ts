// Is a client's program here, and which version? And what is said where it cannot be started.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { ErrorRecord, Performer } from "../../core/model.js";
import type { AgentReport, Turn } from "../../ports/agent.js";
import { startProgram } from "./child.js";
import { type Host, pathFor } from "./host.js";
import { Lines } from "./lines.js";
import { drained, feed, pump } from "./pump.js";
import { printable, Tail } from "./text.js";

const PROBE_MS = 15_000;

/** A client by its name for people, its program, and how people install it. */
export interface Known {
  use: string;
  title: string;
  program: string;
  install: string;
}

export async function probeProgram(
  known: Known,
  performer: Performer,
  host: Host,
  signal: AbortSignal,
): Promise<AgentReport> {
  const { use, install } = known;
  const program = performer.command ?? known.program;
  const { exit, text } = await printed([program, "--version"], host, signal);
  if (exit.trouble !== undefined) {
    const { message: why, hint: mend = install } = notStarted(known, { performer, workspace: "/" }, exit.trouble);
    return { use, usable: false, why, mend };
  }
  const version = /\d+(?:\.\d+)+\S*/.exec(text)?.[0];
  if (exit.code === 0 && version !== undefined) return { use, usable: true, version };
  return { use, usable: false, why: `"${program} --version" ended with ${exit.how}`, mend: install };
}

async function printed(argv: [string, ...string[]], host: Host, signal: AbortSignal) {
  const mark = { PAWL_TURN: randomUUID() };
  const cwd = "/";
  const env = { PATH: pathFor(host.env.PATH ?? "", process.cwd()), HOME: host.env.HOME ?? cwd, ...mark };
  const running = startProgram({ argv, cwd, env, timeoutMs: PROBE_MS, mark });
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
  return { exit, text: String(out) };
}

/** ENOENT is said of the folder as well as of the program. */
export function notStarted(
  { title, program, install }: Omit<Known, "use">,
  { performer, workspace }: Pick<Turn, "performer" | "workspace">,
  trouble: string,
): ErrorRecord {
  if (!existsSync(workspace))
    return { code: "agent-workspace", message: `The workspace "${workspace}" is not there`, hint: "`pawl doctor`" };
  const asked = performer.command ?? program;
  if (trouble === "ENOENT")
    return { code: "agent-missing", message: `${title} is not installed: no program "${asked}"`, hint: install };
  return { code: "agent-start", message: `"${asked}" cannot be started: ${trouble}`, hint: `try \`${asked}\`` };
}
