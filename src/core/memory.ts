// The text of the memory bank (`.pawl/*.md`): what in it is still open, and what Pawl adds to it. Every line of ours ends with a mark, so
// that it can be told from what people wrote, whose text is never changed, moved or cut.
import { type Line, readLines, sectionsOf } from "./outline.js";

/** In `.pawl/`. Open learnings are read from it, and notes about runs are added to it. */
export const NOTES_FILE = "activeContext.md";
/** The files of the bank, and what stands in one that was missing: a title and a hint, both ours, so that nothing is served from it. */
export const MEMORY_FILES: Readonly<Record<string, string>> = {
  "projectbrief.md": template("Project brief", "what this project is for, and what it must do"),
  "productContext.md": template("Product context", "who uses it, and what they need"),
  "systemPatterns.md": template("System patterns", "how it is built, and why so"),
  "techContext.md": template("Technical context", "what it is built with, and how it is run and tested"),
  [NOTES_FILE]: template("Active context", "what is being worked on now"),
  "spec.md": template("Specification", "what is to be built now; ticket and branch stand in front matter"),
  "tasks.md": template("Tasks", "what is to be done, one item a line"),
};
/** Characters of open learnings that are given with the first task of a run; of one line of them. */
export const LEARNINGS_CHARS_MAX = 4_000;
const LEARNINGS_LINE_CHARS_MAX = 1_000;
/** What one run may add: lines, and characters of each. */
export const LEARNED_MAX = 10;
export const LEARNED_CHARS_MAX = 200;
/** Lines about runs that are kept; older ones of ours go. */
export const RUNS_KEPT_MAX = 100;

/** What is added when a run ends. */
export interface SessionNote {
  run: string;
  /** One line. */
  line: string;
  /** One line each. */
  learned: string[];
}

const LEARNINGS = /\b(?:learnings?|lessons|decisions?)\b/i;
const SETTLED = /\b(?:closed|done|settled|resolved|archived?|past|old)\b/i;
const RUNS = /^(?:runs|session (?:notes?|log))$/i;
const isLearnings = (title: string): boolean => LEARNINGS.test(title) && !SETTLED.test(title);

/** The open learnings and decisions: what stands under headings of that name and is not ticked, struck out or a placeholder. */
export function openLearnings(text: string): string {
  const told = sectionsOf(readLines(text), isLearnings).flatMap(({ inside }) => openLines(inside));
  const lines = told.map((line) =>
    line.length <= LEARNINGS_LINE_CHARS_MAX ? line : `${line.slice(0, LEARNINGS_LINE_CHARS_MAX)} … (cut)`,
  );
  while (lines[0] === "") lines.shift();
  while (lines.at(-1) === "") lines.pop();
  return lines.some((line) => line !== "" && !/^#{1,6}\s/.test(line)) ? newest(lines) : "";
}

/** Whole lines from the end, where the newest stand. */
function newest(lines: string[]): string {
  let left = lines.length;
  let chars = 0;
  while (left > 0 && chars + (lines[left - 1] ?? "").length + 1 <= LEARNINGS_CHARS_MAX) {
    left -= 1;
    chars += (lines[left] ?? "").length + 1;
  }
  const kept = lines.slice(left).join("\n");
  return left === 0 ? kept : `(${left} earlier lines are left out; they stand in .pawl/${NOTES_FILE})\n${kept}`;
}

const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+([^\n]*)$/;
const PLACEHOLDER = /^(?:\[ \]\s*)?(?:<[^>]*>|\{[^}]*\}|\[[^\]]*\]|\(?none(?: yet)?\)?\.?|tbd|todo|n\/a|\.{3}|…|-)?$/i;

function openLines(lines: Line[]): string[] {
  const open: string[] = [];
  let hidden: number | undefined; // the indent of an item that is settled: what is deeper belongs to it
  for (const line of lines) {
    const indent = line.shown.search(/\S/);
    if (indent < 0 && line.kind === "comment") continue;
    if (hidden !== undefined && (indent < 0 || indent > hidden)) continue;
    hidden = isSettled(line) ? indent : undefined;
    if (hidden === undefined) open.push(line.shown.trimEnd());
  }
  return open.filter((line, i) => line !== "" || open[i - 1] !== "");
}

function isSettled({ shown, kind }: Line): boolean {
  const body = kind === "plain" ? ITEM.exec(shown)?.[2]?.trim() : undefined;
  return body !== undefined && (/^\[[xX]\]|^(?:\[ \]\s*)?~~.*~~$/.test(body) || PLACEHOLDER.test(body));
}

