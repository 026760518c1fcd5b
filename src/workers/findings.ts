// Findings as they may be kept and shown: bounded, without control characters, and with a print that sees repeats.
import { FINDING_CHARS_MAX, FINDINGS_MAX } from "../core/limits.js";
import type { Finding } from "../core/model.js";

/** The print of a verdict without findings: the first 12 digits of the sha256 of nothing. */
export const NO_FINDINGS_PRINT = "e3b0c44298fc";

export function cutFindings(findings: Finding[]): Finding[] {
  const clean = findings.map(cleanFinding);
  if (clean.length <= FINDINGS_MAX) return clean;
  const left = clean.slice(FINDINGS_MAX - 1);
  const severity = (["error", "warning", "info"] as const).find((each) => left.some((f) => f.severity === each));
  return [
    ...clean.slice(0, FINDINGS_MAX - 1),
    { text: `${left.length} more findings are left out`, severity: severity ?? "info" },
  ];
}

const cleanFinding = (finding: Finding): Finding => ({
  text: cut(cleanText(finding.text), FINDING_CHARS_MAX),
  ...(finding.where === undefined ? {} : { where: cut(oneLine(finding.where), FINDING_CHARS_MAX) }),
  ...(finding.rule === undefined ? {} : { rule: cut(oneLine(finding.rule), FINDING_CHARS_MAX) }),
  severity: finding.severity,
});

/** Same findings, same 12 hex digits: order, case, repeats and times do not matter, nor does the text where place and rule
 *  are known. What is only information has no part in it. */
export function printOfFindings(findings: Finding[], sha256: (text: string) => string): string {
  const lines = findings.filter((each) => each.severity !== "info").map(keyOf);
  return printOfLines(lines, sha256);
}

export function printOfLines(lines: string[], sha256: (text: string) => string): string {
  const told = normalLines(lines);
  return told.length ? sha256(told.join("\n")).slice(0, 12) : NO_FINDINGS_PRINT;
}

export const keyOf = ({ where, rule, text }: Finding): string =>
  where && rule ? `${where.replace(LINE_NUMBER, "")}|${rule}` : where ? `${where} ${text}` : text;

/** Lines move when files are edited; the finding stays the same one. */
const LINE_NUMBER = /:\d{1,9}(?::\d{1,9})?$/;
const TIMESTAMP =
  /\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?z\b|[+-]\d{2}:?\d{2})?|\b\d{8}t\d{6}z?\b/g;

/** Lower case, no times, no list markers, no blank lines, no repeats, sorted. */
export function normalLines(lines: string[]): string[] {
  const told = lines.flatMap((line) => line.split("\n")).map(normalLine);
  return [...new Set(told)].filter((line) => /[\p{L}\p{N}\p{S}]/u.test(line)).sort();
}
const normalLine = (line: string): string =>
  line
    .toLowerCase()
    .replace(TIMESTAMP, "")
    .replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/, "")
    .replace(/\s+/g, " ")
    .trim();

/** Control characters, and marks that hide or reorder what stands there, except line ends and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of terminals begin so
const ESCAPE = /\u001B(?:\[[0-9;:?]{0,32}[A-Za-z]|\][^\u0007\u001B\n]{0,2000}(?:\u0007|\u001B\\))/g;

export const cleanText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(ESCAPE, "")
    .replace(CONTROL, "")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
export const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim();

const CUT = " … (cut)";
/** The beginning of a text, marked where it is cut; never longer than `max`. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - CUT.length).replace(/\p{Surrogate}/gu, "")}${CUT}`;

/** The end of a text, where programs say what went wrong; never longer than `max`. */
export function cutToEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = `(the beginning is cut; ${text.length} characters in all) … `;
  return `${mark}${text.slice(text.length - max + mark.length).replace(/\p{Surrogate}/gu, "")}`;
}
