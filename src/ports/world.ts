// All a drive needs from outside.
import type { Command, Event, EventBody, Flow, Run } from "../core/model.js";
import type { Clock } from "./clock.js";
import type { Notifier } from "./notifier.js";
import type { OpenRun } from "./store.js";
import type { Worker } from "./worker.js";

export interface World {
  workerFor(command: Command): Worker;
  clock: Clock;
  notifier: Notifier;
  /** After every event, before the next command begins: the published record. Must not throw. */
  published(opened: Opened): Promise<void>;
  /** Before the next command is asked for: a pending job that has its name by now gets it, by an event that `append` writes down. */
  renaming?(opened: Opened, append: (body: EventBody) => Promise<void>): Promise<void>;
}
/** A run that this process may write. */
export interface Opened {
  flow: Flow;
  run: Run;
  journal: OpenRun;
  /** All events so far, the oldest first. */
  events: Event[];
}
