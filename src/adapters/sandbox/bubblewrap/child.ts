// One command in its sandbox: its streams, its clock, its kill, its end.
//
// Whoever starts it must read or resume both streams in the same turn; what is not read stands in the pipe and holds the command up.
// The streams may end a moment after `ended` settles: wait for both.
import type { ChildProcess } from "node:child_process";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child, Outcome, SandboxTask } from "../../../ports/sandbox.js";
import { watchDiskFloor } from "../disk-floor.js";
import { type Caps, outcomeOf, type Reached, type Stopped } from "../outcome.js";
import { isGone } from "../processes.js";
import { diagnose, missing } from "./diagnose.js";
import { Status } from "./status.js";

/** The longest time a timer of Node can be set to; longer ones would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** How long the dead of a sandbox may take to be gone. */
const BURIAL_MS_MAX = 30_000;
/** How long bubblewrap's last words may be on their way. */
const LAST_WORDS_MS = 500;
const SAID_BYTES_MAX = 4_096;

export interface Started {
  process: ChildProcess;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  status: Readable;
  program: string;
  task: SandboxTask;
  workspace: string;
  diskFloorBytes: number;
  caps: Caps;
  reached(): Reached;
  /** Called once, when everybody is dead. */
  buried(): void;
}
type End = { error: NodeJS.ErrnoException } | { code: number | null; signal: NodeJS.Signals | null };

export class SandboxedChild implements Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr = new PassThrough();
  readonly ended: Promise<Outcome>;
  private readonly status: Status;
  private readonly timers: NodeJS.Timeout[] = [];
  private stopped?: Stopped;
  private over = false;
  private said = "";

  constructor(private readonly started: Started) {
    this.stdin = started.stdin.on("error", () => {}); // the command may end before it has read everything
    this.stdout = started.stdout;
    started.stderr.on("data", (chunk: Buffer) => {
      if (this.said.length < SAID_BYTES_MAX) this.said += chunk.toString("utf8");
    });
    started.stderr.pipe(this.stderr);
    this.status = new Status(started.status);
    this.after(Math.min(started.task.timeoutMs, TIMER_MS_MAX), () => this.stop("timeout"));
    const unwatch = watchDiskFloor(started.workspace, started.diskFloorBytes, () => this.end({ because: "disk" }));
    this.ended = this.wait().finally(() => {
      this.over = true;
      unwatch();
      for (const timer of this.timers) clearTimeout(timer);
      started.buried();
    });
  }

  stop(reason: "cancelled" | "timeout") {
    this.end({ because: reason });
  }

  /** TERM goes to the session inside; TERM to bubblewrap itself would already be the end of everything. */
  private end(stopped: Stopped) {
    if (this.over || this.stopped || this.status.exitCode !== undefined) return;
    this.stopped = stopped;
    const { inside } = this.status;
    if (!inside) {
      this.kill();
      return;
    }
    if (!isGone(inside.pid, inside.startedAt)) signal(-inside.pid, "SIGTERM");
    this.after(this.started.task.graceMs, () => this.kill());
  }
  private kill() {
    const { pid } = this.started.process;
    if (pid !== undefined) signal(-pid, "SIGKILL");
    const { inside } = this.status;
    if (inside && !isGone(inside.pid, inside.startedAt)) signal(inside.pid, "SIGKILL");
  }
  private after(ms: number, act: () => void) {
    this.timers.push(setTimeout(act, ms));
  }

  private async wait(): Promise<Outcome> {
    const end = await ending(this.started.process);
    if ("error" in end) return { end: "fault", fault: this.notStarted(end.error) };
    await Promise.race([this.status.done, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    if (!(await this.buried()))
      return { end: "fault", fault: diagnose(this.said, "is gone, and what it started does not die; that was") };
    const { exitCode, inside } = this.status;
    if (exitCode === undefined && !this.stopped) await ended(this.started.stderr);
    const { caps, task, diskFloorBytes } = this.started;
    return outcomeOf({
      ...(this.stopped && { stopped: this.stopped }),
      ...(exitCode !== undefined && { exitCode }),
      began: inside !== undefined,
      trouble: () => diagnose(this.said, end.signal ? `was ended by ${end.signal}` : `ended with ${end.code}`),
      reached: this.started.reached(),
      caps,
      timeoutMs: task.timeoutMs,
      diskFloorBytes,
    });
  }
  private notStarted(error: NodeJS.ErrnoException) {
    const { program } = this.started;
    return error.code === "ENOENT" ? missing(program) : diagnose(error.message, "could not be started");
  }
  /** bubblewrap is gone some milliseconds before its sandbox: only when PID 1 inside is a zombie, or no more, is everybody dead. */
  private async buried(): Promise<boolean> {
    const { inside } = this.status;
    if (!inside) return true;
    const until = performance.now() + BURIAL_MS_MAX;
    for (let pause = 0; !isGone(inside.pid, inside.startedAt); pause = Math.min(pause + 1, 50)) {
      if (performance.now() > until) return false;
      if (pause > 10) signal(inside.pid, "SIGKILL");
      await sleep(pause);
    }
    return true;
  }
}

function ending(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once("exit", (code, by) => resolve({ code, signal: by }));
    child.once("error", (error) => resolve({ error }));
  });
}
function ended(stream: Readable): Promise<unknown> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve();
  const end = new Promise((resolve) => {
    for (const event of ["end", "close"]) stream.once(event, resolve);
  });
  return Promise.race([end, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
}
function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // gone by now
  }
}
