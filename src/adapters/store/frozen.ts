// Makes a run's folder, whole or not at all, and reads back what was frozen in it.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Recent } from "../../core/recent.js";
import { FaultError, Refusal } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { Frozen, FrozenFile } from "../../ports/store.js";
import { codeOf, discard, diskFault, makeFolder, syncFolder, writeNew } from "./disk.js";
import { encodeName } from "./names.js";

/** Bytes of one file that is copied into a run. */
export const FROZEN_FILE_BYTES_MAX = 16 << 20;
/** A folder half made is a crash's leftover after this. */
const LEFTOVER_MS = 3_600_000;

export interface NewRun {
  frozen: Frozen;
  /** Where `runs/<run>` is to be. */
  place: string;
  /** The whole journal of a run that is adopted; empty for a new one. */
  journal: Uint8Array;
  /** Contents of the frozen files, where they are not read from their paths. */
  contents?: Record<string, Uint8Array>;
  token: string;
  at: FailPoint;
}

/** Durable before it returns. Refusal "run-exists" when the place is taken. */
export function makeRun(made: NewRun): void {
  const { frozen, place, token, at } = made;
  const base = frozen.elsewhere ?? dirname(dirname(place));
  const real = frozen.elsewhere === undefined ? place : join(frozen.elsewhere, frozen.run);
  const temp = join(base, `.making-${frozen.run}-${token}`);
  try {
    makeFolder(dirname(place));
    makeFolder(base);
    if (isThere(place) || isThere(real)) throw exists(frozen.run, place);
    sweep(base);
    fill(temp, made);
    at("create:before");
    if (!isPut(() => renameSync(temp, real))) throw exists(frozen.run, place);
    syncFolder(dirname(real));
    if (real !== place) link(real, place, frozen.run);
    at("create:after");
  } catch (error) {
    discard(temp);
    throw diskFault(error, "make the folder of the run", real);
  }
}

/** The folder of what this run froze, as it was written; paths of copies are absolute. */
export function readFrozen(folder: string, run: string): Frozen {
  const path = join(folder, "flow.json");
  const stamp = stampOf(path);
  const frozen = KNOWN.get(stamp) ?? frozenIn(textOf(path));
  if (stamp && frozen) KNOWN.set(stamp, frozen);
  if (frozen === undefined || frozen.run !== run) {
    throw new FaultError({
      code: "flow-broken",
      message: `${path} is not the frozen flow of run "${run}"`,
      hint: "bring it back from a copy, for example the published .flow.json of the run, or start a new run",
    });
  }
  return { ...frozen, files: mapFiles(frozen.files, (file) => ({ ...file, path: join(folder, file.path) })) };
}

/** What was read already; a file that was touched since has another stamp. */
const KNOWN = new Recent<Frozen>();

function stampOf(path: string): string {
  try {
    const stat = lstatSync(path, { bigint: true });
    return stat.isFile() ? `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : "";
  } catch {
    return ""; // who reads it says why it cannot be read
  }
}

/** Undefined when the text is not a frozen flow, or names copies outside its own folder. */
export function frozenIn(text: string): Frozen | undefined {
  try {
    const frozen = JSON.parse(text) as Partial<Frozen> | null; // what is relied on here is looked at below; the fold compares digests
    if (typeof frozen?.run !== "string" || typeof frozen.flow?.digest !== "string") return undefined;
    if (typeof frozen.flow.name !== "string" || typeof frozen.source?.text !== "string") return undefined;
    if (!Array.isArray(frozen.start?.dirty)) return undefined;
    if (typeof frozen.opening?.job !== "string") return undefined;
    const files = Object.values(frozen.files ?? { none: { path: "" } });
    return files.every((file) => /^frozen\/[^/\\]+$/.test(file.path)) ? (frozen as Frozen) : undefined; // looked at above
  } catch {
    return undefined;
  }
}

export function mapFiles<To>(
  files: Record<string, FrozenFile>,
  to: (file: FrozenFile, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, to(file, name)]));
}

function fill(temp: string, made: NewRun): void {
  const copies = join(temp, "frozen");
  mkdirSync(temp);
  mkdirSync(copies);
  mkdirSync(join(temp, "visits"));
  const files = mapFiles(made.frozen.files, (file, name) => {
    const copy = `frozen/${copyNameOf(name, file.from ?? file.path)}`;
    const given = made.contents?.[name] ?? (file.text === undefined ? undefined : Buffer.from(file.text));
    const bytes = given ?? bytesOf(file, name);
    writeNew(join(temp, copy), bytes, true, isProgram(bytes) ? 0o777 : 0o666);
    const from = file.from ?? (given === undefined ? file.path : undefined);
    const more = { ...(from === undefined ? {} : { from }), ...(file.brought ? { brought: file.brought } : {}) };
    return { path: copy, digest: file.digest, ...more };
  });
  writeNew(join(temp, "journal.jsonl"), made.journal, made.journal.length > 0); // an empty file has its folder to vouch for it
  if (made.frozen.elsewhere) writeNew(join(temp, ".gitignore"), "*\n", true); // state in a repository is no part of its tree
  writeNew(join(temp, "flow.json"), `${JSON.stringify({ ...made.frozen, files }, null, 1)}\n`, true); // last: one commit of the disk's
  if (Object.keys(files).length > 0) syncFolder(copies); // that it is there at all is told by the folder above
  syncFolder(temp);
}

/** With the ending of the original: an interpreter is chosen by it, and Node tells kinds of modules apart by it. */
function copyNameOf(name: string, original: string): string {
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(original)?.[0] ?? "";
  return `${encodeName(name)}${name.endsWith(ending) ? "" : ending}`;
}

/** What is frozen is what was checked: the digest says so. */
function bytesOf(file: FrozenFile, name: string): Uint8Array {
  const stat = isAbsolute(file.path) ? statSync(file.path, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() !== true)
    throw new Refusal("file-missing", `"${name}" is not a file at ${file.path}`, "bring it back and start again");
  if (stat.size > FROZEN_FILE_BYTES_MAX) {
    throw new Refusal(
      "file-too-long",
      `"${name}" at ${file.path} is longer than ${FROZEN_FILE_BYTES_MAX} bytes`,
      "name a smaller file",
    );
  }
  const bytes = readFileSync(file.path);
  if (createHash("sha256").update(bytes).digest("hex") === file.digest) return bytes;
  throw new Refusal(
    "file-changed",
    `"${name}" at ${file.path} was changed while the run was being made`,
    "start it again",
  );
}

/** A validator that could be run stays one, also in a clone that knows its text only. */
const isProgram = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 2)).toString("latin1") === "#!";

function link(real: string, place: string, run: string): void {
  if (!isPut(() => symlinkSync(real, place, "dir"))) {
    rmSync(real, { recursive: true, force: true }); // ours, and nobody knows of it
    throw exists(run, place);
  }
  syncFolder(dirname(place));
}

/** False: something stands there already. */
function isPut(put: () => void): boolean {
  try {
    put();
    return true;
  } catch (error) {
    if (["EEXIST", "ENOTEMPTY", "ENOTDIR"].includes(codeOf(error))) return false;
    throw error;
  }
}

function sweep(base: string): void {
  for (const name of readdirSync(base).filter((found) => found.startsWith(".making-"))) {
    const stat = lstatSync(join(base, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFTOVER_MS)
      rmSync(join(base, name), { recursive: true, force: true });
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const exists = (run: string, place: string): Refusal =>
  new Refusal("run-exists", `there is a run "${run}" already, at ${place}`, "carry it on with: pawl resume");

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw diskFault(error, "read", path) as Error; // an Error came in, one goes out
  }
}
