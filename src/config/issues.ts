// What is wrong with a text an author wrote: where it stands, what is wrong, how to mend it.
import { clean } from "./suggest.js";

export type IssueCode = keyof typeof ISSUE_CODES;
export interface Issue {
  code: IssueCode;
  /** The file, as the caller named it. */
  path: string;
  /** Both count from 1. */
  line: number;
  col: number;
  message: string;
  /** How to mend it, without brackets: `did you mean "warn"?`. */
  hint?: string;
  severity: "error" | "warning";
}

/** Every code with its meaning in one line; the reference is made from this table. */
export const ISSUE_CODES = {
  // The text.
  "file-too-large": "The file has more bytes than a loop file may have; it is not parsed.",
  "not-yaml": "The text is not YAML 1.2.",
  "duplicate-key": "One key is written twice in the same place.",
  "yaml-feature":
    "The text uses a part of YAML that is not read: tags, directives, several documents, keys that are no text.",
  "too-many-aliases": "The aliases of the file expand to more than is allowed.",
  "too-deep": "The values are nested deeper than any loop needs.",
  "empty-file": "The file holds no keys.",
  "not-a-map": "The file is a list or a single value, not keys and values.",
  // The keys and their values.
  "unknown-key": "The key is not known where it stands.",
  "missing-key": "A required key is missing.",
  "wrong-body": "The file has none, or more than one, of the bodies skills, steps, doer/reviewer and nodes.",
  "not-in-release": "The key is known, but nothing in this release acts on it.",
  "wrong-type": "The value has the wrong form: text for a number, a map for a list.",
  "out-of-range": "The number is outside its range.",
  "unknown-word": "The word is not one of those the key knows.",
  "bad-name": "The name has characters, or a length, that a name may not have.",
  "bad-path": "The path leaves the folder it must stay in.",
  "bad-value": "The value has the right type but breaks a rule of its key.",
  "wrong-kind": "A step or node has none, several, or an empty one of the keys that say what it does.",
  "foreign-key": "The key belongs to another kind of step, node or loop.",
  "missing-partner": "Two keys go together and one of them is missing, or they exclude each other.",
  "duplicate-name": "Two things of one kind have the same name.",
  "not-acted-upon": "The value is accepted but nothing acts on it in this release.",
  // The loop as a whole.
  "unknown-step": "A route or start names a step or node that does not exist.",
  "unknown-loop": "A loop that is named does not exist.",
  "unknown-skill": "A skill that is named does not exist.",
  "unknown-validator": "A validator that is named does not exist.",
  "unknown-agent": "An agent that is named does not exist.",
  "unknown-action": "An action that is named is not registered.",
  "unknown-hook": "A hook that is named is not registered.",
  "unknown-condition": "A condition that is named is not registered.",
  "bad-parameter": "A parameter is unknown to its hook or action, or has the wrong type.",
  "unknown-placeholder": "A template names a value that nothing fills in.",
  "missing-document": "A document that is named does not exist.",
  "missing-variable": "An environment variable that is named is not set.",
  unreachable: "No route leads to the step or node.",
  "no-way-out": "A step or node can end in a way that no route takes up.",
  "dead-route": "A route waits for an outcome that nothing produces.",
  "unpaid-way-back": "A way back has no `retry: true` and is bounded by the hidden budget only.",
  endless: "The loop could go round for ever.",
  "name-differs": "The loop's name is not the name of its file.",
  shadowed: "The file is ignored, for a bundled loop has its name.",
} as const satisfies Record<string, string>;

/** In the order of the file; errors before warnings in one place. */
export function sortIssues(issues: readonly Issue[]): Issue[] {
  const rank = (issue: Issue) => (issue.severity === "error" ? 0 : 1);
  return [...issues].sort((a, b) => a.line - b.line || a.col - b.col || rank(a) - rank(b));
}

/** One line for people: `loops/dev.yaml:7:3 "x" must be …, not "y" (did you mean "z"?)`. */
export function formatIssue(issue: Issue): string {
  const hint = issue.hint === undefined ? "" : ` (${issue.hint})`;
  const warning = issue.severity === "warning" ? "warning: " : "";
  return clean(`${issue.path}:${issue.line}:${issue.col} ${warning}${issue.message}${hint}`);
}
