// Reads a file below a folder, through links only as long as they stay in it.
import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";

/** Undefined when it does not exist; `trouble` is the end of a sentence about the file. */
export type ReadInside = { bytes: Buffer; path: string } | { trouble: string } | undefined;

/** `path` relative to `root`. The answer's path is the real one, absolute. */
export function readInside(
  root: string,
  path: string,
  bytesMax: number,
  hardLinks: "refuse" | "accept" = "refuse",
): ReadInside {
  try {
    if (!lstatSync(join(root, path), { throwIfNoEntry: false })) return undefined; // most places have none; exceptions are dear
    const home = realpathSync.native(root);
    const real = realpathSync.native(join(home, path));
    const way = relative(home, real);
    if (isOutside(way)) return { trouble: "is a link out of the repository" };
    if (way.split("/").includes(".git")) return { trouble: "lies in the git folder" };
    return { bytes: readArtifact(home, way, bytesMax, hardLinks), path: real };
  } catch (error) {
    return troubleOf(error, bytesMax);
  }
}

function troubleOf(error: unknown, bytesMax: number): ReadInside {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (["ENOENT", "ENOTDIR", "artifact-missing"].includes(code)) return undefined;
  if (code === "artifact-too-big") return { trouble: `is larger than ${bytesMax} bytes` };
  if (error instanceof ArtifactFault) return { trouble: WHY[error.code] };
  return { trouble: `cannot be read (${code})` };
}

export function isOutside(way: string): boolean {
  return way === "" || way === ".." || way.startsWith("../") || isAbsolute(way);
}
