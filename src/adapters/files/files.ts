// Files of visits on the disk of this machine.
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { FaultError } from "../../ports/errors.js";
import type { Files } from "../../ports/files.js";
import { ArtifactFault, readArtifact, WHY } from "./safe-read.js";
import { decodeText } from "./text.js";

export const diskFiles: Files = {
  async read(root, name) {
    try {
      const bytes = readArtifact(root, name);
      return { text: decodeText(bytes), sha256: createHash("sha256").update(bytes).digest("hex") };
    } catch (error) {
      if (!(error instanceof ArtifactFault)) return { refused: String(error) };
      return error.code === "artifact-missing" ? { missing: true } : { refused: `it ${WHY[error.code]}` };
    }
  },
  write: async (path, text) => replace(path, text, true),
  writeQuickly: async (path, text) => replace(path, text, false),
  async remove(path) {
    rmSync(path, { force: true });
  },
  async text(path) {
    try {
      if (!existsSync(path)) return undefined; // often so, and an exception costs ten times the look
      return decodeText(readFileSync(path));
    } catch {
      return undefined;
    }
  },
};

function replace(path: string, text: string, isDurable: boolean): void {
  const temp = `${path}.${process.pid}.tmp`;
  try {
    const file = opened(temp);
    try {
      writeWhole(file, Buffer.from(text));
      if (isDurable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temp, path);
  } catch (error) {
    discard(temp);
    const hint = "free some space or make the folder writable, then resume";
    throw new FaultError({ code: "disk", message: `"${path}" cannot be written: ${String(error)}`, hint });
  }
}

/** The folder is there nearly always. */
function opened(path: string): number {
  try {
    return openSync(path, "w", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "w", 0o600);
  }
}

/** A disk that is nearly full takes a part of what it is given, and says so only when it is asked again. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The first error is the one to tell. */
function discard(temp: string): void {
  try {
    rmSync(temp, { force: true });
  } catch {
    // swept when the run is opened again
  }
}
