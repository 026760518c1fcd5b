// What zod complains about, in our words and at the author's place: the key, what it must be, what was found, what was meant.
import type { z } from "zod";
import type { IssueCode } from "../issues.js";
import { didYouMean, listed, quote, show } from "../suggest.js";
import { BODY_KEYS } from "./bodies.js";
import type { Body, Path } from "./file.js";
import { label, valueAt } from "./label.js";
import { INSIDE, KEY_SEPARATOR } from "./leaf.js";

/** A complaint whose place is still a path in the author's words. */
export interface Complaint {
  path: Path;
  code: IssueCode;
  message: string;
  hint?: string;
}
/** More keys than these are not listed in one message. */
const KEYS_LISTED_MAX = 12;
type ZodIssue = z.core.$ZodIssue;

/** Keys of the reference that nothing acts on yet, by where they stand. */
const LATER: Record<string, string[]> = {
  "": ["notify"],
  isolation: ["workspace"],
};
/** What people try that is no key anywhere. */
const HINTS: Record<string, string> = {
  "<<": "merge keys are not read; repeat the keys",
  ...Object.fromEntries(
    ["argv", "args", "shell", "run", "cmd", "exec", "script", "if", "when", "expr"].map((key) => [
      key,
      "hooks are registered code: name one and put its parameters under with",
    ]),
  ),
};

export function complainOf(issue: ZodIssue, data: unknown, body: Body | undefined): Complaint[] {
  // Symbols cannot stand in a path that came out of YAML.
  const path = issue.path as Path;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => complainOfKey(key, path, issue.message.split(KEY_SEPARATOR), { data, body }));
    case "invalid_union":
      return complainOfUnion(issue, data, body);
    case "invalid_key":
      return [complainOfName(issue, path, data)];
    default:
      return [complainOfValue(issue, path, data)];
  }
}

function complainOfValue(issue: ZodIssue, path: Path, data: unknown): Complaint {
  const key = path.at(-1);
  const parent = valueAt(data, path.slice(0, -1));
  const isMissing = typeof key === "string" && !(typeof parent === "object" && parent !== null && key in parent);
  if (isMissing)
    return {
      path: path.slice(0, -1),
      code: "missing-key",
      message: `${label(path, data)} is missing; it ${issue.message}`,
    };
  const value = valueAt(data, path);
  const hint = hintFor(issue, value);
  const message = `${label(path, data)} ${issue.message}, not ${show(value)}`;
  return { path, code: codeOf(issue, value), message, ...(hint === undefined ? {} : { hint }) };
}

function hintFor(issue: ZodIssue, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (issue.code === "invalid_value") return didYouMean(value, issue.values.map(String));
  if (issue.code !== "invalid_type") return undefined;
  if (issue.expected === "boolean" && /^(yes|no|on|off|true|false)$/i.test(value))
    return `write ${/^(yes|on|true)$/i.test(value) ? "true" : "false"} without quotes`;
  const isNumber = (issue.expected === "number" || issue.expected === "int") && /^\d+(\.\d+)?$/.test(value);
  return isNumber ? "write it without quotes" : undefined;
}

function codeOf(issue: ZodIssue, value: unknown): IssueCode {
  switch (issue.code) {
    case "invalid_value":
      return typeof value === "string" ? "unknown-word" : "wrong-type";
    case "too_small":
    case "too_big":
      return "out-of-range";
    case "invalid_format":
      if (typeof value !== "string" || value.trim() === "") return "bad-value";
      return issue.pattern === String(INSIDE) ? "bad-path" : "bad-name";
    case "custom":
      return "bad-value";
    default:
      return "wrong-type";
  }
}

/** Of a choice between forms: what is wrong inside the form the author used, else that it is none of them. */
function complainOfUnion(
  issue: ZodIssue & { code: "invalid_union" },
  data: unknown,
  body: Body | undefined,
): Complaint[] {
  const path = issue.path as Path;
  const value = valueAt(data, path);
  const isNested = typeof value === "object" && value !== null;
  const entered = issue.errors.find((errors) =>
    errors.every((one) => one.path.length > 0 || one.code === "unrecognized_keys" || one.code === "too_small"),
  );
  if (isNested && entered)
    return entered.flatMap((one) => complainOf({ ...one, path: [...issue.path, ...one.path] }, data, body));
  const word = issue.errors.flat().find((one) => one.code === "invalid_value");
  const format = issue.errors.flat().find((one) => one.code !== "invalid_type" && one.path.length === 0);
  const inner = typeof value === "string" ? (word ?? format) : undefined;
  return [complainOfValue(inner ? { ...inner, path: issue.path } : issue, path, data)];
}

function complainOfName(issue: ZodIssue & { code: "invalid_key" }, path: Path, data: unknown): Complaint {
  const rule = issue.issues[0]?.message ?? "must be another name";
  const owner = label(path.slice(0, -1), data);
  return { path, code: "bad-name", message: `a key of ${owner} ${rule}, not ${show(path.at(-1))}` };
}

function complainOfKey(
  key: string,
  at: Path,
  known: string[],
  { data, body }: { data: unknown; body: Body | undefined },
): Complaint {
  const path = [...at, key];
  const where = at.length === 0 ? "" : ` in ${label(at, data)}`;
  if (LATER[at.join(".")]?.includes(key))
    return {
      path,
      code: "not-in-release",
      message: `${quote(key)}${where} is not in this release and nothing acts on it; leave it out`,
    };
  const owner = at.length === 0 ? otherBody(key, body) : undefined;
  if (owner)
    return {
      path,
      code: "foreign-key",
      message: `${quote(key)} belongs to a ${owner} loop, and this is a ${body} loop`,
    };
  return { path, code: "unknown-key", message: `${quote(key)}${where} is not known`, hint: hintForKey(key, known) };
}

function hintForKey(key: string, known: string[]): string {
  const meant = didYouMean(key, known) ?? (Object.hasOwn(HINTS, key) ? HINTS[key] : undefined);
  if (meant !== undefined) return meant;
  return known.length > KEYS_LISTED_MAX ? "`pawl schema` prints the keys" : `known here are ${listed(known, "and")}`;
}

function otherBody(key: string, body: Body | undefined): string | undefined {
  if (body === undefined) return undefined;
  return Object.entries(BODY_KEYS).find(([name, keys]) => name !== body && keys.includes(key))?.[0];
}
