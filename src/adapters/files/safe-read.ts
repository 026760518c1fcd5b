// Reads a file that a step wrote, as if the step were an enemy. Call it only after every process of the step is dead.
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";

export type ArtifactTrouble =
  | "artifact-escapes"
  | "artifact-is-a-link"
  | "artifact-missing"
  | "artifact-not-a-file"
  | "artifact-has-a-second-name"
  | "artifact-too-big"
  | "artifact-unreadable";

export class ArtifactFault extends Error {
  constructor(
    readonly code: ArtifactTrouble,
    readonly artifact: string,
  ) {
    super(`"${artifact}" ${WHY[code]}`);
  }
}

/** At most `bytesMax` bytes, or an ArtifactFault. `root` is a folder that only Pawl names. Hard links are accepted only where no step
 *  can write: package managers make them. */
export function readArtifact(
  root: string,
  name: string,
  bytesMax = ARTIFACT_BYTES_MAX,
  hardLinks: "refuse" | "accept" = "refuse",
): Buffer {
  const home = realpathSync.native(root);
  const path = join(home, name);
  if (isAbsolute(name) || name.includes("\0") || leaves(home, path)) throw new ArtifactFault("artifact-escapes", name);
  const fd = openPlain(path, name);
  try {
    return readOpen(fd, { path, name, bytesMax, hardLinks });
  } finally {
    closeSync(fd);
  }
}

/** The ends of sentences about a file. */
export const WHY: Record<ArtifactTrouble, string> = {
  "artifact-escapes": "lies outside the folder it was asked for in",
  "artifact-is-a-link": "is a link; a plain file is needed",
  "artifact-missing": "does not exist",
  "artifact-not-a-file": "is not a plain file",
  "artifact-has-a-second-name": "has a second name elsewhere (a hard link)",
  "artifact-too-big": "is larger than allowed",
  "artifact-unreadable": "cannot be read",
};

const BY_ERRNO: Record<string, ArtifactTrouble> = {
  ELOOP: "artifact-is-a-link",
  ENOENT: "artifact-missing",
  ENOTDIR: "artifact-missing",
  ENXIO: "artifact-not-a-file",
};

/** NOFOLLOW: not through a last link. NONBLOCK: a FIFO must not hang us. */
function openPlain(path: string, name: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const errno = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new ArtifactFault(BY_ERRNO[errno] ?? "artifact-unreadable", name);
  }
}

/** Asks the descriptor, never the path again. */
function readOpen(
  fd: number,
  { path, name, bytesMax, hardLinks }: { path: string; name: string; bytesMax: number; hardLinks: "refuse" | "accept" },
): Buffer {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw new ArtifactFault("artifact-not-a-file", name);
  if (stat.nlink > 1 && hardLinks === "refuse") throw new ArtifactFault("artifact-has-a-second-name", name);
  if (stat.size > bytesMax) throw new ArtifactFault("artifact-too-big", name);
  // a link in the folders above shows here
  const real = process.platform === "linux" ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
  if (real !== path) throw new ArtifactFault("artifact-escapes", name);
  const bytes = readToEnd(fd, stat.size, bytesMax + 1);
  if (bytes.length > bytesMax) throw new ArtifactFault("artifact-too-big", name);
  return bytes;
}

/** At most `most` bytes. Room for what is to be expected: to clear room for the most there may be costs more than all the rest. */
function readToEnd(fd: number, expected: number, most: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(expected + 1, most));
  let length = 0;
  for (;;) {
    const read = readSync(fd, bytes, length, bytes.length - length, length);
    length += read;
    if (read === 0 || length === most) return bytes.subarray(0, length);
    // it has grown since
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, most));
  }
}

function leaves(home: string, path: string): boolean {
  const way = relative(home, path);
  return way === "" || way === ".." || way.startsWith("../") || isAbsolute(way);
}
