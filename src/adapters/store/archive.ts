// Puts the published files of a run aside, so that its loop may start afresh in the job. Nothing is deleted or overwritten.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../ports/errors.js";

/** `record` is the path of the run's record. Returns the folder the files are in now; called again after a crash it goes on. */
export function archiveRecord(record: string, run: string): string {
  const folder = join(dirname(record), "archive", run);
  const stem = record.slice(0, -".json".length);
  mkdirSync(folder, { recursive: true });
  for (const path of [`${stem}.jsonl`, `${stem}.flow.json`, join(dirname(record), "LOOP.md"), record]) {
    const to = join(folder, path.slice(dirname(path).length + 1));
    if (!existsSync(path)) continue;
    if (existsSync(to)) throw new Refusal("archive-taken", `"${to}" is there already`, "move it away by hand");
    renameSync(path, to);
  }
  return folder;
}
