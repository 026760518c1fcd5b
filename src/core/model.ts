// The whole vocabulary of the engine. Data only: no functions, JSON-safe.
import type { Isolation, Performer } from "./performer.js";
import type { Setback } from "./setback.js";
import type { Stack } from "./stacks.js";
import type { Finding, Json, Spent, Verdict } from "./verdict.js";

export type { Answer, ErrorRecord, Event, EventBody } from "./event.js";
export type { Isolation, Performer } from "./performer.js";
export type { Evidence, Finding, Json, Spent, Status, Verdict } from "./verdict.js";

// --- Flow: a checked, frozen graph. Every body of a loop file lowers to this and nothing else runs.
export interface Flow {
  name: string;
  /** sha256 of the lowered flow; a run is bound to one digest. */
  digest: string;
  goal: string;
  /** The author's step names, in the author's order. */
  steps: string[];
  start: string;
  nodes: Record<string, Node>;
  budgets: Record<string, Budget>;
  checkpoint: { onPark: boolean; message: string };
  onEnd?: Partial<Record<Ending | "warning", string>>;
  /** Starts of one command before the run is parked: the crash-loop breaker. */
  triesMax: number;
  /** Where a run goes on that a person stopped; absent: it asks the same command again, for nothing. */
  afterStop?: Route;
  /** May the loop be started anew in a job where it has run: always, or only by archiving the old run (doer loops). */
  restart: "free" | "archive";
  limits: Limits;
  gateChannel: "chat" | "person";
  performers: Record<string, Performer>;
  documents: string[];
  isolation: Isolation;
  /** What was read at load and must not change under the run: path or name to sha256. */
  named: Record<string, string>;
}
export interface Node {
  name: string;
  /** Preconditions and effects on the way in. */
  enter: Hook[];
  work: Work;
  /** The gate: the first block or wait decides, skip decides nothing. */
  exit: Hook[];
  /** Artifacts of this node; a fresh folder every visit, so nothing stale is ever read. */
  produces: string[];
  /** Total: the check proves one route for every possible outcome. */
  routes: Record<string, Route>;
  /** Where the author wrote it; nodes of one fold are drawn as one step. Absent: generated. */
  origin?: { line: number; fold: string };
  /** The word the record uses while the run is here, if not "running". */
  phase?: "validating" | "confirming";
  /** What all its visits together may use up. */
  limits?: Limits;
  /** What is done here takes the record along (a pull request), which must not say there that the run is still at work. */
  shipsRecord?: true;
  /** How many of the flow's steps are done while the run is here; only where the steps are a straight sequence. */
  done?: number;
}
export type Work =
  | { kind: "none" }
  | {
      kind: "agent";
      performer: string;
      prompt: string;
      access: "read" | "write";
      session: "new" | "inherit";
      verdict?: VerdictFile;
      timeoutMs?: number;
      turnsMax?: number;
      /** Its part in a doer and reviewer loop: told to it, and a verifier's verdict counts only on a tree it left alone. */
      mode?: "ralph_loop" | "verify";
      /** Whose part of the plan it does, where several doers share the work. */
      stack?: Stack;
    }
  | { kind: "command"; run: string; setup?: string; env?: Record<string, string>; timeoutMs: number }
  | { kind: "action"; action: string; params: Json }
  /** A look at the world as the work itself: a validator, a condition. */
  | { kind: "check"; hook: string; params: Json }
  /** The human gate is a node. */
  | { kind: "ask"; question: string; options: string[] }
  /** A whole loop as one step. */
  | { kind: "flow"; flow: string }
  /** Several at once (or in turn); the worst verdict wins, by `order` (outcomes, best first), then by status. */
  | {
      kind: "fan";
      branches: Record<string, Exclude<Work, { kind: "fan" | "none" }>>;
      inTurn: boolean;
      order: string[];
    };
export interface VerdictFile {
  artifact: string;
  /** The words the author declared, and what each means. */
  words: Record<string, VerdictWord>;
  /** "last": the last verdict line counts. "worst": the worst of all lines, in the order of `words` from best to worst. */
  reading: "last" | "worst";
}
export interface VerdictWord {
  status: "pass" | "block";
  outcome: string;
  /** The outcome of a pass that stands under a condition; absent: the same. */
  caveat?: string;
}
/** What may be used up at most, of time at work, money and tokens; absent: no limit. */
export interface Limits {
  ms?: number;
  usd?: number;
  tokens?: number;
}
export interface Hook {
  hook: string;
  params: Json;
  /** False: may stop the run, may not steer it. */
  mayRoute: boolean;
  /** True: done once a visit; false: a look at the world, repeatable at will. */
  effect: boolean;
}
export interface Route {
  to: Target;
  spend?: string[];
  refill?: string[];
  /** Counted in `run.marks` when taken: "retry", "iterating", "reset", "resumed", "warning", "not-committed". */
  mark?: string;
  /** Marks that no longer hold once this way is taken: a round that begins anew has no warning yet. */
  unmark?: string[];
  /** What the visit left is committed before the run goes on, wherever this way leads. */
  saves?: Saved["what"];
}
/** What one visit of a doer or a reviewer left, to be committed by itself. */
export interface Saved {
  what: "work" | "review";
  node: string;
  visit: number;
}
/** `resume: "way"`: go on along the way that could not be paid, with a fresh fill: a person's act, hence no spend. */
export type Target = { node: string } | { end: Ending } | { park: ParkCode; reason: string; resume: Route | "way" };
export type Ending = "success" | "failure" | "aborted" | "killed";
/** Why a run is parked. Exit codes and the words of the record hang on it. */
export type ParkCode =
  | "paused" // a person chose to pause
  | "escalated" // a person aborted a round at its gate
  | "interrupted" // Ctrl-C, SIGTERM
  | "fault" // the world could not do it
  | "crash-loop" // one command was begun triesMax times and never answered
  | "entry-refused" // an entry check blocked
  | "validation-failed" // required checks failed, failure_handling: pause
  | "optional-failed" // optional checks failed, on_optional_failure: pause
  | "no-verdict" // a reviewer left none
  | "work-failed" // an agent did not come to its end
  | "exhausted" // a budget is used up and a person must look
  | "limit"; // money, tokens or time are used up

