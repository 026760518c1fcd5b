// The end of a turn before its costs are known.
import type { ErrorRecord } from "../../core/model.js";

export type Bare =
  | { end: "finished"; denials: string[] }
  | { end: "failed"; why: string }
  | { end: "limit"; limit: string; why: string }
  | { end: "cancelled" }
  | { end: "no-session" }
  | { end: "fault"; fault: ErrorRecord };

/** Denials of one turn that are told. */
export const DENIALS_MAX = 20;
