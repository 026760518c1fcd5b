#!/usr/bin/env node
// Is .pawl/tasks.md a plan that can be carried out phase by phase, for this branch and for every criterion of the spec? Looks at its
// form: whether it is a good plan is for the person at the gate. One file, for it is copied into every run.
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

const PLAN = ".pawl/tasks.md";
const SPEC = ".pawl/spec.md";
const CHECKS = {
  plan_written: writtenCheck,
  plan_current: ({ keys }, context) => branchTrouble(keys, context),
  phases_numbered: numbersCheck,
  tasks_listed: tasksCheck,
  criteria_planned: criteriaCheck,
};

const told = JSON.parse(readFileSync(0, "utf8"));
const plan = readMarkdown(PLAN, "plan");
const look = (check) => plan.trouble ?? check(plan, told.loop_context ?? {});
answer(
  Object.entries(CHECKS).map(([name, check]) => [name, look(check)]),
  PLAN,
);

function writtenCheck({ keys, title, sections }) {
  if (keys === undefined) return `${PLAN} does not begin with front matter ("---", "ticket: …", "branch: …", "---")`;
  if (!isSaid(title)) return `${PLAN} has no title: a line "# …" below the front matter`;
  return (sections.get("approach") ?? []).some(isSaid) ? undefined : 'nothing is said under "## Approach"';
}

/** Whoever implements "the next phase" must know which that is. */
function numbersCheck({ sections }) {
  const phases = phasesOf(sections);
  if (!phases.length) return 'there is no heading of the form "## Phase 1: name"';
  const nameless = phases.filter(({ name }) => !isSaid(name)).map(({ number }) => number);
  if (nameless.length) return `phase ${nameless.join(", ")} has no name`;
  const wrong = phases.findIndex(({ number }, i) => number !== i + 1);
  return wrong < 0 ? undefined : `phase ${phases[wrong].number} stands where phase ${wrong + 1} belongs`;
}

function tasksCheck({ sections }) {
  const phases = phasesOf(sections);
  if (!phases.length) return "there is no phase, so there is no task";
  const empty = phases.filter(({ boxes }) => !boxes.some(({ text }) => isSaid(text))).map(({ number }) => number);
  if (empty.length) return `phase ${empty.join(", ")} has no task of the form "- [ ] what is to be done"`;
  const blank = phases.filter(({ boxes }) => boxes.some(({ text }) => !isSaid(text))).map(({ number }) => number);
  return blank.length ? `phase ${blank.join(", ")} has a box that says nothing` : undefined;
}

function criteriaCheck({ sections }) {
  const spec = readMarkdown(SPEC, "create-ticket");
  if (spec.trouble) return spec.trouble;
  const criteria = criteriaOf(spec.sections).map(({ id }) => id);
  if (!criteria.length) return `${SPEC} has no criterion of the form "- AC-1: …" to plan for`;
  const planned = new Set(
    phasesOf(sections).flatMap(({ boxes }) => boxes.flatMap(({ text }) => text.match(/AC-\d+/g) ?? [])),
  );
  const missing = criteria.filter((id) => !planned.has(id));
  return missing.length
    ? `no task names ${missing.join(", ")}; write it behind the task that fulfils it: (AC-1)`
    : undefined;
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

/** What is wrong with the front matter's `branch:`. The branch may be younger than the run, so git is asked. */
function branchTrouble(keys, { branch }) {
  const asked = spawnSync("git", ["symbolic-ref", "--quiet", "--short", "HEAD"], { encoding: "utf8" });
  const now = asked.status === 0 ? asked.stdout.trim() : asked.error ? branch : undefined;
  if (!now) return "no branch is checked out here; make one with: git switch -c NAME";
  const named = keys?.branch ?? "";
  if (named === now) return undefined;
  return `"branch:" in the front matter is ${named ? `"${named}"` : "empty"}, and "${now}" is checked out`;
}

/** The boxes of the phases: `## Phase 1: name`, below it `- [ ] task`. What lies under "(optional)" need not be ticked. */
function phasesOf(sections) {
  return [...sections].flatMap(([key, lines]) => {
    const [, number, name = ""] = /^phase\s+(\d+)\b[\s.–—-]*(.*)$/.exec(key) ?? [];
    if (number === undefined) return [];
    let left = name.includes("(optional)"); // as far as a heading of the third level says otherwise
    const boxes = lines.flatMap((line) => {
      const [, heading] = /^#{3,6}\s+(.*)$/.exec(line) ?? [];
      if (heading !== undefined) left = /\(optional\)/i.test(`${name} ${heading}`);
      const [, mark, text = ""] = /^[\s>]*(?:[-*+]|\d+[.)])\s+\[(.?)\](?:\s+(.*))?$/.exec(line) ?? [];
      return mark === undefined ? [] : [{ ticked: /x/i.test(mark), optional: left, text: text.trim() }];
    });
    return [{ number: Number(number), name, boxes }];
  });
}
