// One turn of an agent that speaks ACP: starts it, opens or loads a session, hands it the prompt, answers what it asks, ends it. Loaded
// when a turn is to begin: it brings zod.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentEnd, Turn } from "../../../ports/agent.js";
import { type Exit, type Running, startProgram } from "../child.js";
import { type Host, isSessionToken } from "../host.js";
import { Lines } from "../lines.js";
import { Log } from "../log.js";
import type { Pace } from "../pace.js";
import { notStarted } from "../program.js";
import { drained, pump } from "../pump.js";
import { Events } from "../stream.js";
import { oneLine, printable, Tail } from "../text.js";
import { type AcpClient, argvFor, environmentFor } from "./clients.js";
import { AcpError, Connection } from "./connection.js";
import { Ended, Greeting, type Heard, Opened, Update } from "./heard.js";
import { judge } from "./outcome.js";
import { answerTo } from "./permission.js";

/** For what asks no model: greeting, opening a session. */
const START_MS = 60_000;

export interface Around {
  host: Host;
  pace: Pace;
}

export async function performAcp(
  client: AcpClient,
  turn: Turn,
  { host, pace }: Around,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  const spent = { ms: 0 };
  if (signal.aborted) return { end: "cancelled", spent, output: "" };
  if (turn.resume && !isSessionToken(turn.session)) return { end: "no-session", spent, output: "" };
  const running = start(client, turn, host);
  if ("code" in running) return { end: "fault", fault: running, spent: { ms: ms() }, output: "" };
  const { heard, exit, stderr } = await converse(running, turn, pace, signal);
  if (exit.trouble !== undefined)
    return {
      end: "fault",
      fault: notStarted(nameOf(client, turn), turn, exit.trouble),
      spent: { ms: ms() },
      output: "",
    };
  return judge(heard, { title: client.title, exit, stderr, ms: ms(), idleMs: pace.idleMs }, turn);
}

const nameOf = (client: AcpClient, turn: Turn): AcpClient => ({ ...client, program: argvFor(client, turn)[0] });

function start(client: AcpClient, turn: Turn, host: Host) {
  const mark = { PAWL_TURN: randomUUID() };
  const env = { ...environmentFor(client, turn, host), ...mark };
  try {
    return startProgram({ argv: argvFor(client, turn), cwd: turn.workspace, env, timeoutMs: turn.timeoutMs, mark });
  } catch (error) {
    return notStarted(nameOf(client, turn), turn, oneLine(String(error)));
  }
}

async function converse(
  running: Running,
  turn: Turn,
  { idleMs, lingerMs }: Pace,
  signal: AbortSignal,
): Promise<{ heard: Heard; exit: Exit; stderr: string }> {
  const { visitFolder, mask } = turn;
  const heard: Heard = { said: "", deeds: new Set(), denials: [] };
  const { stdin, stdout, stderr } = running.process;
  stdin.on("error", () => {}); // it has gone; the end says so
  const connection = new Connection({
    write: (line) => void (stdin.writable && stdin.write(line)),
    asked: (method, params) => (method === "session/request_permission" ? answerTo(params, turn, heard) : undefined),
    told: (method, params) => method === "session/update" && take(heard, params, running, turn),
  });
  const stop = () => {
    if (heard.session !== undefined) connection.notify("session/cancel", { sessionId: heard.session });
    running.stop("cancelled");
  };
  signal.addEventListener("abort", stop);
  const idle = setTimeout(() => running.stop("idle"), idleMs);
  const stream = new Log(join(visitFolder, "stream.jsonl"));
  const console = new Log(join(visitFolder, "console.log"));
  const last = new Tail();
  const events = new Events(
    (event) => connection.hear(event),
    (line) => {
      idle.refresh();
      const masked = mask(line);
      stream.writeLine(masked);
      return masked;
    },
  );
  const errors = new Lines((line) => {
    const masked = mask(line);
    console.writeLine(masked);
    last.push(printable(masked));
  });
  const pumps = [pump(stdout, (chunk) => events.push(chunk)), pump(stderr, (chunk) => errors.push(chunk))];
  const over = running.ended.then((exit) => {
    connection.end();
    return exit;
  });
  await talk(connection, turn, heard).catch((error) => {
    heard.error = error;
  });
  clearTimeout(idle);
  stdin.end();
  const linger = setTimeout(
    () => running.stop("settled"),
    heard.end === undefined ? 0 : Math.min(lingerMs, SETTLED_MS),
  );
  const exit = await over;
  clearTimeout(linger);
  await drained(pumps);
  events.end();
  errors.end();
  stream.close();
  console.close();
  signal.removeEventListener("abort", stop);
  return { heard, exit, stderr: String(last) };
}

