// The one answer that work, hooks, validators, reviewers and people all give. A part of the model; import it from model.ts.
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Status = "pass" | "block" | "wait" | "skip";
export interface Finding {
  text: string;
  /** What it is about: a path, `path:line`, the name of a check. */
  where?: string;
  /** The rule that was broken, in the words of whoever judges. */
  rule?: string;
  severity: "error" | "warning" | "info";
}
/** What a verdict was said about (P5). Digests are lower-case sha256 hex. */
export interface Evidence {
  tree?: string;
  loop: string;
  validator?: string;
  inputs?: Record<string, string>;
  /** What confined the work: the engine and its version, and the image by its digest where there is one. */
  sandbox?: string;
}
export interface Verdict {
  status: Status;
  /** A name that routes can key on ("approved"); absent means the status itself. */
  outcome?: string;
  /** Every complaint at once, so that one round can mend them all. */
  findings: Finding[];
  /** Fingerprint of the findings: 12 hex digits, or a constant when there are none. Budgets see repeats by it. */
  print?: string;
  evidence?: Evidence;
  /** What the work hands on: the end of its output or its final message, cut to OUTPUT_CHARS_MAX. Never judged. */
  output?: string;
  /** Files of the visit, relative to the run's folder. */
  artifacts?: string[];
  /** What the judge handed in, for the record (a validator's message and checks). Never routes. */
  report?: Json;
  /** Values an action hands to later steps; merged into `run.inputs`. */
  set?: Record<string, string>;
}
/** What a visit cost. An absent figure is unknown, which is not zero. */
export interface Spent {
  ms: number;
  usd?: number;
  inputTokens?: number;
  outputTokens?: number;
  model?: string;
}
