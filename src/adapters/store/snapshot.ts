// run.json: a cache for readers. Never half there, never needed: the journal decides.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../core/model.js";
import { replaceQuickly } from "./disk.js";

/** Raised whenever the shape of a run changes: a snapshot of another release is none. */
const SNAPSHOT_SCHEMA = 2;

export interface Snapshot {
  /** Of the last line it knows. */
  seq: number;
  /** Digest of that line: it is stale, or of another journal, where this is not the digest found there. */
  head: string;
  run: Run;
}

export function writeSnapshot(folder: string, snapshot: Snapshot, token: string): void {
  // not synced: what a power failure makes of it is read as none
  replaceQuickly(join(folder, "run.json"), `${JSON.stringify({ schema: SNAPSHOT_SCHEMA, ...snapshot })}\n`, token);
}

/** Undefined when it is missing, cut off or not what it should be: then fold the journal. */
export function readSnapshot(folder: string): Snapshot | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
    if (!isSnapshot(found)) return undefined;
    const { seq, head, run } = found;
    return { seq, head, run };
  } catch {
    return undefined;
  }
}

export const hasSnapshot = (folder: string): boolean => existsSync(`${folder}/run.json`);

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== "object" || value === null) return false;
  const { schema, seq, head, run } = value as Record<string, unknown>; // an object, as the line above says
  if (schema !== SNAPSHOT_SCHEMA) return false;
  if (typeof head !== "string" || typeof run !== "object" || run === null) return false;
  return Number.isSafeInteger(seq) && (run as Record<string, unknown>).seq === seq; // an object too
}
