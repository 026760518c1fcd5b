// One turn of Claude Code: starts it, hands it the prompt, listens, ends it, and says what came of it. Loaded when one is to begin:
// it brings zod.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ErrorRecord } from "../../../core/model.js";
import type { AgentEnd, Turn } from "../../../ports/agent.js";
import { type Exit, type Running, startProgram } from "../child.js";
import { Lines } from "../lines.js";
import { Log } from "../log.js";
import { drained, feed, pump } from "../pump.js";
import { oneLine, printable, Tail } from "../text.js";
import { eventOf, type Heard, hear, NOTHING_HEARD, textOf } from "./events.js";
import { judge, ruleOf } from "./outcome.js";
import { notStarted } from "./probe.js";
import { argumentsFor, environmentFor, type Host, isSessionToken } from "./recipe.js";
import { Events } from "./stream.js";

/** Calls of its model refused for lack of a sign-in before we stop waiting for an eleventh. */
const REFUSED_MAX = 2;

export async function perform(turn: Turn, host: Host, lingerMs: number, signal: AbortSignal): Promise<AgentEnd> {
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  if (signal.aborted) return { end: "cancelled", spent: { ms: ms() }, output: "" };
  if (turn.resume && !isSessionToken(turn.session)) return { end: "no-session", spent: { ms: ms() }, output: "" };
  const heard = await listen(turn, host, lingerMs, signal);
  if ("code" in heard) return { end: "fault", fault: heard, spent: { ms: ms() }, output: "" };
  return conclude(heard, turn, ms());
}

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
