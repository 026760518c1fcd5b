// Which lines of a Markdown text are spoken by its author: not fenced, quoted, indented code or commented out.
// Linear in the length of the text whatever it holds: agents write it.

export interface Line {
  /** What is left of the line when comments are taken away. */
  text: string;
  /** Counted from 1. */
  at: number;
  in: "text" | "fence" | "quote" | "comment" | "code";
}
export interface Markdown {
  lines: Line[];
  /** A fence, comment or quoting element that is never closed, and the line that opens it. */
  unclosed?: { what: "fence" | "comment" | "quote"; at: number };
}

export function readMarkdown(text: string): Markdown {
  const raw = text.split(/\r\n|\n|\r/);
  const scan: Scan = {
    open: { in: "text" },
    lastClose: raw.findLastIndex((line) => line.includes("-->")),
    code: false,
  };
  scan.blankBefore = true;
  const lines = raw.map((line, i) => readLine(scan, line.replace(/^\uFEFF/, ""), i));
  const { open } = scan;
  return open.in === "text" ? { lines } : { lines, unclosed: { what: open.in, at: open.at } };
}

type Open =
  | { in: "text" }
  | { in: "fence"; mark: string; size: number; column: number; at: number }
  | { in: "quote"; close: string; at: number }
  | { in: "comment"; at: number };
interface Scan {
  open: Open;
  /** Index of the last line that can close a comment. */
  lastClose: number;
  blankBefore?: boolean;
  code: boolean;
  inList?: boolean;
}

function readLine(scan: Scan, raw: string, index: number): Line {
  const { open } = scan;
  const at = index + 1;
  switch (open.in) {
    case "fence":
      if (closes(raw, open)) scan.open = { in: "text" };
      return { text: raw, at, in: "fence" };
    case "quote":
      if (raw.toLowerCase().includes(open.close)) scan.open = { in: "text" };
      return { text: raw, at, in: "quote" };
    case "comment": {
      const end = raw.indexOf("-->");
      if (end < 0) return { text: "", at, in: "comment" };
      scan.open = { in: "text" };
      const rest = withoutComments(scan, raw.slice(end + 3), index);
      return { text: rest, at, in: rest.trim() ? "text" : "comment" };
    }
    case "text":
      return readFreeLine(scan, raw, index);
  }
}

function readFreeLine(scan: Scan, raw: string, index: number): Line {
  const at = index + 1;
  const afterBlank = scan.blankBefore || scan.code;
  scan.blankBefore = raw.trim() === "";
  if (scan.blankBefore) return { text: raw, at, in: "text" };
  const column = columnOf(raw);
  scan.code = column >= 4 && afterBlank && !scan.inList;
  if (scan.code) return { text: raw, at, in: "code" };
  if (LIST_ITEM.test(raw)) scan.inList = true;
  else if (column < 2) scan.inList = false;
  if (raw.trimStart().startsWith(">")) return { text: raw, at, in: "quote" };
  const opened = opens(raw, at);
  if (opened) scan.open = opened;
  if (opened) return { text: raw, at, in: opened.in === "fence" ? "fence" : "quote" };
  const text = withoutComments(scan, raw, index);
  return { text, at, in: text.trim() ? "text" : "comment" };
}

const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
const QUOTING = /^ {0,3}<(pre|blockquote|script|style|textarea)[\s>]/i;

function opens(raw: string, at: number): Exclude<Open, { in: "text" | "comment" }> | undefined {
  const [whole = "", fence = ""] = FENCE.exec(raw) ?? [];
  const mark = fence.charAt(0);
  // a line of three backticks that holds more of them is a code span, not a fence
  if (mark && !(mark === "`" && raw.includes("`", whole.length)))
    return { in: "fence", mark, size: fence.length, column: columnOf(raw, whole.length - fence.length), at };
  const [, element] = QUOTING.exec(raw) ?? [];
  const close = element ? `</${element.toLowerCase()}>` : "";
  return close && !raw.toLowerCase().includes(close) ? { in: "quote", close, at } : undefined;
}

function closes(raw: string, open: { mark: string; size: number; column: number }): boolean {
  const fence = raw.trim();
  if (fence.length < open.size || columnOf(raw) > open.column + 3) return false;
  for (const char of fence) if (char !== open.mark) return false;
  return true;
}

/** The column where the text begins, or the one of character `upTo`; a tab goes to the next multiple of four. */
function columnOf(raw: string, upTo?: number): number {
  let column = 0;
  for (let i = 0; i < (upTo ?? raw.length); i++) {
    const char = raw[i];
    if (upTo === undefined && char !== " " && char !== "\t") break;
    column = char === "\t" ? column + 4 - (column % 4) : column + 1;
  }
  return column;
}

function withoutComments(scan: Scan, raw: string, index: number): string {
  if (!raw.includes("<!--")) return raw;
  const spans = codeSpans(raw);
  let out = "";
  let from = 0;
  let next = 0;
  for (let i = raw.indexOf("<!--"); i >= 0; i = raw.indexOf("<!--", i)) {
    while ((spans[next]?.end ?? i + 1) <= i) next++;
    const span = spans[next];
    if (span && span.start <= i) {
      i = span.end;
      continue;
    }
    const end = raw.indexOf("-->", i + 2);
    // in the middle of a line that nothing closes, it is only characters
    if (end < 0 && raw.slice(0, i).trim() !== "" && scan.lastClose <= index) break;
    out += raw.slice(from, i);
    from = end < 0 ? raw.length : end + 3;
    if (end < 0) scan.open = { in: "comment", at: index + 1 };
    i = from;
  }
  return out + raw.slice(from);
}

/** `like this`: from a run of backticks to the next run of the same length. */
function codeSpans(raw: string): { start: number; end: number }[] {
  const runs = [...raw.matchAll(/`+/g)].map((run) => ({ at: run.index, size: run[0].length }));
  const partner = new Map<number, number>();
  const next = runs.map(() => -1);
  for (let k = runs.length - 1; k >= 0; k--) {
    const size = runs[k]?.size ?? 0;
    next[k] = partner.get(size) ?? -1;
    partner.set(size, k);
  }
  const spans: { start: number; end: number }[] = [];
  for (let k = 0; k < runs.length; k++) {
    const [open, close] = [runs[k], runs[next[k] ?? -1]];
    if (!open || !close) continue;
    spans.push({ start: open.at, end: close.at + close.size });
    k = next[k] ?? k;
  }
  return spans;
}
