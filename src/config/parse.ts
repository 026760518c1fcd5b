// The text of a loop file to a LoopFile, or to everything that is wrong with it, in the order of the file.
// Whether what it names exists is not asked here: that is check.ts.
import { Recent } from "../core/recent.js";
import { type Issue, sortIssues } from "./issues.js";
import { readBody } from "./schema/bodies.js";
import { type Complaint, complainOf } from "./schema/complaints.js";
import type { Body, LoopFile, Positions } from "./schema/file.js";
import { checkRules } from "./schema/rules.js";
import { ISSUES_MAX, readSource, type Source } from "./schema/source.js";
import { listed } from "./suggest.js";

export interface ParsedLoop extends Positions {
  file: LoopFile;
  warnings: Issue[];
}

const REQUIRED = "write a name and one of the bodies skills, steps, doer/reviewer and nodes";

/** `path` is how the file is named in messages. Never throws, whatever the text. */
export function parseLoop(text: string, path: string): ParsedLoop | { issues: Issue[] } {
  const key = `${path}\0${text}`;
  const known = KNOWN.get(key) ?? parse(text, path);
  KNOWN.set(key, known);
  return known;
}
/** A server reads the same files with every start. */
const KNOWN = new Recent<ParsedLoop | { issues: Issue[] }>();

function parse(text: string, path: string): ParsedLoop | { issues: Issue[] } {
  const source = readSource(text, path, REQUIRED);
  const { data } = source;
  if (data === undefined) return { issues: sortIssues(source.issues) };
  const bodies = bodiesOf(data);
  const body = bodies.length === 1 ? bodies[0] : undefined;
  const read = readBody(body, data);
  const complaints = "issues" in read ? read.issues.flatMap((issue) => complainOf(issue, data, body)) : [];
  complaints.push(...checkBodies(bodies), ...checkRules(data));
  const issues = collect(source, complaints, path);
  if (issues.length > 0 || "issues" in read) return { issues };
  return { file: read.file, at: source.at, wrote: source.wrote, warnings: warnOf(data, source, path) };
}

/** Complaints at their places, each once, in the order of the file. */
export function collect(source: Source, complaints: Complaint[], path: string): Issue[] {
  const placed = complaints.map(
    ({ path: where, ...rest }): Issue => ({ ...rest, path, ...source.at(where), severity: "error" }),
  );
  const seen = new Set<string>();
  return sortIssues([...source.issues, ...placed])
    .filter((issue) => {
      const key = `${issue.line}:${issue.col} ${issue.message}`;
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, ISSUES_MAX);
}

function bodiesOf(data: { [key: string]: unknown }): Body[] {
  const bodies: Body[] = ["skills", "steps", "doer", "nodes"];
  return bodies.filter((body) => body in data || (body === "doer" && "reviewer" in data));
}

function checkBodies(bodies: Body[]): Complaint[] {
  if (bodies.length === 1) return [];
  const found = bodies.length === 0 ? "none" : listed(bodies, "and");
  const message = `the file must have exactly one of the bodies skills, steps, doer/reviewer and nodes, not ${found}`;
  const [, second] = bodies;
  return [{ path: second === undefined ? [] : [second], code: "wrong-body", message }];
}

function warnOf(data: { [key: string]: unknown }, source: Source, path: string): Issue[] {
  const { trigger } = data;
  const start = typeof trigger === "object" && trigger !== null && "type" in trigger ? trigger.type : undefined;
  if (start !== "notify_and_wait" && start !== "auto") return [];
  const message = `"type" of "trigger" is ${start}, which is not acted upon in this release`;
  const hint = "the loop starts by name only";
  return [{ code: "not-acted-upon", path, ...source.at(["trigger", "type"]), message, hint, severity: "warning" }];
}
