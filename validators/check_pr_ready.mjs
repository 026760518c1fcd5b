#!/usr/bin/env node
// Could this branch be merged by somebody who only sees the pull request? Looks at git and at .pawl/pr.md, offline: whether the pull
// request is open, and green, is for the forge to say. One file, for it is copied into every run.
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

const DRAFT = ".pawl/pr.md";
const SECTIONS = ["Why", "What changed", "How it was checked"];
const TITLE_CHARS_MAX = 100;
/** Records of the pull request that are read. */
const RECORDS_MAX = 500;
/** Of a record; the run that asks is one of them. */
const UNFINISHED = ["pending", "running", "iterating", "validating"];

const NO_BASE = "the base branch is not known here; name it in .pawl/config.yaml: branch_base";

const { loop_context: context = {} } = JSON.parse(readFileSync(0, "utf8"));
const config = keysOf(textOf(".pawl/config.yaml"));
const base = baseBranch();
const draft = readMarkdown(DRAFT, "draft-pr-description");
answer(
  [
    ["own_branch", ownBranchCheck()],
    ["tree_clean", cleanCheck()],
    ["commits_ahead", aheadCheck()],
    ["records_ended", recordsCheck()],
    ["pr_described", draft.trouble ?? describedCheck()],
  ],
  "the pull request",
);

/** Nothing of the repository's settings is run, and nothing is written. */
function git(...args) {
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const asked = spawnSync("git", [...safe, ...args], { encoding: "utf8", maxBuffer: 64 << 20 });
  return asked.status === 0 ? asked.stdout : undefined;
}
function textOf(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= 1 << 20 ? readFileSync(path, "utf8") : "";
}

/** The branch of the settings, what the remote calls its own, or the usual ones; `ref` is what git knows of it here. */
function baseBranch() {
  const remote = git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    ?.trim()
    .replace(/^origin\//, "");
  for (const name of [config.branch_base, remote, "main", "master"].filter(Boolean)) {
    const refs = [`refs/remotes/origin/${name}`, `refs/heads/${name}`];
    const ref = refs.find((each) => git("rev-parse", "--quiet", "--verify", `${each}^{commit}`) !== undefined);
    if (ref) return { name, ref };
  }
  return undefined;
}

function ownBranchCheck() {
  const now = git("symbolic-ref", "--quiet", "--short", "HEAD")?.trim();
  if (!now) return "no branch is checked out here; make one with: git switch -c NAME";
  if (!base) return NO_BASE;
  if (now !== base.name && now !== config.production_branch) return undefined;
  return `"${now}" is checked out, where pull requests lead; the work belongs on a branch of its own`;
}

/** Pawl's own records are left out: the one of this run is being written. */
function cleanCheck() {
  const status = git("status", "--porcelain", "-z", "--untracked-files=all", "--", ".", ":(exclude).pawl/jobs");
  if (status === undefined) return "git cannot be asked here";
  const paths = status
    .split("\0")
    .filter((entry) => /^.. /.test(entry))
    .map((entry) => entry.slice(3));
  if (!paths.length) return undefined;
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : "";
  return `not committed: ${paths.slice(0, 10).join(", ")}${more}`;
}

function aheadCheck() {
  if (!base) return NO_BASE;
  const count = Number(git("rev-list", "--count", `${base.ref}..HEAD`) ?? 0);
  return count > 0 ? undefined : `the branch has no commit that "${base.name}" has not`;
}

/** As they are in the commits, for that is what is merged. */
function recordsCheck() {
  if (!base) return NO_BASE;
  const listed = git("diff", "--name-only", "-z", "--diff-filter=d", `${base.ref}...HEAD`, "--", ".pawl/jobs");
  if (listed === undefined) return `the branch and "${base.name}" have no common commit`;
  const paths = listed.split("\0").filter((path) => path.endsWith(".json") && !path.endsWith(".flow.json"));
  if (paths.length > RECORDS_MAX) return `more than ${RECORDS_MAX} records are in this pull request`;
  const bad = paths.flatMap((path) => {
    const status = statusOf(git("cat-file", "blob", `HEAD:${path}`));
    return status === undefined || UNFINISHED.includes(status) ? [`${path} (${status ?? "unreadable"})`] : [];
  });
  return bad.length ? `committed before they had ended: ${bad.slice(0, 10).join(", ")}` : undefined;
}
function statusOf(text) {
  try {
    const { status } = JSON.parse(text);
    return typeof status === "string" ? status : undefined;
  } catch {
    return undefined;
  }
}

function describedCheck() {
  const { keys, title, sections } = draft;
  const trouble = branchTrouble(keys, context);
  if (trouble) return `${DRAFT}: ${trouble}`;
  if (!isSaid(title)) return `${DRAFT} has no title: a line "# …" below the front matter`;
  if (title.length > TITLE_CHARS_MAX)
    return `the title in ${DRAFT} has ${title.length} characters; at most ${TITLE_CHARS_MAX} are read`;
  const empty = SECTIONS.filter((name) => !(sections.get(keyOf(name)) ?? []).some(isSaid));
  return empty.length ? `${DRAFT} says nothing under ${empty.map((name) => `"## ${name}"`).join(", ")}` : undefined;
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

/** What is wrong with the front matter's `branch:`. The branch may be younger than the run, so git is asked. */
function branchTrouble(keys, { branch }) {
  const asked = spawnSync("git", ["symbolic-ref", "--quiet", "--short", "HEAD"], { encoding: "utf8" });
  const now = asked.status === 0 ? asked.stdout.trim() : asked.error ? branch : undefined;
  if (!now) return "no branch is checked out here; make one with: git switch -c NAME";
  const named = keys?.branch ?? "";
  if (named === now) return undefined;
  return `"branch:" in the front matter is ${named ? `"${named}"` : "empty"}, and "${now}" is checked out`;
}
