// The conversations of the built-in agent, kept with the run so that a turn can go on in one.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "ai";

export function readHistory(folder: string, session: string): ModelMessage[] | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(pathOf(folder, session), "utf8"));
    return Array.isArray(kept) ? (kept as ModelMessage[]) : undefined; // ours: the library refuses what is no message
  } catch {
    return undefined;
  }
}

/** A disk that takes no more ends the keeping, not the work. */
export function keepHistory(folder: string, session: string, history: ModelMessage[]): void {
  const path = pathOf(folder, session);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.tmp`, JSON.stringify(history), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  } catch {
    // the next turn then says that the session is gone, and a fresh one gets the whole prompt
  }
}

const pathOf = (folder: string, session: string): string => join(folder, `llm-${session}.json`);
