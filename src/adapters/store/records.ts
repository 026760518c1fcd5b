// The published record under `.pawl/jobs`: for people and reviewers. Agents can write there, so nothing found there is followed.
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { isReadable } from "../../core/loop-md.js";
import { Refusal } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { Frozen, FrozenFile, Records } from "../../ports/store.js";
import { freeName } from "./archive.js";
import { diskFault, replaceDurably, replaceQuickly } from "./disk.js";
import { InTheWay, keptFolder } from "./folders.js";
import { mapFiles, readFrozen } from "./frozen.js";
import { readJournal } from "./journal.js";
import { type Machine, thisMachine } from "./machine.js";
import { partsOfJob, wrongWithPart } from "./names.js";
import { renameFolder } from "./rename.js";

type Place = Parameters<Records["pathOf"]>[0];
export interface RecordsSetting extends Partial<Pick<Machine, "pid" | "token" | "startTimeOf">> {
  workspace: string;
  /** The store's: where the journal to publish is. */
  runFolder(run: string): string;
  at?: FailPoint;
}
/** A frozen file as it is published, so that another clone can make the run again. */
export interface PublishedFile extends FrozenFile {
  text?: string;
  base64?: string;
}

export function openRecords(setting: RecordsSetting): Records {
  const { workspace, runFolder, at = () => undefined, pid, token, startTimeOf } = { ...thisMachine(), ...setting };
  const root = realpathSync(workspace);
  const swept = new Set<string>();
  const mark = token();
  let writes = 0;
  const write = (place: Place, files: Record<string, string | Uint8Array>, isDurable: boolean): void => {
    const { path } = keptFolder(root, [...JOBS, ...partsOf(place)]);
    for (const [name, bytes] of Object.entries(files)) {
      refuseStranger(path, name, pathOf(place));
      if (!swept.has(name)) sweep(path, name, startTimeOf); // once: what a Pawl before us left
      swept.add(name);
      (isDurable ? replaceDurably : replaceQuickly)(join(path, name), bytes, `${pid}-${mark}-${++writes}`);
    }
  };
  /** What lies there and was never ours, or is ours no longer, is kept under another name: nothing of it is overwritten. */
  const putAside = (place: Place): void => {
    const folder = keptFolder(root, [...JOBS, ...partsOf(place)]).path;
    refuseStranger(folder, LOOP_MD, pathOf(place));
    const path = join(folder, LOOP_MD);
    const { size = 0 } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    const isOurs = size <= ARTIFACT_BYTES_MAX && existsSync(path) && isReadable(readFileSync(path, "utf8"));
    if (existsSync(path) && !isOurs) renameSync(path, freeName(`${path}.bak`));
  };
  const pathOf = (place: Place): string => join(root, ...JOBS, ...partsOf(place), `${nameOf(place)}.json`);
  return {
    pathOf,
    rename: async (from, to) => {
      try {
        const left = renameFolder(root, [...JOBS, ...folderOf(from)], [...JOBS, ...folderOf(to)], at);
        const names = left.map((name) => JSON.stringify(name)).join(", ");
        return left.length ? `${names} stays in ".pawl/jobs/${from}", for ".pawl/jobs/${to}" has one too` : undefined;
      } catch (error) {
        return `the files of job ${JSON.stringify(from)} are not moved to ".pawl/jobs/${to}": ${whyNot(error, root)}`;
      }
    },
    publish: (place, record, loopMd) =>
      said(root, place, () => {
        at("record:before");
        const files = { [`${nameOf(place)}.json`]: `${JSON.stringify(record, null, 2)}\n` };
        if (loopMd !== undefined && !swept.has(LOOP_MD)) putAside(place); // once, when the loop is started or goes on
        write(place, loopMd === undefined ? files : { ...files, [LOOP_MD]: loopMd }, false);
        at("record:after");
      }),
    publishReviews: (place, reviews) => said(root, place, () => write(place, reviews, false)),
    publishJournal: (place) =>
      said(root, place, () => {
        const folder = runFolder(place.run);
        const path = join(folder, "journal.jsonl");
        const whole = readFileSync(path).subarray(0, readJournal(path).wholeBytes);
        const flow = `${JSON.stringify(publishedFlow(readFrozen(folder, place.run)), null, 1)}\n`;
        write(place, { [`${nameOf(place)}.jsonl`]: whole, [`${nameOf(place)}.flow.json`]: flow }, true);
      }),
  };
}

/** Without the paths of this machine: `from` is told from the workspace, or not at all. */
function publishedFlow(frozen: Frozen): object {
  const { elsewhere: _ours, ...rest } = frozen;
  const files = mapFiles(frozen.files, (file): PublishedFile => {
    const bytes = readFileSync(file.path);
    const text = bytes.toString("utf8");
    const contents = Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString("base64") };
    const from = file.from === undefined ? "" : relative(frozen.start.workspace, file.from);
    const isWithin = from !== "" && !isAbsolute(from) && !from.split(/[/\\]/).includes("..");
    return { path: `frozen/${basename(file.path)}`, digest: file.digest, ...contents, ...(isWithin ? { from } : {}) };
  });
  return { ...rest, start: { ...rest.start, workspace: "" }, files };
}

const LOOP_MD = "LOOP.md";
const nameOf = ({ loop, run }: Place): string => `${loop}-${run}`;

const JOBS = [".pawl", "jobs"];

function folderOf(job: string): string[] {
  const parts = partsOfJob(job);
  if (typeof parts === "string") throw new Refusal("bad-job", parts);
  return parts;
}

function partsOf(place: Place): string[] {
  const parts = folderOf(place.job);
  const wrong = wrongWithPart(nameOf(place));
  if (wrong !== undefined)
    throw new Refusal("bad-job", `${JSON.stringify(nameOf(place))} cannot name a file: ${wrong}`);
  return parts;
}

/** A rename would put our file in a link's place; but whoever put the link there should hear of it. */
function refuseStranger(folder: string, name: string, shown: string): void {
  const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const what = found.isDirectory() ? "a folder" : found.isSymbolicLink() ? "a symbolic link" : "no plain file";
  throw new InTheWay(`"${name}" beside ${shown} is ${what}; remove it`);
}

/** What a kill between write and rename left behind. */
export function sweep(folder: string, name: string, startTimeOf: Machine["startTimeOf"]): void {
  for (const found of readdirSync(folder)) {
    if (!found.startsWith(`${name}.`) || !found.endsWith(".tmp")) continue;
    const pid = /^(\d{1,10})-/.exec(found.slice(name.length + 1))?.[1];
    if (pid !== undefined && startTimeOf(Number(pid)) === undefined) rmSync(join(folder, found), { force: true });
  }
}

/** Must not throw: a record that cannot be written stops no run. */
async function said(root: string, place: Place, write: () => void): Promise<string | undefined> {
  const shown = JSON.stringify(`.pawl/jobs/${place.job}/${nameOf(place)}.json`);
  try {
    write();
    return undefined;
  } catch (error) {
    const why = whyNot(error, root);
    return error instanceof InTheWay || error instanceof Refusal ? `the record ${shown} is not written: ${why}` : why;
  }
}

function whyNot(error: unknown, root: string): string {
  const fault = diskFault(error, "write the record of the run in", root);
  return fault instanceof Error ? fault.message : String(fault);
}