/** A server goes on for ever: with its answer given and its input closed, it is ended. */
const SETTLED_MS = 300;

async function talk(connection: Connection, turn: Turn, heard: Heard): Promise<void> {
  // no files are offered: our own process would write for it, behind whatever wall stands around it
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: "pawl", version: "1" };
  const greeting = await connection.request(
    "initialize",
    { protocolVersion: 1, clientCapabilities, clientInfo },
    START_MS,
  );
  const sessionId = await opened(connection, turn, Greeting.safeParse(greeting).data);
  heard.session = sessionId;
  Object.assign(heard, { said: "", deeds: new Set() }); // a session that is loaded tells its past first
  turn.onSession?.(sessionId);
  const prompt = [{ type: "text", text: turn.prompt }];
  const end = Ended.safeParse(await connection.request("session/prompt", { sessionId, prompt }));
  if (end.success) heard.end = end.data;
}

async function opened(
  connection: Connection,
  { workspace: cwd, resume, session }: Turn,
  greeting: ReturnType<typeof Greeting.parse> | undefined,
): Promise<string> {
  const place = { cwd, mcpServers: [] };
  if (resume) {
    if (!greeting?.agentCapabilities?.loadSession)
      throw new AcpError("session/load", undefined, "it loads no sessions");
    await connection.request("session/load", { sessionId: session, ...place }, START_MS);
    return session;
  }
  const { sessionId = "" } = Opened.safeParse(await connection.request("session/new", place, START_MS)).data ?? {};
  if (!isSessionToken(sessionId)) throw new AcpError("session/new", undefined, "it names no session");
  return sessionId;
}

function take(heard: Heard, params: unknown, running: Running, turn: Turn): void {
  const { data: update } = Update.safeParse((params as { update?: unknown } | null)?.update); // looked at by the schema
  if (!update) return;
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      const chunk = update.content?.text ?? "";
      heard.said = `${heard.said}${chunk}`.slice(-SAID_CHARS_MAX);
      for (const line of printable(chunk).split("\n")) if (line.trim() !== "") turn.onLine(line);
      return;
    }
    case "tool_call":
    case "tool_call_update":
      takeDeed(heard, update, running, turn);
      return;
    case "usage_update":
      if (update.cost?.currency === "USD" && update.cost.amount !== undefined && update.cost.amount > 0)
        heard.usd = update.cost.amount;
  }
}

/** Some tell of a call only when it is done. */
function takeDeed(
  heard: Heard,
  update: { toolCallId?: string | undefined; title?: string | undefined },
  running: Running,
  turn: Turn,
): void {
  heard.said = ""; // what it says last counts
  const { toolCallId: id = "", title } = update;
  if (heard.deeds.has(id) || heard.deeds.size >= DEEDS_MAX) return;
  heard.deeds.add(id);
  turn.onLine(`> ${oneLine(title ?? "tool")}`);
  if (turn.turnsMax !== undefined && heard.deeds.size > turn.turnsMax) running.stop("turns");
}
const SAID_CHARS_MAX = 16_000;
/** Ids that are remembered; no turn has more calls than an author may allow. */
const DEEDS_MAX = 20_000;
