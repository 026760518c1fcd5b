// One turn of a client that tells what it does as one JSON event a line: starts it, hands it the prompt, listens, ends it, and says
// what came of it. What its events mean is the client's own file.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ErrorRecord } from "../../core/model.js";
import type { AgentEnd, Total, Turn } from "../../ports/agent.js";
import { type Exit, type Running, startProgram } from "./child.js";
import { isSessionToken } from "./host.js";
import { Lines } from "./lines.js";
import { Log } from "./log.js";
import type { Pace } from "./pace.js";
import { type Known, notStarted } from "./program.js";
import { drained, feed, pump } from "./pump.js";
import { Events } from "./stream.js";
import { oneLine, printable, Tail } from "./text.js";

export interface Client<Heard> extends Omit<Known, "use"> {
  argv(turn: Turn): [string, ...string[]];
  /** The whole environment. */
  env(turn: Turn): Record<string, string>;
  /** Where it stands. Default: the workspace. */
  folder?(turn: Turn): string;
  /** For its standard input. Default: the prompt. */
  input?(turn: Turn): string;
  nothing: Heard;
  /** What is known after one more event. Pure. */
  hear(heard: Heard, event: unknown): Heard;
  /** The conversation's id, where the client chooses it. */
  session?(heard: Heard): string | undefined;
  /** Its closing event was there, and nothing since. */
  isOver(heard: Heard): boolean;
  /** Must it be ended now, and why? */
  wants?(heard: Heard, turn: Turn): "hopeless" | "turns" | undefined;
  /** An event in words for whoever watches. */
  shown(event: unknown): string[];
  /** Its closing event decides: never the exit code, never its prose. */
  judge(heard: Heard, ending: Ending): AgentEnd;
}
export interface Ending {
  exit: Pick<Exit, "how" | "stop">;
  stderr: string;
  ms: number;
  timeoutMs: number;
  idleMs: number;
  /** A session was to be resumed. */
  resume: boolean;
  /** What the session had come to before. */
  before?: Total;
  /** The model that was asked for. */
  model?: string;
  turnsMax?: number;
}
export async function performStreamed<Heard>(
  client: Client<Heard>,
  turn: Turn,
  pace: Pace,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  if (signal.aborted) return { end: "cancelled", spent: { ms: ms() }, output: "" };
  if (turn.resume && !isSessionToken(turn.session)) return { end: "no-session", spent: { ms: ms() }, output: "" };
  const heard = await listen(client, turn, pace, signal);
  if ("code" in heard) return { end: "fault", fault: heard, spent: { ms: ms() }, output: "" };
  return conclude(client, heard, turn, { ms: ms(), idleMs: pace.idleMs });
}

interface Listened<Heard> {
  heard: Heard;
  exit: Exit;
  stderr: string;
}

function conclude<Heard>(
  client: Client<Heard>,
  { heard, exit, stderr }: Listened<Heard>,
  { timeoutMs, resume, performer, turnsMax, before }: Turn,
  times: { ms: number; idleMs: number },
): AgentEnd {
  const asked = {
    ...(performer.model === undefined ? {} : { model: performer.model }),
    ...(turnsMax === undefined ? {} : { turnsMax }),
    ...(before === undefined ? {} : { before }),
  };
  const end = client.judge(heard, { exit, stderr, timeoutMs, resume, ...times, ...asked });
  if (exit.survivors.length === 0) return end;
  const pids = exit.survivors.join(", ");
  const message = `${client.title} left processes that could not be ended: ${pids}`;
  const fault = { code: "agent-survivors", message, hint: `end them: kill -9 ${exit.survivors.join(" ")}` };
  return { end: "fault", fault, spent: end.spent, output: end.output };
}

async function listen<Heard>(
  client: Client<Heard>,
  turn: Turn,
  { lingerMs, idleMs }: Pace,
  signal: AbortSignal,
): Promise<Listened<Heard> | ErrorRecord> {
  const running = start(client, turn);
  if ("code" in running) return running;
  const stop = () => running.stop("cancelled");
  signal.addEventListener("abort", stop);
  let heard = client.nothing;
  const idle = setTimeout(() => running.stop("idle"), idleMs);
  let linger: NodeJS.Timeout | undefined;
  const { exit, stderr, events } = await record(running, client.input?.(turn) ?? turn.prompt, turn, (event) => {
    const known = client.session?.(heard);
    heard = client.hear(heard, event);
    const session = client.session?.(heard);
    if (session !== undefined && session !== known) turn.onSession?.(session);
    for (const line of client.shown(event)) turn.onLine(line);
    idle.refresh(); // any event says that it is alive
    clearTimeout(linger);
    if (client.isOver(heard)) linger = setTimeout(() => running.stop("settled"), lingerMs);
    const wish = client.wants?.(heard, turn);
    if (wish !== undefined) running.stop(wish);
  });
  clearTimeout(idle);
  clearTimeout(linger);
  signal.removeEventListener("abort", stop);
  if (events.unreadableCount > 0)
    turn.onLine(`[${events.unreadableCount} unreadable lines in the stream: ${events.unreadable.join(", ")}]`);
  return exit.trouble === undefined ? { heard, exit, stderr } : notStarted(client, turn, exit.trouble);
}

/** The mark is this turn's alone: branches of a fan share run and visit. */
function start<Heard>(client: Client<Heard>, turn: Turn): Running | ErrorRecord {
  const mark = { PAWL_TURN: randomUUID() };
  const env = { ...client.env(turn), ...mark };
  const cwd = client.folder?.(turn) ?? turn.workspace;
  try {
    return startProgram({ argv: client.argv(turn), cwd, env, timeoutMs: turn.timeoutMs, mark });
  } catch (error) {
    return notStarted(client, turn, oneLine(String(error))); // an argument that no program can be given
  }
}

/** Writing and reading go on at the same time; both streams go to disk, and nothing is read before secrets are blotted out. */
async function record(running: Running, input: string, { visitFolder, mask }: Turn, onEvent: (event: unknown) => void) {
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
  feed(running.process.stdin, input);
  const exit = await running.ended;
  await drained(pumps);
  events.end();
  errors.end();
  stream.close();
  console.close();
  return { exit, stderr: String(stderr), events };
}
