// What happened to a run. Its journal is these, one JSON object a line.
import type { Certainty, FailureClass } from "./failure.js";
import type { Json, Spent, Verdict } from "./verdict.js";

export type Event = { seq: number; at: string; by: string } & EventBody;
export type EventBody =
  | {
      type: "started";
      run: string;
      job: string;
      flow: string;
      digest: string;
      inputs: Record<string, string>;
      parent?: string;
    }
  /** Written before the work, so that a crash loop is seen. */
  | { type: "begun"; ticket: string; performer: string; session?: string }
  /** Answers an outstanding command. */
  | { type: "verdict"; ticket: string; verdict: Verdict; spent?: Spent; answer?: Answer; session?: string }
  /** The command could not be carried out. */
  | { type: "fault"; ticket: string; error: ErrorRecord; spent?: Spent; session?: string }
  /** The command is still going on somewhere else (a loop as a step that rests); not a try that failed. */
  | { type: "yielded"; ticket: string }
  | { type: "checkpointed"; ticket: string; commit?: string; trouble?: string }
  | { type: "chained"; ticket: string; run?: string; why?: string }
  /** The world moved: look again. Never carries a decision. */
  | { type: "signal"; name: string }
  | { type: "stopped"; code: "paused" | "interrupted" | "limit"; reason: string }
  | { type: "resumed" }
  | { type: "abandoned"; reason: string }
  /** A person raised a budget's limit. */
  | { type: "extended"; budget: string; limit: number; was: number }
  /** A person set a limit of money, tokens or time: "usd" of the whole run, "dev.usd" of its step "dev". In the figure's own unit. */
  | { type: "limited"; limit: string; to: number; was?: number }
  /** Paths that changed while nobody drove the run: people's, and none of the run's to commit, unless a person says so. */
  | { type: "foreign"; paths: string[]; shared?: string[]; accepted: boolean }
  /** The job has another name from here on: a pending one, once its ticket and branch are there. Moves nothing. */
  | { type: "renamed"; job: string; ticket?: string; branch?: string }
  /** For people; moves nothing: a lock taken over, a changed file noticed, an engine chosen, a journal adopted. */
  | { type: "remark"; about: string; text: string; data?: Json };
/** A person's answer: who, through what, and what they were shown (P4). */
export interface Answer {
  who: string;
  channel: "terminal" | "cli" | "chat" | "elicitation" | "web" | "file";
  shown: string;
  comment?: string;
}
export interface ErrorRecord {
  code: string;
  message: string;
  hint?: string;
  details?: Json;
  /** What kind of trouble it is; what a run does about it hangs on that (core/setback.ts). Absent: it parks. */
  class?: FailureClass;
  /** When it is over, as ISO time. */
  until?: string;
  certainty?: Certainty;
}
