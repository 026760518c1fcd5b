// Drives any program (`use: command`): the prompt goes to its standard input, what it prints is its output, exit code 0 means
// that it finished. It runs whole inside the sandbox of its visit.
import { join } from "node:path";
import { GRACE_MS } from "../../core/limits.js";
import type { ErrorRecord } from "../../core/model.js";
import type { Agent, AgentEnd, Turn } from "../../ports/agent.js";
import { FaultError } from "../../ports/errors.js";
import type { Child, Outcome } from "../../ports/sandbox.js";
import { Lines } from "./lines.js";
import { Log } from "./log.js";
import { drained, feed, pump } from "./pump.js";
import { oneLine, printable, Tail } from "./text.js";

export const command: Agent = {
  use: "command",
  confined: true,
  choosesSession: false,
  probe: async (performer) =>
    performer.run === undefined
      ? { use: "command", usable: false, why: "it has no `run:`", mend: "say which program to run: `run: ./agent.sh`" }
      : { use: "command", usable: true },
  perform,
};

async function perform(turn: Turn, signal: AbortSignal): Promise<AgentEnd> {
  const startedAt = performance.now();
  const spent = () => ({ ms: Math.round(performance.now() - startedAt) });
  if (signal.aborted) return { end: "cancelled", spent: spent(), output: "" };
  const child = await start(turn);
  if ("code" in child) return { end: "fault", fault: child, spent: spent(), output: "" };
  const stop = () => child.stop("cancelled");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const said = await listen(child, turn);
  signal.removeEventListener("abort", stop);
  return { ...judge(said.outcome, said.stderr), spent: spent(), output: said.stdout };
}

async function start({ performer, sandbox, workspace, env, timeoutMs }: Turn): Promise<Child | ErrorRecord> {
  if (performer.run === undefined)
    return {
      code: "agent-missing",
      message: "A performer with `use: command` has no `run:`",
      hint: "say which program to run: `run: ./agent.sh`",
    };
  try {
    return await sandbox({ argv: ["sh", "-c", performer.run], cwd: workspace, env, timeoutMs, graceMs: GRACE_MS });
  } catch (error) {
    if (error instanceof FaultError) return error.record;
    return { code: "agent-start", message: `The sandbox could not start the command: ${oneLine(String(error))}` };
  }
}

/** Writing and reading go on at the same time, so two full pipes never wait for each other. */
async function listen(child: Child, { prompt, visitFolder, onLine, mask }: Turn) {
  const stdout = new Tail();
  const stderr = new Tail();
  const stream = new Log(join(visitFolder, "stream.log"));
  const console = new Log(join(visitFolder, "console.log"));
  const lines = new Lines((line) => {
    const masked = mask(line);
    const shown = printable(masked);
    stream.writeLine(masked);
    stdout.push(shown);
    onLine(shown);
  });
  const errors = new Lines((line) => {
    const masked = mask(line);
    console.writeLine(masked);
    stderr.push(printable(masked));
  });
  const pumps = [pump(child.stdout, (chunk) => lines.push(chunk)), pump(child.stderr, (chunk) => errors.push(chunk))];
  feed(child.stdin, prompt);
  const outcome = await child.ended;
  await drained(pumps);
  lines.end();
  errors.end();
  stream.close();
  console.close();
  return { outcome, stdout: String(stdout), stderr: String(stderr) };
}

type Judged =
  | { end: "finished"; denials: string[] }
  | { end: "failed"; why: string }
  | { end: "limit"; limit: string; why: string }
  | { end: "cancelled" }
  | { end: "fault"; fault: ErrorRecord };

function judge(outcome: Outcome, stderr: string): Judged {
  switch (outcome.end) {
    case "exit":
      if (outcome.code === 0) return { end: "finished", denials: [] };
      return { end: "failed", why: `the command ended with exit code ${outcome.code}${lastOf(stderr)}` };
    case "signal":
      return { end: "failed", why: `the command was ended by ${outcome.signal}${lastOf(stderr)}` };
    case "limit":
      return {
        end: "limit",
        limit: outcome.limit,
        why: `the command used up its ${outcome.limit}: ${limitOf(outcome)}`,
      };
    case "cancelled":
      return { end: "cancelled" };
    case "fault":
      return { end: "fault", fault: outcome.fault };
  }
}

function lastOf(stderr: string): string {
  const line = oneLine(stderr.split("\n").findLast((each) => each.trim() !== "") ?? "");
  return line === "" ? "" : `: ${line}`;
}

function limitOf({ limit, value }: Extract<Outcome, { end: "limit" }>): string {
  if (limit === "time") return `${value} ms`;
  return limit === "processes" ? `${value} processes` : `${value} bytes`;
}
