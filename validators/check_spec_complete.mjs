#!/usr/bin/env node
// Is .pawl/spec.md a specification somebody can build from, for the branch that is checked out? Looks at its form: whether
// it is the right one is for the person at the gate. One file, for it is copied into every run.
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

const SPEC = ".pawl/spec.md";
/** Must hold text. "Assumptions" and others are free. */
const SECTIONS = ["Problem", "Goal", "Acceptance criteria", "Out of scope"];
const CHECKS = {
  spec_written: writtenCheck,
  ticket_named: ticketCheck,
  branch_matches: branchCheck,
  sections_filled: sectionsCheck,
  criteria_listed: criteriaCheck,
  questions_answered: questionsCheck,
};

const told = JSON.parse(readFileSync(0, "utf8"));
const spec = readMarkdown(SPEC, "create-ticket");
const look = (check) => spec.trouble ?? check(spec, told.loop_context ?? {});
answer(
  Object.entries(CHECKS).map(([name, check]) => [name, look(check)]),
  SPEC,
);

function writtenCheck({ keys, title }) {
  if (keys === undefined) return `${SPEC} does not begin with front matter ("---", "ticket: …", "branch: …", "---")`;
  return isSaid(title) ? undefined : `${SPEC} has no title: a line "# …" below the front matter`;
}

/** "none" is an answer: many repositories have no tickets. The others only say that nobody has looked. */
function ticketCheck({ keys }) {
  const ticket = keys?.ticket ?? keys?.ticket_id ?? "";
  if (!["", "unknown", "tbd", "todo", "null", "~", "?", "-", "n/a"].includes(ticket.toLowerCase())) return undefined;
  return `"ticket:" in the front matter is ${ticket ? `"${ticket}"` : "empty"}; write the id of the ticket, or none where there is no ticket system`;
}

function branchCheck({ keys }, context) {
  return branchTrouble(keys, context);
}

function sectionsCheck({ sections }) {
  const empty = SECTIONS.filter((name) => !(sections.get(keyOf(name)) ?? []).some(isSaid));
  return empty.length ? `nothing is said under ${empty.map((name) => `"## ${name}"`).join(", ")}` : undefined;
}

function criteriaCheck({ sections }) {
  const criteria = criteriaOf(sections);
  if (!criteria.length) return 'no criterion under "## Acceptance criteria" has the form "- AC-1: what can be seen"';
  const empty = criteria.filter(({ said }) => !said).map(({ id }) => id);
  if (empty.length) return `${empty.join(", ")} under "## Acceptance criteria" says nothing`;
  const twice = criteria.map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) !== i);
  return twice.length ? `${twice.join(", ")} is there twice; every criterion has its own number` : undefined;
}

/** A plan that is made over an open question is a guess. */
function questionsCheck({ sections }) {
  const open = openEntries(sections.get("open questions"));
  if (!open) return 'there is no "## Open questions" with an entry; write "- none" where nothing is open';
  return open.length ? `still open: ${open.join("; ")}` : undefined;
}

// What follows stands in several validators, for each is one file: test/delivery/validators.test.ts keeps the copies alike.

/** Prints the answer: one entry a check, `trouble` (what is wrong) makes it fail. */
function answer(checks, subject) {
  const told = checks.map(([name, trouble]) => ({ name, pass: !trouble, ...(trouble ? { message: trouble } : {}) }));
  const failed = told.filter((check) => !check.pass).map((check) => check.name);
  const causes = new Set(told.flatMap((check) => check.message ?? []));
  const [cause, other] = causes; // one cause is said once
  const why = other === undefined && cause ? cause : `${subject}: not yet ${failed.join(", ")}`;
  const message = failed.length ? why : `${subject}: all is there`;
  process.stdout.write(`${JSON.stringify({ pass: failed.length === 0, message, checks: told })}\n`);
}

