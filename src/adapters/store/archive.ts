// Puts the published files of a run aside, so that its loop may start afresh in the job. Nothing is deleted or overwritten.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../ports/errors.js";

export interface Archived {
  /** Where the record and the journal are now. Absolute. */
  folder: string;
  /** The old history, under its new name; absent where there was none. Absolute. */
  loopMd?: string;
  /** Files as they were and as they are now. Absolute. */
  moved: { from: string; to: string }[];
}

/** `record` is the path of the run's record, `at` an ISO time. Called again after a crash it goes on; the record goes last. */
export function archiveRecord(record: string, run: string, at: string): Archived {
  const folder = join(dirname(record), "archive", run);
  const stem = record.slice(0, -".json".length);
  const loopMd = join(dirname(record), "LOOP.md");
  mkdirSync(folder, { recursive: true });
  const kept = existsSync(loopMd) ? freeName(`${loopMd}.killed-${at.replace(/[-:]|\.\d+/g, "")}`) : undefined;
  const moved = [`${stem}.jsonl`, `${stem}.flow.json`, record].map((from) => ({
    from,
    to: join(folder, from.slice(dirname(from).length + 1)),
  }));
  const all = [...(kept ? [{ from: loopMd, to: kept }] : []), ...moved].filter(({ from }) => existsSync(from));
  for (const { from, to } of all) {
    if (existsSync(to)) throw new Refusal("archive-taken", `"${to}" is there already`, "move it away by hand");
    renameSync(from, to);
  }
  return { folder, ...(kept ? { loopMd: kept } : {}), moved: all };
}

/** Two resets within a second have two names. */
export function freeName(path: string): string {
  let name = path;
  for (let n = 2; existsSync(name); n++) name = `${path}.${n}`;
  return name;
}
