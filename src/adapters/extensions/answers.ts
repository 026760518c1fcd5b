// What comes back from an extension, looked at before it is used: another shape is a mistake that is told as one.
import type { Verdict } from "../../core/model.js";
import type { ActionEnd } from "../../ports/action.js";
import type { Brought } from "../../ports/loader.js";

/** Nothing at all is "pass". */
export function readEnd(end: unknown): ActionEnd {
  if (end === undefined || end === null) return {};
  const { outcome, findings, output, set } = end as Record<keyof ActionEnd, unknown>; // each is looked at next
  const wrong =
    (outcome !== undefined && typeof outcome !== "string" && "outcome must be a text") ||
    (output !== undefined && typeof output !== "string" && "output must be a text") ||
    (findings !== undefined && !isFindings(findings) && "findings must be a list of {text, severity}") ||
    (set !== undefined && !isTexts(set) && "set must hold names and texts");
  if (wrong) throw unreadable(wrong);
  return end as ActionEnd; // looked at just now
}

export function readVerdict(said: unknown, outcomes: string[]): Verdict {
  const { status, outcome, findings } = (said ?? {}) as Record<keyof Verdict, unknown>; // each is looked at next
  const wrong =
    (!["pass", "block", "wait", "skip"].includes(String(status)) && "status must be pass, block, wait or skip") ||
    (!isFindings(findings) && "findings must be a list of {text, severity}") ||
    (outcome !== undefined &&
      !["pass", "block", ...outcomes].includes(String(outcome)) &&
      `it never declared the outcome "${outcome}"`);
  if (wrong) throw unreadable(wrong);
  return said as Verdict; // looked at just now
}

export function readBrought(found: unknown): Brought {
  const { subject, documents, notes } = (found ?? {}) as Record<keyof Brought, unknown>; // each is looked at next
  const wrong =
    (typeof subject !== "string" && "subject must be a text") ||
    (!isDocuments(documents) && "documents must be a list of {path, text}") ||
    (notes !== undefined &&
      !(Array.isArray(notes) && notes.every((each) => typeof each === "string")) &&
      "notes must be a list of texts");
  if (wrong) throw unreadable(wrong);
  return found as Brought; // looked at just now
}

const unreadable = (why: string): Error => new Error(`its answer cannot be read: ${why}`);
const isTexts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string");
const isFindings = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => typeof each?.text === "string" && ["error", "warning", "info"].includes(each.severity));
const isDocuments = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each?.path === "string" && typeof each?.text === "string");
