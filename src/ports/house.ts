// Everything a surface needs to start and drive runs in one repository. Put together by main.ts, once a process.
import type { Branches } from "../core/branches.js";
import type { Command, Flow, Isolation, Limits, Performer, Run } from "../core/model.js";
import type { Agent } from "./agent.js";
import type { Clock } from "./clock.js";
import type { Extras } from "./extension.js";
import type { Files } from "./files.js";
import type { CommitWish, Git, Where } from "./git.js";
import type { Memory } from "./memory.js";
import type { Notifier } from "./notifier.js";
import type { EngineReport, Sandbox } from "./sandbox.js";
import type { Frozen, FrozenFile, Records, Store } from "./store.js";
import type { HostedWorld } from "./world.js";

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
    /** What the flow's extensions register; none where nothing of them is to be called. */
    extras?: Extras;
    notifier: Notifier;
    /** Commands that somebody else carries out: they are handed out like a gate. Default none but the host's. */
    away?(command: Command, flow: Flow): boolean;
    /** Works in the host's place. */
    standIn?: Performer;
  }): Promise<HostedWorld>;
  /** Runs the repository's own commit hooks for a commit that no step makes, in a sandbox that is chosen when there is a hook to run.
   *  `folder` is ours: the hook may read it. */
  hookOf(made: { frozen: Frozen; run: Run; folder: string; signal: AbortSignal }): Promise<CommitWish["hook"]>;
  /** A loop by name or path, parsed, checked and lowered. Throws what the surface shows: issues or a refusal. */
  load(name: string, how: LoadOptions): Promise<Loaded>;
  /** A performer by the name it has in the settings, or by the word after `use:`. Refusal ("unknown-agent"). */
  performer(name: string): Promise<Performer>;
  /** Starts a Pawl of its own that drives a run until it is somebody else's turn; it outlives this process. Resolves when it has
   *  taken the run, or is over. Throws a FaultError when it cannot be started. */
  driveBehind(run: string): Promise<void>;
  /** What the flow's extensions register, for a run that is carried on. Throws a Refusal where they are not what they were when the run
   *  began: then none of their code has run. */
  extrasOf(frozen: Frozen): Promise<Extras>;
  /** Runs of a job as their published records tell. */
  recordsOf(job: string): { records: JobRecord[]; unreadable: { file: string; why: string }[] };
  /** Jobs of runs that began before their ticket and branch existed, and have no other name yet. */
  pendingJobs(): string[];
  /** The jobs with a PLAN.md, which may name a position and older slugs. */
  phases(): Promise<PhaseFolder[]>;
  /** The branches that are everybody's, by the settings of the repository. Throws what is wrong with them. */
  branches(): Promise<Branches>;
  /** What the settings let all runs of one job use up together, as they are now. */
  jobLimits(): Promise<Limits>;
  /** Puts the published files of a run aside, so that its loop may start afresh in the job; says where they are, and which moved.
   *  Absolute paths. LOOP.md stays in the job's folder as LOOP.md.killed-TIME. */
  archive(at: { job: string; loop: string; run: string }): Promise<{
    folder: string;
    loopMd?: string;
    moved: { from: string; to: string }[];
  }>;
  /** Asks the process that drives a run to stop; its order waits with the run. */
  interrupt(pid: number): void;
  /** Takes over a run that another clone published; undefined when there is none of that id. */
  adopt(run: string): { run: string; from: string } | undefined;
  /** Refusal ("different-history") where a journal is published of a run that is here, and it is not the beginning of ours. */
  refuseOtherHistory(here: { run: string; loop: string; job: string; isPublished: boolean }): void;
  /** The job a run started now belongs to, by the spec and the branch as they are at this moment. Throws a Refusal for a name that
   *  cannot be a folder. */
  job(): Promise<JobHere>;
}
export interface PhaseFolder {
  /** The job. */
  slug: string;
  position?: number;
  /** Slugs it had before. */
  former: string[];
}
export interface JobHere {
  job: string;
  ticket: string | null;
  /** Checked out now; absent when detached or without git. */
  branch?: string;
  /** The spec names this branch; without, the job is called after the branch alone. */
  isOfSpec: boolean;
  warning?: string;
}
export interface JobRecord {
  run: string;
  /** As the record itself says; another than its folder's while the files of a renamed job are on their way. */
  job?: string;
  loop: string;
  file: string;
  status: string;
  /** Its outcome is empty. A complete run's is so only until it has been validated. */
  isOpenEnded?: boolean;
  /** sha256 of the last line it tells of. */
  head?: string;
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
  /** The job it is to run in; without, the one of this branch. */
  job?: string;
  /** Options that choose a loader, by name without the dashes: those that Pawl ships. */
  given?: Record<string, string>;
  /** What stood on the command line and is no option of Pawl's own: perhaps of an extension's loader. */
  words?: string[];
  /** Nothing of an extension is called: its loader is named, and not asked. */
  looks?: boolean;
  /** Documents of the run that this one is a part or a follower of: no loader is asked. */
  handed?: Record<string, FrozenFile>;
  /** What the flow of that run named: extensions must be what they were when it began. */
  parent?: Record<string, string>;
}
export interface ContextFacts {
  /** Absent: no loader was chosen, or the loop is a part of a run that has its documents. */
  loader?: string;
  subject?: string;
  /** For people: where the choice came from, what was expected and is not there. */
  notes: string[];
  /** False: the loader is an extension's, and is asked when the run starts. */
  isAsked: boolean;
}
export interface Loaded {
  flow: Flow;
  source: { path: string; text: string };
  /** Validators to freeze: name → path and digest. */
  files: Record<string, FrozenFile>;
  /** Where its documents come from, and what it is about. */
  context: ContextFacts;
  warnings: string[];
  /** As asked for. */
  agent?: string;
  stateDir?: string;
  /** The branches it may start on (`require_branch`); absent: any. */
  requireBranch?: string[];
  /** It makes its ticket and branch, so on everybody's branches a run of it has no job yet. */
  makesBranch: boolean;
}
