// A registered action: code of ours or of an extension, run outside the sandbox. It has no verdict; it does its thing or throws.
import type { Finding, Flow, Json, Run } from "../core/model.js";

export interface Action {
  readonly name: string;
  /** Ways to end besides "pass"; each leads where "pass" leads and is marked with its name. */
  readonly outcomes: string[];
  /** Complaints about `params`, found at load. The path is below `params`. */
  check(params: Json): { path: (string | number)[]; message: string; hint?: string }[];
  /** May throw: then the run stops as a fault and asks this action again when it is resumed. */
  run(at: ActionTask): Promise<ActionEnd>;
}
export interface ActionTask {
  run: Run;
  flow: Flow;
  step: string;
  visit: number;
  params: Json;
  workspace: string;
  /** Absolute folder of the run's state. */
  runFolder: string;
  /** Makes a folder for this try and names it, absolute; asked for again, it is the same one. */
  visitFolder(): Promise<string>;
  signal: AbortSignal;
}
export interface ActionEnd {
  /** One of `outcomes`; absent is "pass". */
  outcome?: string;
  findings?: Finding[];
  output?: string;
  /** Merged into the run's inputs: later steps see them. */
  set?: Record<string, string>;
}
