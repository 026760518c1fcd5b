// One command in its container: its streams, its clock, its kill, its end.
import type { Socket } from "node:net";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { ErrorRecord, Isolation } from "../../../core/model.js";
import { FaultError } from "../../../ports/errors.js";
import type { Child, Outcome, SandboxTask } from "../../../ports/sandbox.js";
import { watchDiskFloor } from "../disk-floor.js";
import { trouble } from "../faults.js";
import { outcomeOf, type Stopped } from "../outcome.js";
import type { DockerApi } from "./api.js";
import { Frames } from "./frames.js";

/** The longest time a timer of Node can be set to; longer ones would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Of the end of standard error, in which a refused fork is told. */
const SAID_BYTES_MAX = 4_096;
/** The engine says nothing about the process cap; every libc says this. */
const NO_MORE_PROCESSES = /Resource temporarily unavailable|EAGAIN|can't fork|Cannot fork/;

export interface Started {
  api: DockerApi;
  id: string;
  socket: Socket;
  head: Buffer;
  /** The answer of `wait`, asked for before the start. */
  waited: Promise<unknown>;
  task: SandboxTask;
  workspace: string;
  caps: Isolation;
  /** Removes the container and what was made for it. Never rejects. */
  bury(): Promise<void>;
}

export class DockerChild implements Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr = new PassThrough();
  readonly ended: Promise<Outcome>;
  private readonly frames: Frames;
  private readonly timers: NodeJS.Timeout[] = [];
  private stopped?: Stopped;
  private over = false;
  private said = "";

  constructor(private readonly started: Started) {
    const { socket, head, task, workspace, caps } = started;
    socket.on("error", () => {}); // the end of the container is told by `wait`
    this.frames = new Frames(socket, head);
    this.stdin = socket;
    this.stdout = this.frames.stdout;
    this.frames.stderr.on("data", (chunk: Buffer) => {
      this.said = (this.said + chunk.toString("latin1")).slice(-SAID_BYTES_MAX);
    });
    this.frames.stderr.pipe(this.stderr);
    this.after(Math.min(task.timeoutMs, TIMER_MS_MAX), () => this.stop("timeout"));
    const unwatch = watchDiskFloor(workspace, caps.diskFloorBytes, () => this.end({ because: "disk" }));
    this.ended = this.wait().finally(() => {
      this.over = true;
      unwatch();
      for (const timer of this.timers) clearTimeout(timer);
    });
  }

  stop(reason: "cancelled" | "timeout") {
    this.end({ because: reason });
  }

  private end(stopped: Stopped) {
    if (this.over || this.stopped) return;
    this.stopped = stopped;
    const { graceMs } = this.started.task;
    if (graceMs > 0) this.kill("TERM");
    this.after(graceMs, () => this.kill("KILL"));
  }
  /** The container, never a client. A signal to one that has ended is an error that changes nothing. */
  private kill(signal: "TERM" | "KILL") {
    const { api, id } = this.started;
    void api.ask("POST", `/containers/${id}/kill?signal=${signal}`).catch(() => undefined);
  }
  private after(ms: number, act: () => void) {
    this.timers.push(setTimeout(act, ms));
  }

  private async wait(): Promise<Outcome> {
    const { caps, task, waited, api, id } = this.started;
    try {
      const code = Number(Object(await waited).StatusCode);
      this.over = true;
      const { State = {} } = Object(await api.call("GET", `/containers/${id}/json`)) as {
        State?: Record<string, unknown>;
      }; // as documented
      await this.frames.over;
      const failed = Number.isNaN(code) || (typeof State.Error === "string" && State.Error !== "");
      return outcomeOf({
        ...(this.stopped && { stopped: this.stopped }),
        ...(failed ? {} : { exitCode: code }),
        began: true,
        trouble: () => notRun(String(State.Error ?? "it does not say how the command ended")),
        reached: { memory: State.OOMKilled === true, processes: NO_MORE_PROCESSES.test(this.said) },
        caps,
        timeoutMs: task.timeoutMs,
        diskFloorBytes: caps.diskFloorBytes,
      });
    } catch (error) {
      if (error instanceof FaultError) return { end: "fault", fault: error.record };
      return { end: "fault", fault: notRun(error instanceof Error ? error.message : String(error)) };
    } finally {
      await this.started.bury();
    }
  }
}

function notRun(said: string): ErrorRecord {
  return trouble(
    "sbx-engine",
    `the Docker engine lost the command: ${said}`,
    "`pawl doctor`; look at the engine's log",
  );
}
