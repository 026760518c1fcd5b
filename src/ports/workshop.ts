// Everything the workers of one run need, gathered by main.ts.
import type { Performer, Run, Saved } from "../core/model.js";
import type { Action } from "./action.js";
import type { Agent } from "./agent.js";
import type { Clock } from "./clock.js";
import type { OpenDoor } from "./door.js";
import type { OpenEgress } from "./egress.js";
import type { Tool } from "./extension.js";
import type { FailPoint } from "./fail-points.js";
import type { Files } from "./files.js";
import type { Git } from "./git.js";
import type { HookContext, Looker } from "./hook.js";
import type { Listen } from "./listen.js";
import type { Notifier } from "./notifier.js";
import type { Sandbox } from "./sandbox.js";
import type { Setups } from "./setups.js";
import type { Frozen, Store } from "./store.js";
import type { Answer, Task } from "./worker.js";

export interface Workshop {
  frozen: Frozen;
  /** Pawl's working home: hidden from everything sandboxed. */
  home: string;
  store: Store;
  files: Files;
  git: Git;
  clock: Clock;
  notifier: Notifier;
  /** The engine chosen before the first step. */
  sandbox: Sandbox;
  /** The way out for a setup. */
  egress: OpenEgress;
  setups: Setups;
  agents: Map<string, Agent>;
  /** Works in the place of the host's agent, when a run that began in an IDE is driven elsewhere. */
  standIn?: Performer;
  actions: Map<string, Action>;
  /** Of extensions, for agents. */
  tools: ReadonlyMap<string, Tool>;
  openDoor: OpenDoor;
  hooks: ReadonlyMap<string, Looker>;
  frontMatter: HookContext["frontMatter"];
  /** The value of a variable of Pawl's own environment; only for names an author or user wrote. */
  variable(name: string): string | undefined;
  sha256(text: string): string;
  listen: Listen;
  /** How to start a validator of this file: argv, and further folders it must be able to read. */
  launcher(path: string): { argv: string[]; readable: string[] } | { missing: string };
  /** Drives a loop as a step of this run until it ends or rests; finds it again after a crash. */
  within(loop: string, task: Task, signal: AbortSignal): Promise<Answer>;
  /** Makes the run of the loop that follows; finds it again after a crash. */
  follow(loop: string, task: Task): Promise<Answer>;
  /** When a run is about to end: what it learned goes into the memory bank. Says what failed. */
  noteEnd(run: Run): Promise<string | undefined>;
  /** Commits what a visit of a doer or reviewer left, where the run may. Throws a FaultError when git cannot do it now. */
  save(run: Run, saves: Saved, signal: AbortSignal): Promise<{ commit?: string; trouble?: string }>;
  /** Writes the journal beside the published record, in the folder of the run's job. Says what failed. */
  publish(job: string): Promise<string | undefined>;
  /** Where a test may kill the process. */
  at: FailPoint;
}
