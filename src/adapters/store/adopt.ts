// Takes over a run another clone published: its journal, verified, becomes the journal here. Nothing of the record decides.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { FaultError, Refusal } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { Frozen, FrozenFile } from "../../ports/store.js";
import { type Chain, readChain } from "./chain.js";
import { frozenIn, makeRun, mapFiles } from "./frozen.js";
import { JOURNAL_BYTES_MAX } from "./journal.js";
import { thisMachine } from "./machine.js";
import { isRunId, partsOfJob } from "./names.js";
import type { PublishedFile } from "./records.js";

/** Folders and files looked at in search of a published run. */
const ENTRIES_MAX = 100_000;
/** Bytes of a published flow with the files frozen in it. */
const FLOW_BYTES_MAX = 64 << 20;

export type Adopted =
  | { did: "adopted"; run: string; loop: string; events: number; from: string }
  /** The run is here, with this history or a longer one. */
  | { did: "nothing"; run: string; why: "not-published" | "known-here" };

export interface AdoptSetting {
  home: string;
  /** `<workspace>/.pawl/jobs`. */
  jobsFolder: string;
  /** Where the adopted run goes on. */
  workspace: string;
  /** Of this clone's git: those of the other clone say nothing here. */
  signposts?: Record<string, string>;
  token?: () => string;
  at?: FailPoint;
}

/** Refusal ("different-history") when a run of that id is here with other events; Fault ("journal-broken") when the chain is. */
export function adoptPublished(setting: AdoptSetting, run: string): Adopted {
  const { home, jobsFolder, workspace, signposts, token = thisMachine().token, at = () => undefined } = setting;
  const found = isRunId(run) ? published(jobsFolder, run) : undefined;
  if (found === undefined) return { did: "nothing", run, why: "not-published" };
  const journal = bytesOf(found, JOURNAL_BYTES_MAX);
  const place = join(home, "runs", run);
  if (existsSync(place)) {
    refuseOther(readFileSync(join(place, "journal.jsonl")), journal, run, found);
    return { did: "nothing", run, why: "known-here" };
  }
  const theirs = flowOf(found.replace(/\.jsonl$/, ".flow.json"), run, workspace);
  const frozen = { ...theirs, start: { ...theirs.start, ...(signposts ? { signposts } : {}) } };
  const chain = readChain(journal, found);
  refuseStranger(chain, frozen, journal, found);
  const contents = mapFiles(frozen.files, contentsOf);
  makeRun({ frozen, place, journal, contents, token: token(), at });
  return { did: "adopted", run, loop: frozen.flow.name, events: chain.seq, from: found };
}

export interface HereToo {
  jobsFolder: string;
  /** Of the run that is here. */
  runFolder: string;
  run: string;
  loop: string;
  job: string;
  /** False: no clone has published a journal of it, as ours tells, so there is none anywhere but where it would be. */
  isPublished: boolean;
}

/** Of a run that is here, without a look into every job: its publication is where it was made, unless the job was renamed elsewhere.
 *  Refusal ("different-history") as above. */
export function refuseOtherHistory({ jobsFolder, runFolder, run, loop, job, isPublished }: HereToo): void {
  const parts = partsOfJob(job);
  const usual = join(jobsFolder, ...(typeof parts === "string" ? [] : parts), `${loop}-${run}.jsonl`);
  const found = isFile(usual) ? usual : isPublished ? published(jobsFolder, run) : undefined;
  if (found === undefined) return;
  refuseOther(readFileSync(join(runFolder, "journal.jsonl")), bytesOf(found, JOURNAL_BYTES_MAX), run, found);
}

/** Whatever stands in the way of looking, there is no file to look at. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** The one `<loop>-<run>.jsonl` below the folder. Links are not followed. */
function published(jobsFolder: string, run: string): string | undefined {
  const folders = [jobsFolder];
  const found: string[] = [];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      looked += 1;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      if (entry.isFile() && entry.name.endsWith(`-${run}.jsonl`)) found.push(join(folder, entry.name));
    }
    if (looked > ENTRIES_MAX)
      throw new Refusal("too-many-records", `${jobsFolder} holds more than ${ENTRIES_MAX} entries`, "archive old jobs");
  }
  if (found.length <= 1) return found[0];
  throw new Refusal(
    "ambiguous-run",
    `run "${run}" is published more than once: ${found.join(", ")}`,
    "remove the copy that is not it",
  );
}

/** A publication that was spoiled says nothing about the run here; it is written anew at the next checkpoint. */
function isWhole(journal: Buffer, from: string): boolean {
  try {
    return readChain(journal, from).wholeBytes === journal.length;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}

/** One history may be the beginning of the other only where ours is the longer one: lines are never added without the lock. */
function refuseOther(ours: Buffer, theirs: Buffer, run: string, from: string): void {
  if (ours.subarray(0, theirs.length).equals(theirs) || !isWhole(theirs, from)) return;
  const isBehind = theirs.subarray(0, ours.length).equals(ours);
  const what = isBehind ? "goes on where the run here stops" : "tells another history than the run here";
  const hint = isBehind
    ? "somebody else carried it on: go on where they did, or move the run here away and adopt theirs"
    : "two people carried the same run on: keep one, and abandon the other or move it away";
  throw new Refusal("different-history", `the published journal ${from} of run "${run}" ${what}`, hint);
}

/** The journal, its flow and its names must belong to one another. */
function refuseStranger(chain: Chain, frozen: Frozen, journal: Buffer, from: string): void {
  const first = chain.lines[0];
  const isOne = first?.type === "started" && first.run === frozen.run && first.digest === frozen.flow.digest;
  if (isOne && chain.wholeBytes === journal.length && from.endsWith(`${frozen.flow.name}-${frozen.run}.jsonl`)) return;
  throw broken(
    from,
    isOne
      ? "is cut off or has another loop's name"
      : "does not begin with the start of the run its .flow.json describes",
  );
}

function flowOf(path: string, run: string, workspace: string): Frozen {
  const frozen = frozenIn(bytesOf(path, FLOW_BYTES_MAX).toString("utf8"));
  if (frozen?.run !== run) throw broken(path, `is not the frozen flow of run "${run}"`);
  const { elsewhere: _theirs, ...rest } = frozen; // a folder of another machine
  const files = mapFiles(rest.files, ({ from, ...file }): FrozenFile => {
    const isWithin = typeof from === "string" && !isAbsolute(from) && !from.split(/[/\\]/).includes("..");
    return isWithin ? { ...file, from: join(workspace, from) } : file;
  });
  return { ...rest, files, start: { ...rest.start, workspace } };
}

function contentsOf({ text, base64, digest }: PublishedFile, name: string): Uint8Array {
  const bytes =
    typeof text === "string" ? Buffer.from(text) : Buffer.from(typeof base64 === "string" ? base64 : "", "base64");
  if (createHash("sha256").update(bytes).digest("hex") === digest) return bytes;
  throw broken(name, "is a frozen file whose published text has another digest");
}

function bytesOf(path: string, most: number): Buffer {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > most) throw broken(path, "is missing, no plain file or too long");
  return readFileSync(path);
}

const broken = (path: string, what: string): FaultError =>
  new FaultError({
    code: "journal-broken",
    message: `${path} ${what}`,
    hint: "get the published files of the run again (git pull), then ask again",
  });
