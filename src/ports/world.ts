// All a drive needs from outside.
import type { Allowance } from "../core/allowance.js";
import type { Command, Event, EventBody, Flow, Run, Verdict } from "../core/model.js";
import type { Clock } from "./clock.js";
import type { Notifier } from "./notifier.js";
import type { OpenRun } from "./store.js";
import type { Worker } from "./worker.js";

export interface World {
  workerFor(command: Command): Worker;
  clock: Clock;
  notifier: Notifier;
  /** After every event, before the next command is carried out: the published record. Must not throw. */
  published(opened: Opened): Promise<void>;
  /** Of what a run is a part of: the runs it is a step of, and its job. Asked before work begins. */
  allowances?(flow: Flow, run: Run): Promise<Allowance[]>;
  /** Before the next command is asked for: a pending job that has its name by now gets it, by an event that `append` writes down. */
  renaming?(opened: Opened, append: (body: EventBody) => Promise<void>): Promise<void>;
}
/** A world that also serves the agent of an IDE. */
export interface HostedWorld extends World {
  host: Host;
}
/** Steps of the host's own agent: the IDE's, which Pawl does not start. */
export interface Host {
  /** The whole text of a step, the same each time it is asked for. */
  handOut(command: Command, run: Run): Promise<string>;
  /** The same for who only looks: writes nothing. Undefined while the step names files of a folder that is not made yet. */
  shown(command: Command, run: Run): Promise<string | undefined>;
  /** The verdict on what the agent handed in, judged as if Pawl had started it. */
  takeIn(command: Command, run: Run, output: string): Promise<Verdict>;
}
/** A run that this process may write. */
export interface Opened {
  flow: Flow;
  run: Run;
  journal: OpenRun;
  /** All events so far, the oldest first. */
  events: Event[];
}
