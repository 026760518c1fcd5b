// run.json: a cache for readers. Never half there, never needed: the journal decides.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../core/model.js";
import { replaceDurably } from "./disk.js";

export interface Snapshot {
  /** Of the last line it knows. */
  seq: number;
  /** Digest of that line: it is stale, or of another journal, where this is not the digest found there. */
  head: string;
  run: Run;
}

export function writeSnapshot(folder: string, snapshot: Snapshot, token: string): void {
  replaceDurably(join(folder, "run.json"), `${JSON.stringify(snapshot)}\n`, token);
}

/** Undefined when it is missing, cut off or not what it should be: then fold the journal. */
export function readSnapshot(folder: string): Snapshot | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
    return isSnapshot(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== "object" || value === null) return false;
  const { seq, head, run } = value as Record<string, unknown>; // an object, as the line above says
  if (typeof head !== "string" || typeof run !== "object" || run === null) return false;
  return Number.isSafeInteger(seq) && (run as Record<string, unknown>).seq === seq; // an object too
}
