// The few disk moves everything here is made of: durable writes, atomic replacement, and troubles said in words.
import { closeSync, constants, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { FaultError } from "../../ports/errors.js";

/** Whole file or none: temp in the same folder, synced, renamed, folder synced. Leaves no temp behind when it throws. */
export function replaceDurably(path: string, bytes: string | Uint8Array, token: string): void {
  replace(path, bytes, token, true);
  syncFolder(dirname(path));
}

/** The same without the waits: for what can be made again. */
export function replaceQuickly(path: string, bytes: string | Uint8Array, token: string): void {
  replace(path, bytes, token, false);
}

function replace(path: string, bytes: string | Uint8Array, token: string, sync: boolean): void {
  const temp = `${path}.${token}.tmp`;
  try {
    writeNew(temp, bytes, sync);
    renameSync(temp, path);
  } catch (error) {
    discard(temp);
    throw error;
  }
}

/** What was begun and failed: the first error is the one to tell. */
export function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // swept away later
  }
}

/** Must be new: follows no link, takes over no file. */
export function writeNew(path: string, bytes: string | Uint8Array, sync: boolean, mode = 0o666): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  try {
    writeAll(fd, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    if (sync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = writeSync(fd, bytes, at);
    if (written === 0) throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
    at += written;
  }
}

/** A rename is only on disk when its folder is. Systems that cannot sync a folder do it their own way. */
export function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    if (!["EPERM", "EISDIR", "EINVAL", "ENOTSUP", "EACCES"].includes(codeOf(error))) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Makes a folder and what is missing above it, on disk. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made !== dirname(first) && made !== dirname(made); made = dirname(made))
    syncFolder(dirname(made));
}

export const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/** What the system said, in words a person can act on. Our own errors pass unchanged. */
export function diskFault(error: unknown, doing: string, path: string): unknown {
  const code = codeOf(error);
  if (!(error instanceof Error) || !/^E[A-Z0-9]+$/.test(code)) return error;
  const [name, hint] = TROUBLES[code] ?? ["disk-error", `look at ${path} and the disk it is on, then ask again`];
  return new FaultError({
    code: name,
    message: `cannot ${doing} "${path}": ${error.message.split(",")[0]}`,
    hint,
    details: { errno: code },
  });
}
const FULL: [string, string] = [
  "disk-full",
  "make room on that disk, then ask again; what was written before is whole",
];
const CLOSED: [string, string] = ["state-unwritable", "make that folder writable for Pawl, then ask again"];
const MISSING: [string, string] = [
  "state-missing",
  "the folder of the run was removed or moved; bring it back, then ask again",
];
const TROUBLES: Record<string, [string, string]> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  EROFS: CLOSED,
  EACCES: CLOSED,
  EPERM: CLOSED,
  ENOENT: MISSING,
  ENOTDIR: MISSING,
};
