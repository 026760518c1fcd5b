// Runs an agent's own program in a process group of its own, and answers only when all it started is dead: TERM, grace, KILL for
// the group, then a sweep for what carries the turn's mark.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { GRACE_MS } from "../../core/limits.js";
import { type Mark, sweep } from "./mark.js";

export interface Program {
  argv: [string, ...string[]];
  cwd: string;
  /** The whole environment; nothing of ours is added. */
  env: Record<string, string>;
  timeoutMs: number;
  mark: Mark;
}
/** Why we ended it: a person, the clock, silence, its cap of turns, its result was there, or no call of its model can succeed. */
export type Stop = "cancelled" | "time" | "idle" | "turns" | "settled" | "hopeless";
export interface Exit {
  /** In words: "exit code 1", "SIGKILL". */
  how: string;
  code: number | null;
  stop?: Stop;
  /** It never ran: ENOENT, EACCES, E2BIG … */
  trouble?: string;
  /** Processes of it that could not be ended. */
  survivors: number[];
}
export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** Never rejects. */
  readonly ended: Promise<Exit>;
  /** The first reason counts; a second call does nothing. */
  stop(why: Stop): void;
}

export function startProgram(
  { argv: [file, ...args], cwd, env, timeoutMs, mark }: Program,
  graceMs = GRACE_MS,
): Running {
  const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let reason: Stop | undefined;
  let killer: NodeJS.Timeout | undefined;
  const stop = (why: Stop) => {
    if (reason !== undefined) return;
    reason = why;
    signalGroup(child.pid, "SIGTERM");
    killer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
  };
  const timer = setTimeout(() => stop("time"), timeoutMs);
  const ended = new Promise<Omit<Exit, "survivors" | "stop">>((done) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      // An error after the start (a signal that failed) is not the end: `exit` still comes.
      if (child.pid === undefined) done({ how: "never started", code: null, trouble: error.code ?? String(error) });
    });
    child.once("exit", (code, signal) => done({ how: signal ?? `exit code ${code}`, code }));
  }).then(async (exit) => {
    clearTimeout(timer);
    clearTimeout(killer);
    signalGroup(child.pid, "SIGKILL"); // what it left behind in its group, after good ends as well
    const survivors = exit.trouble === undefined ? await sweep(mark) : [];
    return { ...exit, ...(reason === undefined ? {} : { stop: reason }), survivors };
  });
  return { process: child, ended, stop };
}

/** A group that is gone is what we wanted; one of dead but uncollected processes is no error either. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody is left. EPERM: only zombies are.
  }
}
