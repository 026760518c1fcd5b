// All a drive needs from outside.
import type { Command, Flow, Run } from "../core/model.js";
import type { Clock } from "./clock.js";
import type { Notifier } from "./notifier.js";
import type { OpenRun } from "./store.js";
import type { Worker } from "./worker.js";

export interface World {
  workerFor(command: Command): Worker;
  clock: Clock;
  notifier: Notifier;
  /** Called after every event that moved the run, before the next command begins: the published record. Must not throw. */
  published(flow: Flow, run: Run): Promise<void>;
}
export interface Opened {
  flow: Flow;
  run: Run;
  journal: OpenRun;
}
