// What a command came to, from what is known after everybody is dead. Pure.
import { constants } from "node:os";
import type { ErrorRecord, Isolation } from "../../core/model.js";
import type { Outcome } from "../../ports/sandbox.js";

export type Caps = Pick<Isolation, "memoryBytes" | "processes" | "cpus">;
/** Caps that the kernel enforced. */
export interface Reached {
  memory: boolean;
  processes: boolean;
}

export type Stopped = { because: "cancelled" } | { because: "timeout" } | { because: "disk" };
export interface Facts {
  stopped?: Stopped;
  /** Of the command, in the engine's own words; absent: the command never ran, or the engine was killed. */
  exitCode?: number;
  /** The command's namespace was made. */
  began: boolean;
  /** Why there is no exit code. */
  trouble(): ErrorRecord;
  reached: Reached;
  caps: Caps;
  timeoutMs: number;
  diskFloorBytes: number;
}

export function outcomeOf(facts: Facts): Outcome {
  const { stopped, exitCode, began, reached, caps } = facts;
  if (stopped)
    switch (stopped.because) {
      case "cancelled":
        return { end: "cancelled" };
      case "timeout":
        return { end: "limit", limit: "time", value: facts.timeoutMs };
      case "disk":
        return { end: "limit", limit: "disk", value: facts.diskFloorBytes };
    }
  if (exitCode === 0) return { end: "exit", code: 0 }; // a child that ran into a cap and was got over is no finding
  if (reached.memory && began) return { end: "limit", limit: "memory", value: caps.memoryBytes };
  if (exitCode === undefined) return { end: "fault", fault: facts.trouble() };
  if (reached.processes) return { end: "limit", limit: "processes", value: caps.processes };
  const signal = signalOf(exitCode);
  return signal ? { end: "signal", signal } : { end: "exit", code: exitCode };
}

/** Engines say 128 + n for a death by signal, as every shell does. Only signals that kill by themselves: 129 is git's "usage". */
const DEADLY = [
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGSEGV",
  "SIGPIPE",
] as const;
const MORE_DEADLY = ["SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"] as const;
const BY_CODE = new Map<number, string>(
  [...DEADLY, ...MORE_DEADLY].map((name) => [128 + constants.signals[name], name]),
);
function signalOf(code: number): string | undefined {
  return BY_CODE.get(code);
}
