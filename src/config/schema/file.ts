// A loop file as the rest of the house sees it: every default filled in, every spelling made one. Data only.
// What the author wrote keeps its place: ask `Source.at` with the path in the author's words (["steps", 2, "on_fail"]).
import type { Isolation, Json, Limits, Performer } from "../../core/model.js";

export type LoopFile = SkillsFile | StepsFile | DoerFile | NodesFile;
export type Body = LoopFile["body"];

/** A path of keys and list indexes in the author's own words, e.g. ["steps", 2, "on_fail", "goto"]. */
export type Path = readonly (string | number)[];
export interface Place {
  line: number;
  col: number;
}
/** Where things stand in the text; lines and columns count from 1. */
export interface Positions {
  /** Of the key (or the list entry) at this path; of its nearest ancestor when the author wrote none. */
  at(path: Path): Place;
  /** Did the author write this key, or is its value a default? */
  wrote(path: Path): boolean;
}

/** The keys of every file. */
export interface CommonKeys {
  name: string;
  /** Absent when blank. */
  description?: string;
  goalState: string;
  trigger: "manual" | "on_complete" | "notify_and_wait" | "auto";
  humanGate: boolean;
  validators: ValidatorUse[];
  onOptionalFailure: "proceed" | "warn" | "pause";
  failureHandling: "retry" | "pause" | "fail";
  /** The name of a registered condition. With `extensions` it may be one of theirs and is still to be looked up. */
  repeatUntil?: string;
  maxRepeats: number;
  maxAttempts: number;
  /** Names of loops. Author's path: ["on_complete", "on_success", "trigger_loop"]. */
  onComplete: { success?: string; warning?: string; failure?: string };
  requireBranch?: "base";
  makesBranch: boolean;
  gateChannel: "chat" | "person";
  limits: Limits;
  /** The key `agents`. */
  performers: Record<string, Performer>;
  agentsDir?: string;
  llm?: Llm;
  additionalFiles: string[];
  extensions: string[];
  isolation: Isolation;
  stateDir?: string;
}
export interface SkillsFile extends CommonKeys {
  body: "skills";
  skills: string[];
}
export interface StepsFile extends CommonKeys {
  body: "steps";
  steps: Step[];
}
export interface DoerFile extends CommonKeys {
  body: "doer";
  doer: string;
  reviewers: string[];
  /** A document that must exist when the key is there. */
  plan?: string;
  artifact: string;
  maxIter: number;
  maxResets: number;
}
export interface NodesFile extends CommonKeys {
  body: "nodes";
  start: string;
  nodes: GraphNode[];
}

export interface ValidatorUse {
  tool: string;
  checks: { name: string; required: boolean }[];
  timeoutMs: number;
}
export interface Llm {
  model: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  api?: "openai" | "anthropic";
  timeoutMs?: number;
}

/** Where a step or node leads. `name` is not yet looked up. */
export type Go = { go: "step"; name: string; retry: boolean } | { go: "success" } | { go: "failure" };

export interface Step {
  name: string;
  work: StepWork;
  limits?: Limits;
  /** As written; else the next step, and success after the last. */
  onPass: Go;
  /** As written; else failure. */
  onFail: Go;
}
export type StepWork =
  | ({ kind: "agent"; agent: string } & AgentKeys)
  | ({ kind: "skill"; skill: string } & AgentKeys)
  | CommandWork
  | ActionWork
  /** Without `options` the gate asks its usual ones. */
  | { kind: "gate"; question: string; options?: string[] }
  | { kind: "loop"; loop: string };
export interface AgentKeys {
  produces: string[];
  /** `artifact` and `verdicts` of the file: the two words are not blank and differ. */
  verdicts?: { artifact: string; pass: string; fail: string };
  /** The agent's own cap of turns. */
  maxIterations?: number;
  timeoutMs?: number;
}
export interface CommandWork {
  kind: "command";
  run: string;
  timeoutMs: number;
  setup?: string;
  env: Record<string, string>;
}
export interface ActionWork {
  kind: "action";
  action: string;
  params: { [key: string]: Json };
}

export interface GraphNode {
  id: string;
  actor: "agent" | "human" | "code";
  work: NodeWork;
  limits?: Limits;
  produces: string[];
  entry: HookUse[];
  exit: HookUse[];
  session: "new" | "inherit";
  /** Outcome to target, in the author's order. */
  on: Record<string, Go>;
  /** Of the node, else of the file, else 3. */
  maxRepairs: number;
}
export type NodeWork =
  | { kind: "agent"; agent: string; timeoutMs?: number }
  | { kind: "skill"; skill: string; timeoutMs?: number }
  /** Without `options`: approved, approved-with-comments, changes-requested. */
  | { kind: "ask"; question: string; options?: string[] }
  | CommandWork
  | ActionWork
  | { kind: "loop"; loop: string };
export interface HookUse {
  hook: string;
  with: { [key: string]: Json };
}
