// Confines other people's programs. One implementation an engine. Nothing of the workspace runs outside a Session.
import type { Readable, Writable } from "node:stream";
import type { ErrorRecord, Isolation } from "../core/model.js";

export type Level = "kernel" | "process" | "none";
export type Guarantee =
  | "writes"
  | "reads"
  | "environment"
  | "network"
  | "privileges"
  | "syscalls"
  | "git"
  | "kill"
  | "orphans"
  | "scratch"
  | "processes"
  | "memory"
  | "cpu"
  | "disk";

export interface Sandbox {
  readonly engine: string;
  /** Find out by a small attack what holds on this machine, in the image that is wished for. Leaves nothing behind. Must not throw: "unusable, because" is an answer. */
  probe(signal: AbortSignal, wish?: Pick<Isolation, "image" | "pull">): Promise<EngineReport>;
  /** Must throw a FaultError (SANDBOX codes, `sbx-…`) rather than weaken any promise. */
  open(plan: SandboxPlan, signal: AbortSignal): Promise<Session>;
  /** Remove what killed Pawls left. Touches nothing of the living. Idempotent. Must not throw. */
  sweep(): Promise<void>;
}
export interface EngineReport {
  engine: string;
  version?: string;
  /** Where the engine was found, and what it runs things in; for people. */
  ground?: string;
  usable: boolean;
  /** A code (`sbx-…`), what was tried, and what to type. */
  why?: ErrorRecord;
  holds: Record<Guarantee, Level>;
  evidence: string[];
}
export interface SandboxPlan {
  run: string;
  visit: string;
  /** Absolute, its own realpath. */
  workspace: string;
  access: "read" | "write";
  /** Kinds and digests of the files that send git elsewhere, taken at the start of the run. */
  signposts: Record<string, string>;
  /** Pawl's working home: covered with an empty scratch. */
  state: string;
  /** A folder of the repository that keeps runs instead (`state_dir`): covered too. Absolute. */
  stateElsewhere?: string;
  /** The artifact folder of this visit: bound on top, writable. */
  artifacts: string;
  /** Earlier artifact folders: bound on top, read-only. */
  earlier: string[];
  /** Folders and files under the workspace that stay read-only, relative. Absent ones are passed over. */
  protect: string[];
  /** Further read-only sources, at their own path: frozen validators. Absolute. */
  readable: string[];
  isolation: Isolation;
}
export interface Session extends AsyncDisposable {
  /** What confines here, for evidence: the engine and its version, and the image by its digest where there is one. */
  readonly profile: string;
  /** Start one program; judges every mount source again, each time. Throws a FaultError. */
  start(task: SandboxTask): Promise<Child>;
}
export interface SandboxTask {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  graceMs: number;
}
export interface Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles only when every process of the task is dead, whatever it did to stay. Must not reject. */
  readonly ended: Promise<Outcome>;
  /** TERM, graceMs, KILL. */
  stop(reason: "cancelled" | "timeout"): void;
}
export type Outcome =
  | { end: "exit"; code: number }
  | { end: "signal"; signal: string }
  | { end: "limit"; limit: "time" | "memory" | "processes" | "output" | "disk" | "scratch"; value: number }
  | { end: "cancelled" }
  /** The engine, never the command; costs no attempt. */
  | { end: "fault"; fault: ErrorRecord };