/** Bounds the ways back that spend it. One fill of it is one round. */
export interface Budget {
  /** Ways back allowed per fill. */
  limit: number;
  /** 1 when the author's number counts the first try too; shown to people as limit + first. */
  first: 0 | 1;
  /** The key or option that sets it. */
  setBy: string;
  /** True: its limit was fixed when the run was made and no option changes it. */
  frozen: boolean;
  onExhausted: Target;
  /** Taken when a fingerprint, or an unchanged tree, comes back within one fill: the loop oscillates. */
  onRepeat?: Target;
  /** True: what is bounded changes artifacts and maybe not the tree, so only a returning fingerprint is a repeat. */
  treeMayRest?: boolean;
}
// --- Run: everything a process needs to carry on after kill -9. Plain JSON.
export interface Run {
  id: string;
  job: string;
  /** Of the job, once it was renamed; absent: the branch the run began on. */
  branch?: string;
  flow: string;
  digest: string;
  /** goal, subject, branch, ticket, what `--input` gave and what actions set. */
  inputs: Record<string, string>;
  /** Of the last event applied. */
  seq: number;
  /** Of the event that put the cursor where it is. */
  since: number;
  cursor: Cursor;
  /** Starts of each outstanding command, by ticket. */
  tries: Record<string, number>;
  /** A signal came while a chain was being asked. */
  stirred: boolean;
  /** Effects already done in this visit; never done twice. */
  fired: string[];
  visits: Record<string, number>;
  purses: Record<string, Purse>;
  /** Limits a person raised in the middle of the run: of budgets by their names, of money, tokens and time as "limits.usd". */
  limits: Record<string, number>;
  marks: Record<string, number>;
  /** The mark of the last route taken, until the next command is begun. */
  justMarked?: string;
  /** Why the last budget diverted the run, until the next visit that is not a question. */
  diverted?: Diversion;
  /** Feedback the next worker must read, oldest first. */
  notes: Note[];
  /** Last verdict per node, and per branch as `node/branch`. */
  results: Record<string, Verdict>;
  warnings: Finding[];
  /** Paths that people changed in the middle of the run; never committed by it. */
  foreign: string[];
  /** Those of them that the run had changed before: what lies there now is nobody's alone. */
  shared: string[];
  /** The agent session of the latest visit, per node. */
  sessions: Record<string, string>;
  /** Faults in a row, per node or branch. */
  setbacks?: Record<string, Setback>;
  /** Performers that failed, and who works in their place from then on. */
  standIns?: Record<string, string>;
  /** What was spent, per node, and per branch as `node/branch`. */
  spent: Record<string, Spent>;
  /** The most that one answer has cost so far, figure by figure, by the same names. */
  dearest: Record<string, Spent>;
}
export interface Purse {
  spent: number;
  /** Fingerprints and trees of the blocks in this fill. */
  seen: { print?: string; tree?: string; visit: number }[];
}
export interface Diversion {
  budget: string;
  because: "exhausted" | "repeat";
  from: string;
  visit: number;
  /** For a repeat: the visit that said the same, and the fingerprint. */
  earlier?: number;
  print?: string;
}
export interface Note {
  from: string;
  visit: number;
  outcome: string;
  findings: Finding[];
  output?: string;
  artifacts?: string[];
}
export type Cursor =
  | { at: "enter" | "exit"; node: string; index: number; outcome?: string }
  /** `answers` holds the branches of a fan that have been heard. */
  | { at: "work"; node: string; answers: Record<string, Verdict> }
  | { at: "waiting"; node: string; boundary: "enter" | "exit"; findings: Finding[] }
  | {
      at: "parked";
      code: ParkCode;
      reason: string;
      findings: Finding[];
      resume: Route | { retry: Cursor };
      /** ISO time before which going on is of no use. */
      until?: string;
    }
  | { at: "checkpoint"; to: Cursor; saves?: Saved }
  | { at: "chain"; loop: string; to: Cursor }
  /** `exhausted`: the budget that ended the run and the way that could not be paid; raising its limit goes on there. */
  | { at: "ended"; ending: Ending; exhausted?: { budget: string; way: Route; from: string } };

// --- Command: what is to be done now, derived from (flow, run). Never stored.
export type Command = { ticket: string } & (
  | { do: "work"; node: Node; work: Exclude<Work, { kind: "none" | "fan" }>; branch?: string; visit: number }
  | { do: "hook"; hook: Hook; boundary: "enter" | "exit"; node: Node; visit: number; answered?: Verdict }
  | { do: "checkpoint"; message: string; ending?: Ending; saves?: Saved }
  | { do: "chain"; loop: string }
);
