// What a command came to, from what is known after everybody is dead. Pure.
import { constants } from "node:os";
import type { Outcome } from "../../../ports/sandbox.js";
import type { Caps, Reached } from "./cgroup1.js";
import { diagnose } from "./diagnose.js";

export type Stopped = { because: "cancelled" } | { because: "timeout" } | { because: "disk" };
export interface Facts {
  stopped?: Stopped;
  /** Of the command, in bubblewrap's own words; absent: the command never ran, or bubblewrap was killed. */
  exitCode?: number;
  /** The command's namespace was made. */
  began: boolean;
  /** How bubblewrap ended. */
  end: string;
  /** The beginning of standard error. */
  said: string;
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
  if (exitCode === undefined) return { end: "fault", fault: diagnose(facts.said, facts.end) };
  if (reached.processes) return { end: "limit", limit: "processes", value: caps.processes };
  const signal = signalOf(exitCode);
  return signal ? { end: "signal", signal } : { end: "exit", code: exitCode };
}

/** bubblewrap says 128 + n for a death by signal, as every shell does. Only signals that kill by themselves: 129 is git's "usage". */
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
