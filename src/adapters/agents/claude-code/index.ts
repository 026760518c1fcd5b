// Drives Claude Code: starts it, hands it the prompt, listens, ends it, and says what came of it.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ErrorRecord, Performer } from "../../../core/model.js";
import type { Agent, AgentEnd, AgentReport, Turn } from "../../../ports/agent.js";
import { type Exit, type Running, startProgram } from "../child.js";
import { Lines } from "../lines.js";
import { Log } from "../log.js";
import { drained, feed, pump } from "../pump.js";
import { oneLine, printable, Tail } from "../text.js";
import { eventOf, type Heard, hear, NOTHING_HEARD, textOf } from "./events.js";
import { judge, ruleOf } from "./outcome.js";
import { argumentsFor, environmentFor, type Host, isSessionToken, PROGRAM, pathFor } from "./recipe.js";
import { Events } from "./stream.js";

/** How long it may stay after its closing event; any further event begins the wait anew. */
const LINGER_MS = 5_000;
const PROBE_MS = 15_000;
/** Calls of its model refused for lack of a sign-in before we stop waiting for an eleventh. */
const REFUSED_MAX = 2;
const INSTALL = "npm install -g @anthropic-ai/claude-code";

export function claudeCode(host: Host = hostOf(process), lingerMs = LINGER_MS): Agent {
  return {
    use: "claude-code",
    confined: false,
    choosesSession: true,
    probe: (performer, signal) => probe(performer, host, signal),
    perform: async (turn, signal) => {
      const startedAt = performance.now();
      const ms = () => Math.round(performance.now() - startedAt);
      if (signal.aborted) return { end: "cancelled", spent: { ms: ms() }, output: "" };
      if (turn.resume && !isSessionToken(turn.session)) return { end: "no-session", spent: { ms: ms() }, output: "" };
      const heard = await listen(turn, host, lingerMs, signal);
      if ("code" in heard) return { end: "fault", fault: heard, spent: { ms: ms() }, output: "" };
      return conclude(heard, turn, ms());
    },
  };
}

const hostOf = ({ env, getuid }: NodeJS.Process): Host => ({ env, isRoot: getuid?.() === 0 });

interface Listened {
  heard: Heard;
  exit: Exit;
  stderr: string;
}

function conclude({ heard, exit, stderr }: Listened, { timeoutMs, resume }: Turn, ms: number): AgentEnd {
  const end = judge(heard, { exit, stderr, ms, timeoutMs, resume });
  if (exit.survivors.length === 0) return end;
  const pids = exit.survivors.join(", ");
  const message = `Claude Code left processes that could not be ended: ${pids}`;
  const fault = { code: "agent-survivors", message, hint: `end them: kill -9 ${exit.survivors.join(" ")}` };
  return { end: "fault", fault, spent: end.spent, output: end.output };
}

async function listen(turn: Turn, host: Host, lingerMs: number, signal: AbortSignal): Promise<Listened | ErrorRecord> {
  const running = start(turn, host);
  if ("code" in running) return running;
  const stop = () => running.stop("cancelled");
  signal.addEventListener("abort", stop);
  let heard = NOTHING_HEARD;
  let linger: NodeJS.Timeout | undefined;
  const { exit, stderr, events } = await record(running, turn, (event) => {
    heard = hear(heard, event);
    for (const line of shown(event)) turn.onLine(line);
    clearTimeout(linger);
    if (heard.result && !heard.reopened) linger = setTimeout(() => running.stop("settled"), lingerMs);
    if (isHopeless(heard)) running.stop("hopeless");
  });
  clearTimeout(linger);
  signal.removeEventListener("abort", stop);
  if (events.unreadableCount > 0)
    turn.onLine(`[${events.unreadableCount} unreadable lines in the stream: ${events.unreadable.join(", ")}]`);
  return exit.trouble === undefined ? { heard, exit, stderr } : notStarted(turn, exit.trouble);
}

/** Without a sign-in the client tries for three minutes; that is nobody's gain. */
const isHopeless = ({ trouble }: Heard): boolean =>
  trouble?.error === "authentication_failed" && trouble.attempt >= REFUSED_MAX;

/** The mark is this turn's alone: branches of a fan share run and visit. */
function start(turn: Turn, host: Host): Running | ErrorRecord {
  const mark = { PAWL_TURN: randomUUID() };
  const env = { ...environmentFor(turn, host), ...mark };
  const { workspace: cwd, timeoutMs } = turn;
  try {
    return startProgram({ argv: argumentsFor(turn), cwd, env, timeoutMs, mark });
  } catch (error) {
    return notStarted(turn, oneLine(String(error))); // an argument that no program can be given
  }
}

/** ENOENT is said of the folder as well as of the program. */
function notStarted({ performer, workspace }: Pick<Turn, "performer" | "workspace">, trouble: string): ErrorRecord {
  if (!existsSync(workspace))
    return { code: "agent-workspace", message: `The workspace "${workspace}" is not there`, hint: "`pawl doctor`" };
  const program = performer.command ?? PROGRAM;
  if (trouble === "ENOENT")
    return { code: "agent-missing", message: `Claude Code is not installed: no program "${program}"`, hint: INSTALL };
  return { code: "agent-start", message: `"${program}" cannot be started: ${trouble}`, hint: `try \`${program}\`` };
}

/** Writing and reading go on at the same time; both streams go to disk, and nothing is read before secrets are blotted out. */
async function record(running: Running, { prompt, visitFolder, mask }: Turn, onEvent: (event: unknown) => void) {
  const stream = new Log(join(visitFolder, "stream.jsonl"));
  const console = new Log(join(visitFolder, "console.log"));
  const stderr = new Tail();
  const events = new Events(onEvent, (line) => {
    const masked = mask(line);
    stream.writeLine(masked);
    return masked;
  });
  const errors = new Lines((line) => {
    const masked = mask(line);
    console.writeLine(masked);
    stderr.push(printable(masked));
  });
  const pumps = [
    pump(running.process.stdout, (chunk) => events.push(chunk)),
    pump(running.process.stderr, (chunk) => errors.push(chunk)),
  ];
  feed(running.process.stdin, prompt);
  const exit = await running.ended;
  await drained(pumps);
  events.end();
  errors.end();
  stream.close();
  console.close();
  return { exit, stderr: String(stderr), events };
}

/** An event in words for whoever watches. */
function shown(value: unknown): string[] {
  const event = eventOf(value);
  if (event?.type === "system" && event.subtype === "api_retry")
    return [`[the model fails (${oneLine(event.error ?? "")}); try ${event.attempt} of ${event.max_retries}]`];
  if (event?.type !== "assistant") return [];
  const said = textOf(event);
  const calls = (event.message?.content ?? []).filter((part) => part.type === "tool_use");
  return [
    ...(said === "" ? [] : printable(said).split("\n")),
    ...calls.map((call) => `> ${ruleOf(call.name ?? "tool", call.input)}`),
  ];
}

async function probe(performer: Performer, host: Host, signal: AbortSignal): Promise<AgentReport> {
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
