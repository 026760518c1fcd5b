// Everything a surface needs to start and drive runs in one repository. Put together by main.ts, once a process.
import type { Flow, Isolation, Run } from "../core/model.js";
import type { Action } from "./action.js";
import type { Agent } from "./agent.js";
import type { Clock } from "./clock.js";
import type { Files } from "./files.js";
import type { CommitWish, Git, Where } from "./git.js";
import type { Memory } from "./memory.js";
import type { Notifier } from "./notifier.js";
import type { EngineReport, Sandbox } from "./sandbox.js";
import type { Frozen, FrozenFile, Records, Store } from "./store.js";
import type { World } from "./world.js";

export interface House {
  where: Where;
  store: Store;
  records: Records;
  git: Git;
  files: Files;
  memory: Memory;
  clock: Clock;
  agents: Map<string, Agent>;
  sha256(text: string): string;
  /** The person at this machine, as answers name them. */
  user: string;
  /** The person's own folder ($HOME), its realpath: no run starts there. */
  userFolder: string;
  /** The first engine whose report meets `require`; throws a FaultError ("sbx-…") that says what was tried and the mend. */
  engine(isolation: Isolation, signal: AbortSignal): Promise<{ engine: Sandbox; report: EngineReport }>;
  /** Ends what a killed Pawl left of this run, outside and inside sandboxes. Must not throw. */
  sweep(run: string): Promise<void>;
  /** The workers of one run with their workshop around them. */
  worldOf(made: {
    frozen: Frozen;
    engine: Sandbox | undefined;
    actions: Map<string, Action>;
    notifier: Notifier;
  }): Promise<World>;
  /** Runs the repository's own commit hooks for a commit that no step makes, in a sandbox that is chosen when there is a hook to run.
   *  `folder` is ours: the hook may read it. */
  hookOf(made: { frozen: Frozen; run: Run; folder: string; signal: AbortSignal }): Promise<CommitWish["hook"]>;
  /** What `.pawl/config.yaml` says of branches; nothing where there is none. Throws a Refusal that says what is wrong with it. */
  settings(): Promise<{ branchBase?: string; productionBranch?: string }>;
  /** A loop by name or path, parsed, checked and lowered. Throws what the surface shows: issues or a refusal. */
  load(name: string, how: LoadOptions): Promise<Loaded>;
  /** The registered actions with those of the flow's extensions, for a run that is carried on. */
  actionsOf(frozen: Frozen): Promise<Map<string, Action>>;
  /** Runs of a job as their published records tell. */
  recordsOf(job: string): { records: JobRecord[]; unreadable: { file: string; why: string }[] };
  /** Puts the published files of a run aside, so that its loop may start afresh in the job; returns where they are. */
  archive(at: { job: string; loop: string; run: string }): Promise<string>;
  /** Asks the process that drives a run to stop; its order waits with the run. */
  interrupt(pid: number): void;
  /** Takes over a run that another clone published; undefined when there is none of that id. */
  adopt(run: string): { run: string; from: string } | undefined;
  /** The job a run started now belongs to. Throws a Refusal for a name that cannot be a folder. */
  job(): Promise<{ job: string; ticket: string | null; warning?: string }>;
}
export interface JobRecord {
  run: string;
  loop: string;
  file: string;
  status: string;
}
export interface LoadOptions {
  agent?: string;
  maxAttempts?: number;
  maxIter?: number;
  maxResets?: number;
  /** The caller only looks at the file: an agent that is not mapped is no issue. */
  anyAgent?: boolean;
  /** Is the name a path of a file? */
  byPath?: boolean;
}
export interface Loaded {
  flow: Flow;
  source: { path: string; text: string };
  /** Validators to freeze: name → path and digest. */
  files: Record<string, FrozenFile>;
  actions: Map<string, Action>;
  warnings: string[];
  stateDir?: string;
  requireBranch?: "base";
}
