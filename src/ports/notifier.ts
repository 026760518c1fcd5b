// Tells people how a run is going. Must not throw, must not decide.
import type { Command, Event, Flow, Run } from "../core/model.js";

export interface Notifier {
  /** After every event. */
  moved(flow: Flow, run: Run, event: Event): void;
  /** A line of output of the work at hand, already stripped of control characters and secrets. */
  said(command: Command, line: string): void;
  /** Something did not work that costs the run nothing: a record that cannot be written. */
  warned(text: string): void;
}