/** `keys` is undefined without front matter; `sections` are the lines under each `## heading`, by its name in lower case. */
function readMarkdown(path, skill) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { trouble: `there is no ${path}; the skill "${skill}" writes it` };
  if (!stat.isFile() || stat.size > 1 << 20) return { trouble: `${path} is no plain file of at most 1 MiB` };
  const text = readFileSync(path, "utf8")
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ""); // comments are no text
  const [whole = "", head] = /^---\n([\s\S]*?)\n?---(?:\n|$)/.exec(text) ?? [];
  const lines = linesOf(text.slice(whole.length));
  const heads = lines.flatMap(({ text: line, fenced }, at) => {
    const [, marks, name] = (!fenced && /^(#{1,2})\s+(.*)$/.exec(line)) || [];
    return marks ? [{ at, level: marks.length, name: name.trim() }] : [];
  });
  const sections = new Map();
  for (const [i, { at, name }] of heads.entries()) {
    const under = lines.slice(at + 1, heads[i + 1]?.at ?? lines.length).map((line) => line.text);
    sections.set(keyOf(name), [...(sections.get(keyOf(name)) ?? []), ...under]);
  }
  const title = heads.find(({ level }) => level === 1)?.name ?? "";
  return { keys: head === undefined ? undefined : keysOf(head), title, sections };
}

/** What stands in a fence is text, but no heading. */
function linesOf(body) {
  let fence = "";
  return body.split("\n").map((text) => {
    const [, mark = ""] = /^ {0,3}(```+|~~~+)/.exec(text) ?? [];
    const fenced = fence !== "" || mark !== "";
    if (mark !== "" && fence === "") fence = mark;
    else if (mark !== "" && mark.startsWith(fence)) fence = "";
    return { text, fenced };
  });
}

/** `key: value` lines; quotes and comments are taken off. */
function keysOf(head) {
  const pairs = head.split("\n").flatMap((line) => {
    const [, key, rest = ""] = /^([\w-]+):(?:\s+(.*))?$/.exec(line) ?? [];
    const [, , quoted] = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(rest) ?? [];
    return key === undefined ? [] : [[key, quoted ?? rest.replace(/(^|\s)#.*$/, "").trim()]];
  });
  return Object.fromEntries(pairs);
}

function keyOf(name) {
  return name
    .replace(/[*_`:]/g, "")
    .replace(/^\d+[.)]\s+/, "")
    .trim()
    .toLowerCase();
}

/** Something is said: not only marks, and not a word that stands for "later". */
function isSaid(line) {
  const plain = line
    .replace(/^[\s>]*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]?\])?/, "")
    .replace(/[*_`]/g, "")
    .trim();
  if (/^(?:tbd|todo|xxx|fixme|fill(?: me)? in|\[needs clarification.*)[.:!]*$/i.test(plain)) return false;
  return /[\p{L}\p{N}]/u.test(plain);
}

/** The criteria of the spec: `- AC-1: what can be seen`. Text may go on in indented lines. */
function criteriaOf(sections) {
  const form = /^\s{0,3}(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?[*_]{0,2}(AC-\d+)[*_]{0,2}\s*[:.][*_]{0,2}(.*)$/;
  return (sections.get("acceptance criteria") ?? []).flatMap((line, i, lines) => {
    const [, id, text] = form.exec(line) ?? [];
    return id === undefined ? [] : [{ id, said: isSaid(text) || /^\s{2,}\S/.test(lines[i + 1] ?? "") }];
  });
}

/** List entries that are neither "none" nor ticked. Undefined: there is no entry at all. */
function openEntries(lines = []) {
  const entries = lines.filter((line) => /^\s{0,3}[-*+](?:\s|$)/.test(line));
  const open = entries.filter((line) => !/^\s*[-*+]\s+(?:none\b|\[[xX]\]\s)/i.test(line));
  const told = open.map(
    (line) =>
      line
        .replace(/^\s*[-*+]\s*/, "")
        .trim()
        .slice(0, 200) || "an empty entry",
  );
  return entries.length ? told : undefined;
}

/** What is wrong with the front matter's `branch:`. The branch may be younger than the run, so git is asked. */
function branchTrouble(keys, { branch }) {
  const asked = spawnSync("git", ["symbolic-ref", "--quiet", "--short", "HEAD"], { encoding: "utf8" });
  const now = asked.status === 0 ? asked.stdout.trim() : asked.error ? branch : undefined;
  if (!now) return "no branch is checked out here; make one with: git switch -c NAME";
  const named = keys?.branch ?? "";
  if (named === now) return undefined;
  return `"branch:" in the front matter is ${named ? `"${named}"` : "empty"}, and "${now}" is checked out`;
}
