#!/usr/bin/env node
// Is every phase done, and does .pawl/validation.md show for every criterion of the spec where its proof lies? Looks at what can be
// counted: boxes, ids, files, commits. No word of praise in any file changes its answer. One file, for it is copied into every run.
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

const SPEC = ".pawl/spec.md";
const PLAN = ".pawl/tasks.md";
const REPORT = ".pawl/validation.md";

const { loop_context: context = {} } = JSON.parse(readFileSync(0, "utf8"));
const spec = readMarkdown(SPEC, "create-ticket");
const plan = readMarkdown(PLAN, "plan");
const report = readMarkdown(REPORT, "validate");
const lines = report.trouble ? [] : evidenceOf(report.sections);
answer(
  [
    ["phases_ticked", plan.trouble ?? phasesCheck()],
    ["criteria_shown", spec.trouble ?? report.trouble ?? criteriaCheck()],
    ["files_exist", report.trouble ?? filesCheck()],
    ["report_current", report.trouble ?? currentCheck()],
    ["findings_closed", report.trouble ?? findingsCheck()],
  ],
  "the work and its spec",
);

function phasesCheck() {
  const boxes = phasesOf(plan.sections)
    .flatMap((phase) => phase.boxes)
    .filter(({ optional }) => !optional);
  if (!boxes.length) return `${PLAN} has no task under a heading "## Phase 1: …"`;
  const open = boxes.filter(({ ticked }) => !ticked).map(({ text }) => text.slice(0, 200));
  return open.length ? `${open.length} of ${boxes.length} tasks are open: ${open.slice(0, 5).join("; ")}` : undefined;
}

function criteriaCheck() {
  const criteria = criteriaOf(spec.sections).map(({ id }) => id);
  if (!criteria.length) return `${SPEC} has no criterion of the form "- AC-1: …"`;
  const shown = new Set(lines.filter(({ met, files }) => met && files.length).map(({ id }) => id));
  const missing = criteria.filter((id) => !shown.has(id));
  if (!missing.length) return undefined;
  return `${missing.join(", ")} ${missing.length === 1 ? "has" : "have"} no line "- AC-1: met: …" with a file in backticks under "## Criteria" of ${REPORT}`;
}

/** A proof is a file of this tree: one that is not there proves nothing, nor does one that lies elsewhere. */
function filesCheck() {
  const named = [...new Set(lines.flatMap(({ files }) => files))];
  if (!named.length) return `${REPORT} names no file`;
  const missing = named.filter((path) => !isInTree(path));
  return missing.length ? `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not in this tree` : undefined;
}
function isInTree(path) {
  if (path.startsWith("/") || path.split("/").includes("..")) return false;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

/** A report about another branch or another commit says nothing about this tree. What lies in .pawl is about the work, not the work. */
function currentCheck() {
  const trouble = branchTrouble(report.keys, context);
  if (trouble) return `${REPORT}: ${trouble}`;
  const commit = report.keys?.commit ?? "";
  if (!/^[0-9a-f]{7,64}$/.test(commit))
    return `"commit:" in the front matter of ${REPORT} is no commit; write what "git rev-parse HEAD" says`;
  const args = ["diff", "--name-only", "--no-ext-diff", "--no-textconv", commit, "HEAD", "--", ".", ":(exclude).pawl"];
  const asked = spawnSync("git", args, { encoding: "utf8", maxBuffer: 16 << 20 });
  if (asked.status !== 0) return `${REPORT} is about commit ${commit}, which is not known here`;
  const changed = asked.stdout.split("\n").filter(Boolean);
  if (!changed.length) return undefined;
  const head = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim();
  return `${REPORT} is about commit ${commit.slice(0, 12)}, and HEAD is ${head.slice(0, 12)}: ${changed.slice(0, 5).join(", ")} changed since; validate again`;
}

function findingsCheck() {
  const open = openEntries(report.sections.get("findings"));
  if (!open) return `${REPORT} has no "## Findings" with an entry; write "- none" where nothing was found`;
  return open.length ? `still open: ${open.join("; ")}` : undefined;
}

/** `- AC-1: met: …` with the files in backticks, each perhaps with a line: `test/a.test.js:12`. */
function evidenceOf(sections) {
  return (sections.get("criteria") ?? []).flatMap((line) => {
    const [, id, word, rest = ""] =
      /^\s{0,3}[-*+]\s+[*_]{0,2}(AC-\d+)[*_]{0,2}\s*:[*_]{0,2}\s*(met|not met)\b(.*)$/i.exec(line) ?? [];
    if (id === undefined) return [];
    const quoted = [...rest.matchAll(/`([^`\s]+)`/g)].map(([, text]) => text.replace(/:\d+(?:[-:]\d+)?$/, ""));
    return [{ id, met: word.toLowerCase() === "met", files: quoted.filter((text) => /[./]/.test(text)) }];
  });
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