/** The text with the note in it. Added again, it changes nothing; a run that ended anew has one line, the newest. */
export function withNote(text: string, note: SessionNote): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const mine = marked("", note.run);
  let lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.every((line) => line === "")) lines = (MEMORY_FILES[NOTES_FILE] ?? "").trimEnd().split("\n");
  const known = sectionsOf(readLines(lines.join("\n")), (title) => LEARNINGS.test(title));
  const there = known.flatMap(({ inside }) => inside.map(({ shown }) => shown.toLowerCase()));
  const fresh = note.learned.filter((text) => !there.some((line) => line.includes(text.toLowerCase())));
  lines = added(
    lines,
    isLearnings,
    "Open learnings and decisions",
    fresh.map((each) => `- [ ] ${each}${mine}`),
  );
  return `${withRun(lines, `- ${note.line}${mine}`, mine).join(eol)}${eol}`;
}

function withRun(lines: string[], line: string, mine: string): string[] {
  if (lines.includes(line)) return lines;
  const isRuns = (title: string) => RUNS.test(title);
  const ours = sectionsOf(readLines(lines.join("\n")), isRuns)[0]?.inside.filter(({ text }) => isOurs(text)) ?? [];
  const before = ours.find(({ text }) => text.endsWith(mine));
  if (before) return lines.map((each, at) => (at === before.at ? line : each));
  const gone = new Set(ours.slice(0, Math.max(0, ours.length + 1 - RUNS_KEPT_MAX)).map(({ at }) => at));
  return added(
    lines.filter((_, at) => !gone.has(at)),
    isRuns,
    "Runs",
    [line],
  );
}

function added(lines: string[], matches: (title: string) => boolean, title: string, more: string[]): string[] {
  if (more.length === 0) return lines;
  const section = sectionsOf(readLines(lines.join("\n")), matches)[0];
  if (!section) return [...lines, ...(lines.at(-1) === "" ? [] : [""]), marked(`## ${title}`), "", ...more];
  const last = section.inside.findLast(({ text }) => text.trim() !== "");
  const at = (last?.at ?? section.at) + 1;
  return [...lines.slice(0, at), ...more, ...lines.slice(at)];
}

function marked(text: string, run?: string): string {
  return `${text} <!-- pawl${run === undefined ? "" : `:${run}`} -->`;
}
/** Does the line end with our mark? */
export const isOurs = (line: string): boolean => /<!-- pawl(?::[A-Za-z0-9._-]{1,200})? -->$/.test(line.trimEnd());

/** What people (and agents) wrote: without our lines, and without blank ones at the end. It is what counts as a change of the file. */
export function withoutOurs(text: string): string {
  if (!text.includes("<!-- pawl") && !text.includes("\r") && /\S\n$/.test(text)) return text;
  const lines = text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .filter((line) => !isOurs(line));
  const kept = lines.join("\n").trimEnd();
  return kept === "" ? "" : `${kept}\n`;
}

/** Lines of outputs that say what was learned or decided ("Learned: …", "Decided: …"), fit to be kept: no mark, heading or comment can be forged. */
export function learnedIn(outputs: string[]): string[] {
  const found = outputs.flatMap((output) =>
    readLines(output).flatMap(({ text, kind }) => {
      const said =
        kind === "plain" ? /^\s*(?:[-*+]\s+)?(?:\*\*)?(learned|decided):(?:\*\*)?\s*(\S[^\n]*)$/i.exec(text) : null;
      const kept = keepable(said?.[2] ?? "");
      return kept === "" ? [] : [said?.[1]?.toLowerCase() === "decided" ? keepable(`Decided: ${kept}`) : kept];
    }),
  );
  return [...new Set(found)].slice(0, LEARNED_MAX);
}

/** One line that is only text: no control characters, no HTML. */
export function keepable(text: string): string {
  const plain = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of terminals begin so
    .replace(/\u001b\[[0-9;:?]{0,32}[A-Za-z]/g, "")
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, " ")
    .replace(/<(?=[!/?A-Za-z])/g, "‹")
    .trim();
  return plain.length <= LEARNED_CHARS_MAX ? plain : `${plain.slice(0, LEARNED_CHARS_MAX - 2).trimEnd()} …`;
}

function template(title: string, hint: string): string {
  return `# ${title} <!-- pawl -->\n\n<!-- Write here: ${hint}. --><!-- pawl -->\n`;
}
