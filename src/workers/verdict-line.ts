// What one line says as a verdict: nothing, a declared word, or something that cannot be read.
// Every scan goes forward only, so a line of a megabyte costs a megabyte.
import type { VerdictFile } from "../core/model.js";

export type Says =
  | { outcome: string; status: "pass" | "block"; caveat?: string }
  /** `empty`: the line names no word at all. */
  | { unreadable: string; empty?: true };
interface Word {
  text: string;
  status: "pass" | "block";
  outcome: string;
}
export interface Words {
  /** Longest first: "APPROVED WITH WARNINGS" is asked before "APPROVED". */
  all: Word[];
  /** What a negated pass means: the worst block, if one is declared. */
  block: Word | undefined;
}

export function wordsOf(file: VerdictFile): Words {
  const all = Object.entries(file.words)
    .map(([word, means]): Word => ({ text: canonical(word), status: means.status, outcome: means.outcome }))
    .filter((word) => word.text !== "");
  const block = all.findLast((word) => word.status === "block");
  return { all: all.toSorted((a, b) => b.text.length - a.text.length), block };
}
/** Case does not matter; blanks, "_" and "-" inside a word are equal. */
const canonical = (word: string): string =>
  word
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();

/** Undefined: this is no verdict line. */
export function saysOf(raw: string, words: Words): Says | undefined {
  if (!/v/i.test(raw)) return undefined;
  // a control character may not hide that this is a verdict line, nor may such a line be trusted
  const joined = raw.replace(JOINED, "$1");
  const line = joined.replace(INVISIBLE, "").normalize("NFC");
  const rest = afterKeyword(line);
  if (!rest) return undefined;
  const { sign, text } = rest;
  if (text === "") return sign === ":" ? { unreadable: "names no word", empty: true } : undefined;
  const says = declared(text, words) ?? negated(text, words);
  if (sign !== ":") return says && { unreadable: `has "${sign}" where a colon belongs` };
  if (joined.search(INVISIBLE) >= 0) return { unreadable: "holds control characters" };
  return says ?? { unreadable: "names no declared word as a whole" };
}

const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}]/gu;
/** Several signs that are drawn as one. */
const JOINED = /(\p{Extended_Pictographic}\uFE0F?\p{EMod}?)(?:\u200D\p{Extended_Pictographic}\uFE0F?)+/gu;
const DECORATION = /[#*_`+\s-]/;
const LIST_NUMBER = /\d{1,9}[.)]/y;
/** One sign in front: a tick, a bullet, an arrow. Quotation marks, brackets, bars, "~" and "!" mean something and are none. */
const SYMBOL = /[\p{So}\p{Extended_Pictographic}•‣·◦→⇒=]\uFE0F?\p{EMod}?/uy;
const KEYWORD = /(?:verdict|veredicto)(?![\p{L}\p{N}])/iuy;
const SIGN = /[:：=–—-]/;

function afterKeyword(line: string): { sign: string; text: string } | undefined {
  let i = skip(line, 0, DECORATION);
  for (const mark of [LIST_NUMBER, SYMBOL]) i = skip(line, stepOver(mark, line, i), DECORATION);
  const end = stepOver(KEYWORD, line, i);
  if (end === i) return undefined;
  const at = skip(line, end, /[*_`\s]/);
  const sign = line.charAt(at);
  return SIGN.test(sign) ? { sign, text: line.slice(skip(line, at + 1, /[*_`\s]/)).trimEnd() } : undefined;
}

function skip(line: string, from: number, chars: RegExp): number {
  let i = from;
  while (i < line.length && chars.test(line.charAt(i))) i++;
  return i;
}
function stepOver(mark: RegExp, line: string, from: number): number {
  mark.lastIndex = from;
  return mark.test(line) ? mark.lastIndex : from;
}

function declared(text: string, words: Words): Says | undefined {
  for (const word of words.all) {
    const end = endOf(word, text, 0);
    const tail = end === undefined ? undefined : readTail(text, end, word, words);
    if (tail) return { outcome: word.outcome, status: word.status, ...(word.status === "pass" ? tail : {}) };
  }
  return undefined;
}

const NEGATIONS = new Set(["not", "no", "non", "never", "cannot"]);
const FILLERS = new Set(
  "it this does do did is are was has have had can could will would should must may be been a the yet to".split(" "),
);
/** Words that may stand before a negated pass: "has not yet been APPROVED". */
const FILLERS_MAX = 6;

/** "NOT PASS" and "does not pass" fail; "NOT FAIL" and "NOT NOT PASS" say nothing. */
function negated(text: string, words: Words): Says | undefined {
  const token = /\p{L}{1,12}(?:['’]t)?/uy;
  let negations = 0;
  let i = 0;
  for (let n = 0; n < FILLERS_MAX; n++) {
    const end = stepOver(token, text, i);
    const word = text.slice(i, end).toLowerCase().replace("’", "'");
    if (NEGATIONS.has(word) || word.endsWith("n't") || word === "can't") negations++;
    else if (!FILLERS.has(word)) return undefined;
    i = skip(text, end, /[*_`\s-]/);
    const pass = negations === 1 ? passAt(text, i, words) : false;
    if (pass && words.block) return { outcome: words.block.outcome, status: "block" };
  }
  return undefined;
}
const passAt = (text: string, from: number, words: Words): boolean =>
  words.all.some((word) => {
    const end = word.status === "pass" ? endOf(word, text, from) : undefined;
    return end !== undefined && readTail(text, end, word, words) !== undefined;
  });

/** Where the word ends in the text, if it begins at `from`. */
function endOf(word: Word, text: string, from: number): number | undefined {
  let i = from;
  for (const char of word.text) {
    const next = char === " " ? skip(text, i, /[\s_-]/) : i + char.length;
    if (next === i || (char !== " " && text.slice(i, next).toLowerCase() !== char)) return undefined;
    i = next;
  }
  return i;
}

/** What follows the word: nothing, a mark, a sentence of its own, or a caveat. Anything else makes it another word. */
function readTail(text: string, end: number, word: Word, words: Words): { caveat?: string } | undefined {
  const i = skip(text, end, /[#*_`\s]/);
  if (i >= text.length) return {};
  const [char, next] = [text.charAt(i), text.charAt(i + 1)];
  if (char === "!") return skip(text, i, /[!*_`\s]/) >= text.length ? {} : undefined;
  if (char === ".") {
    const after = text.charAt(skip(text, i + 1, /[*_`]/));
    return after === "" || /\s/.test(after) ? {} : undefined;
  }
  const opens = /[,;–—―−([{（]/.test(char) || (char === "-" && /[\s-]/.test(next));
  return opens ? readCaveat(text.slice(i + 1), word, words) : undefined;
}

function readCaveat(rest: string, word: Word, words: Words): { caveat: string } | undefined {
  const caveat = rest
    .slice(skip(rest, 0, /[-*_`\s]/))
    .slice(0, CAVEAT_CHARS_MAX)
    .replace(/[*_`\s)\]}）]{1,20}$/, "");
  const claim = caveat.slice(stepOver(/(?:or|and)\s|[/|]\s?/iy, caveat, 0));
  // "PASS, FAIL" and "PASS (not)" are no conditions but contradictions
  const another = words.all.some((each) => {
    const end = each.status === word.status ? undefined : endOf(each, claim, 0);
    return end !== undefined && !/[\p{L}\p{N}]/u.test(claim.charAt(end));
  });
  return caveat === "" || another || /^(?:not|no)\W*$/i.test(caveat) ? undefined : { caveat };
}
const CAVEAT_CHARS_MAX = 2_000;
