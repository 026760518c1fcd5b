// Reads the published records of one job: which runs it has had, and which files cannot be trusted to say. Never writes.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPending } from "../../core/job.js";
import { codeOf, diskFault } from "./disk.js";

/** The words of a record's `status`; another word is refused by name. */
export const STATUS_WORDS = ["pending", "running", "paused", "iterating", "validating", "complete", "failed"] as const;
export type StatusWord = (typeof STATUS_WORDS)[number];
/** Bytes of one record. */
export const RECORD_BYTES_MAX = 16 << 20;

export interface FoundRecord {
  /** Name of the file in the job's folder. */
  file: string;
  loop: string;
  run: string;
  status: StatusWord;
  /** Everything in it, as plain data. */
  record: Record<string, unknown>;
}
export interface Scan {
  records: FoundRecord[];
  /** Files that may be a run's and cannot be read as one: the caller must not go on as if they were not there. */
  unreadable: { file: string; why: string }[];
}

/** Passes over JSON that lacks the marks of a run (`loop_name`, `task_id`, `status`); names what is cut off or odd. */
export function scanRecords(jobFolder: string): Scan {
  const scan: Scan = { records: [], unreadable: [] };
  for (const file of candidatesIn(jobFolder)) {
    const found = readRecord(jobFolder, file);
    if (typeof found === "string") scan.unreadable.push({ file, why: found });
    else if (found !== undefined) scan.records.push(found);
  }
  return scan;
}

/** Jobs that have no ticket or branch yet, by the folders they are in. */
export function pendingJobsIn(jobsFolder: string): string[] {
  try {
    const entries = readdirSync(jobsFolder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isPending(entry.name) ? [entry.name] : [])).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return [];
    throw diskFault(error, "read", jobsFolder);
  }
}

function candidatesIn(folder: string): string[] {
  try {
    if (!lstatSync(folder, { throwIfNoEntry: false })) return []; // a job that has had no run
    const names = readdirSync(folder);
    return names.filter((name) => /^[^.].*\.json$/s.test(name) && !name.endsWith(".flow.json")).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return [];
    throw diskFault(error, "read", folder);
  }
}

/** Undefined: no record of a run. A text: why it cannot be read. */
function readRecord(folder: string, file: string): FoundRecord | string | undefined {
  const text = textOf(join(folder, file));
  if ("why" in text) return text.why;
  const record = parsed(text.text);
  if (record === "broken") return "is cut off or not valid JSON";
  if (record === undefined || !["loop_name", "task_id", "status"].every((mark) => Object.hasOwn(record, mark)))
    return undefined;
  const { loop_name: loop, task_id: run, status } = record;
  if (typeof loop !== "string" || typeof run !== "string") return 'its "loop_name" or "task_id" is no text';
  const word = STATUS_WORDS.find((known) => known === status);
  if (word === undefined)
    return `its status is ${JSON.stringify(status)?.slice(0, 100)}, not one of ${STATUS_WORDS.join(", ")}`;
  return { file, loop, run, status: word, record };
}

function parsed(text: string): Record<string, unknown> | "broken" | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>; // narrowed in the line above
  } catch {
    return "broken";
  }
}

/** Follows no link and waits at no pipe: the folder is anybody's. */
function textOf(path: string): { text: string } | { why: string } {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { why: "is no plain file" };
    if (stat.size > RECORD_BYTES_MAX) return { why: `is longer than ${RECORD_BYTES_MAX} bytes` };
    return { text: readFileSync(fd, "utf8") };
  } catch (error) {
    return { why: codeOf(error) === "ELOOP" ? "is a symbolic link" : `cannot be read: ${codeOf(error)}` };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
