// One marked block in a file that belongs to people. Nothing outside the marks is ever touched: not a byte, not a line end.
import type { BlockStyle, Trace } from "./model.js";

export type Edited = { text: string | undefined; trace: Trace | undefined } | { left: string };

const BEGIN: Record<BlockStyle, string> = {
  markdown: '<!-- pawl:begin, written by "pawl init": put nothing between these marks -->',
  hash: '# pawl:begin, written by "pawl init": put nothing between these marks',
  toml: '# pawl:begin, written by "pawl init": put nothing between these marks',
};
const END: Record<BlockStyle, string> = { markdown: "<!-- pawl:end -->", hash: "# pawl:end", toml: "# pawl:end" };

/** Puts the block where it stands already, else at the end. `text` undefined: there is no file. */
export function putBlock(text: string | undefined, body: string, style: BlockStyle, old: Trace | undefined): Edited {
  const place = findBlock(text ?? "", style);
  if (place === "broken") return { left: BROKEN };
  const eol = eolOf(place ? (text ?? "").slice(place.start, place.end) : (text ?? "")); // people's may be mixed
  const block = [BEGIN[style], ...body.trimEnd().split("\n"), END[style]].join(eol);
  if (text === undefined) return { text: block + eol, trace: { made: true } };
  if (place) return { text: text.slice(0, place.start) + block + text.slice(place.end), trace: old ?? {} };
  const before = gapAfter(text, eol);
  return { text: text + before + block + eol, trace: before === "" ? {} : { before } };
}

/** Gives the text back as it was before the block came, as far as people left it so. */
export function takeBlock(text: string | undefined, style: BlockStyle, old: Trace | undefined): Edited {
  const place = findBlock(text ?? "", style);
  if (place === "broken") return { left: BROKEN };
  if (text === undefined || !place) return { text, trace: undefined };
  const gap = old?.before !== undefined && /^[\r\n]{0,4}$/.test(old.before) ? old.before : "";
  const head = text.slice(0, place.start);
  const tail = text.slice(place.end).replace(/^\r?\n/, "");
  // people who wrote below the block have the gap for themselves now
  const rest = (tail === "" && head.endsWith(gap) ? head.slice(0, head.length - gap.length) : head) + tail;
  return { text: rest === "" && old?.made ? undefined : rest, trace: undefined };
}

/** The text of the block without its marks; undefined when there is none. */
export function findBlock(text: string, style: BlockStyle): { start: number; end: number } | "broken" | undefined {
  const begins = [...text.matchAll(LINES[style].begin)];
  const ends = [...text.matchAll(LINES[style].end)];
  if (begins.length === 0 && ends.length === 0) return undefined;
  const [begin] = begins;
  const [end] = ends;
  if (begins.length !== 1 || ends.length !== 1 || !begin || !end || end.index < begin.index) return "broken";
  return { start: begin.index, end: end.index + end[0].length };
}

const BROKEN = "has marks of Pawl that do not belong together: it needs one pawl:begin before one pawl:end, or neither";

const HASHES = { begin: /^# pawl:begin\b[^\r\n]*/gm, end: /^# pawl:end\b[^\r\n]*/gm };
const LINES: Record<BlockStyle, { begin: RegExp; end: RegExp }> = {
  markdown: { begin: /^<!-- pawl:begin\b[^\r\n]*?-->/gm, end: /^<!-- pawl:end\b[^\r\n]*?-->/gm },
  hash: HASHES,
  toml: HASHES,
};

/** The line end people use here. */
export const eolOf = (text: string): string => (/^[^\n]*\r\n/.test(text) ? "\r\n" : "\n");

/** What makes one empty line between people's text and ours. */
function gapAfter(text: string, eol: string): string {
  if (text === "" || text.endsWith(eol + eol)) return "";
  return text.endsWith("\n") ? eol : eol + eol;
}
