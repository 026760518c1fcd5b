// Reads a journal's bytes: whole lines, numbered without a gap, each carrying the sha256 of the one before. Pure of files.
import { hash } from "node:crypto";
import { FaultError } from "../../ports/errors.js";
import type { Line } from "../../ports/store.js";

/** What the first line carries. */
export const NO_LINE = "0".repeat(64);
const NEWLINE = 10;

export interface Chain {
  lines: Line[];
  /** sha256 of the last whole line: what the next one must carry. */
  head: string;
  /** Number of the last whole line. */
  seq: number;
  /** Bytes of the whole lines; what follows is a torn tail. */
  wholeBytes: number;
}

/** Throws a FaultError ("journal-broken") that names the first line that was changed, removed or added. */
export function readChain(bytes: Buffer, path: string, after = 0): Chain {
  const wholeBytes = wholeBytesOf(bytes);
  const chain: Chain = { lines: [], head: NO_LINE, seq: 0, wholeBytes };
  let previous: Buffer | undefined;
  for (let start = 0; start < wholeBytes; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end);
    chain.seq += 1;
    if (chain.seq > after) {
      chain.head = previous === undefined ? NO_LINE : digestOf(previous);
      chain.lines.push(readLine(line, chain, path));
    }
    previous = line;
    start = end + 1;
  }
  if (previous !== undefined) chain.head = digestOf(previous);
  return chain;
}

/** As it stands in the file: the same line always gives the same bytes, so a line read back gives the same digest. */
export const textOfLine = (line: Line): string => JSON.stringify(line);
export const digestOf = (line: Uint8Array | string): string => hash("sha256", line);
/** The record's `head`: the digest of a line that was read or written. */
export const headOf = (line: Line): string => digestOf(textOfLine(line));

/** A write that a power failure cut leaves no newline, or blocks of zeros before it; JSON never holds a zero byte. */
function wholeBytesOf(bytes: Buffer): number {
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  if (whole === 0) return 0;
  const start = whole < 2 ? 0 : bytes.lastIndexOf(NEWLINE, whole - 2) + 1;
  return bytes.subarray(start, whole).includes(0) ? start : whole;
}

function readLine(bytes: Buffer, due: { seq: number; head: string }, path: string): Line {
  const { seq, head } = due;
  const value = parse(bytes);
  if (value === undefined) throw broken(path, seq, "is no JSON object");
  if (value.seq !== seq) {
    const found = JSON.stringify(value.seq) ?? "none";
    throw broken(path, seq, `carries the number ${found} where ${seq} is due; a line was removed, added or moved`);
  }
  if (value.prev !== head) {
    if (seq === 1) throw broken(path, seq, "is not the first of its journal; lines before it were removed");
    throw broken(
      path,
      seq - 1,
      `has the digest ${head.slice(0, 12)}, but line ${seq} was written after ${short(value.prev)}`,
    );
  }
  for (const key of ["at", "by", "type", "place"]) {
    if (typeof value[key] !== "string") throw broken(path, seq, `has no text "${key}"`);
  }
  // The engine wrote it: the chain says so, and what an event says is the fold's to judge.
  return value as unknown as Line;
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // narrowed in the line above
  } catch {
    return undefined;
  }
}

const short = (value: unknown): string => (typeof value === "string" ? value.slice(0, 12) : "no digest");

export function broken(path: string, line: number, what: string): FaultError {
  return new FaultError({
    code: "journal-broken",
    message: `${path}:${line} ${what}`,
    hint: "the journal was changed by hand or damaged: bring it back from a copy (the published .jsonl of the run, a backup) and ask again",
    details: { path, line },
  });
}
