// What a review complains about: the lists under its headings "Blockers" and "Warnings", and the print that sees repeats.
import type { Finding } from "../core/model.js";
import { keyOf, normalLines, oneLine, printOfLines } from "./findings.js";
import { type Line, readMarkdown } from "./markdown.js";
import { saysOf, wordsOf } from "./verdict-line.js";

/** What stands in for the list of a review that blocks and gives none. It has no part in the print. */
export const WITHOUT_REASON: Finding = { text: "blocked without a reason given", severity: "error" };

/** Blockers are errors, warnings are warnings. A block without blockers stays one and says so. */
export function readReview(text: string, status: "pass" | "block"): Finding[] {
  const findings = itemsOf(text).map(findingOf);
  const reasonGiven = status === "pass" || findings.some((each) => each.severity === "error");
  return reasonGiven ? findings : [WITHOUT_REASON, ...findings];
}

/** The lines that are compared: sorted, lower case, without repeats, blank lines, list markers and times. A finding that
 *  names its place and rule is compared by them alone, however it is worded. */
export function normalise(text: string): string {
  const lines = itemsOf(text).flatMap((item) => {
    const finding = findingOf(item);
    return finding.rule ? [keyOf(finding)] : item.lines;
  });
  return normalLines(lines).join("\n");
}

/** 12 hex digits of the sha256 of the normalised lists; NO_FINDINGS_PRINT when they are empty. */
export const printOf = (text: string, sha256: (text: string) => string): string =>
  printOfLines([normalise(text)], sha256);

interface Item {
  severity: "error" | "warning";
  lines: string[];
}
interface Section {
  severity: Item["severity"];
  /** A heading's level; 7 for a line in bold, which any heading ends. */
  level: number;
}

function itemsOf(text: string): Item[] {
  const items: Item[] = [];
  let section: Section | undefined;
  let begins = true;
  for (const line of readMarkdown(text).lines) {
    const heading = headingOf(line);
    if (heading) {
      if (heading.section) section = { ...heading.section, level: heading.level };
      else if (section && heading.level <= section.level) section = undefined;
      begins = true;
    }
    const content = heading ? heading.rest : line.text;
    if (!section || line.in === "comment") continue;
    begins = addLine(items, section, content, line, begins);
  }
  return items.filter((item) => !NOTHING.test(oneLine(item.lines.join(" ").replace(MARKER, ""))));
}

/** A list item of the outer list, or a paragraph, begins a new finding; what is indented or follows belongs to it. */
function addLine(items: Item[], { severity }: Section, content: string, line: Line, begins: boolean): boolean {
  if (content.trim() === "") return line.in === "text" ? true : begins;
  if (line.in === "text" && (RULE_LINE.test(content) || saysOf(content, NO_WORDS))) return begins;
  const indented = /^(?: {2}|\t)/.test(content);
  const last = items.at(-1);
  const fresh = line.in === "text" && !indented && (begins || MARKER.test(content));
  if (last && last.severity === severity && !fresh) last.lines.push(content);
  else items.push({ severity, lines: [content] });
  return false;
}

const NO_WORDS = wordsOf({ artifact: "", words: {}, reading: "last" });
const MARKER = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const RULE_LINE = /^\s{0,3}(?:[-*_]\s?){3,}$/;
const NOTHING =
  /^[\s*_`(-]*(?:none|nothing|nil|n\/a|no (?:blockers?|warnings?|findings)|[—–-])?(?: found| left)?[\s*_`).!-]*$/i;

interface Heading {
  level: number;
  section?: { severity: Item["severity"] };
  /** Text behind the colon of a line in bold. */
  rest: string;
}
const HASHES = /^ {0,3}(#{1,6})\s+/;
const BOLD = /^\s{0,3}(?:\*\*|__)([^*_]{1,80}?)(?:\*\*|__)\s*(:?)(.*)$/;
const NAME =
  /^[^\p{L}\p{N}]{0,8}(?:\d{1,3}[.)]\s*)?[^\p{L}\p{N}]{0,8}(blockers?|warnings?)\b\s*(?:\(\d{1,6}\))?[\s:*_#]{0,20}$/iu;

function headingOf(line: Line): Heading | undefined {
  if (line.in !== "text") return undefined;
  const [whole = "", hashes = ""] = HASHES.exec(line.text) ?? [];
  if (hashes) return { level: hashes.length, ...sectionOf(line.text.slice(whole.length)), rest: "" };
  const [, name = "", colon, rest = ""] = BOLD.exec(line.text) ?? [];
  const isName = name !== "" && (colon === ":" || name.trimEnd().endsWith(":") || rest.trim() === "");
  const named = isName ? sectionOf(name) : sectionOf(/^\s{0,3}[\p{L} ]{1,40}:\s*$/u.test(line.text) ? line.text : "");
  if (named.section) return { level: 7, ...named, rest };
  // another line in bold that is nothing but a name ends what a line in bold began
  return isName && rest.trim() === "" && !MARKER.test(line.text) ? { level: 7, rest: "" } : undefined;
}
function sectionOf(name: string): { section?: { severity: Item["severity"] } } {
  const word = NAME.exec(name)?.[1]?.toLowerCase();
  if (!word) return {};
  return { section: { severity: word.startsWith("block") ? "error" : "warning" } };
}

/** "- src/cart.ts:12 [rounding]: the total is not rounded" names its place and its rule. */
const STRUCTURED = /^`?([\w@./-]{0,500}[./][\w@./-]{0,500}(?::\d{1,9}){0,2})`?:?\s{1,8}\[([^\]\n]{1,100})\]:?\s*/;

function findingOf({ severity, lines }: Item): Finding {
  const [first = "", ...more] = lines;
  const told = first.replace(MARKER, "").trim();
  const [whole = "", where, rule] = STRUCTURED.exec(told) ?? [];
  const text = [told.slice(whole.length), ...more.map((line) => line.trimEnd())].join("\n").trim();
  return { text: text || told, ...(where && rule ? { where, rule: rule.trim() } : {}), severity };
}
