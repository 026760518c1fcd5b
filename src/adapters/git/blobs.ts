// Digests of files as git would store them, remembered by what `stat` says, so that an unchanged file costs no reading.
import { createHash, type Hash } from "node:crypto";
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";

/** Larger files are hashed in pieces of this size. */
export const WHOLE_BYTES_MAX = 64 << 20;
/** A file touched less than this before it was hashed is hashed again: a second edit may carry the same times. */
export const RACY_MS = 2_000;
/** How often a file that changes while it is read is tried. */
const READS_MAX = 3;

export type Blob = { sha: string } | { trouble: string };

export class Blobs {
  private readonly known = new Map<string, { stamp: string; sha: string; at: number }>();
  constructor(
    private readonly algorithm: "sha1" | "sha256",
    private readonly now: () => number,
  ) {}

  /** `path` absolute, `stat` of it just taken (not through a link). */
  of(path: string, stat: BigIntStats): Blob {
    const stamp = stampOf(stat);
    const kept = this.known.get(path);
    if (kept?.stamp === stamp && settled(stat, kept.at)) return { sha: kept.sha };
    const at = this.now(); // before reading: an edit during it is later
    const blob = stat.isSymbolicLink() ? this.link(path) : this.file(path);
    if ("sha" in blob) this.known.set(path, { stamp: blob.stamp ?? stamp, sha: blob.sha, at });
    else this.known.delete(path);
    return blob;
  }

  /** Forget files that are gone. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.known.keys()) if (!paths.has(path)) this.known.delete(path);
  }

  ofBytes(bytes: Uint8Array): string {
    return this.begin(bytes.length).update(bytes).digest("hex");
  }

  private link(path: string): Blob & { stamp?: string } {
    try {
      return { sha: this.ofBytes(readlinkSync(path, "buffer")) };
    } catch (error) {
      return { trouble: `cannot be read (${errno(error)})` };
    }
  }

  private file(path: string): Blob & { stamp?: string } {
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      return { trouble: `cannot be read (${errno(error)})` };
    }
    try {
      for (let tries = 0; tries < READS_MAX; tries++) {
        const before = fstatSync(fd, { bigint: true });
        if (!before.isFile()) return { trouble: "is no longer a plain file" };
        const sha = this.digest(fd, Number(before.size));
        const stamp = stampOf(before);
        if (sha !== undefined && stampOf(fstatSync(fd, { bigint: true })) === stamp) return { sha, stamp };
      }
      return { trouble: "changes while it is read" };
    } catch (error) {
      return { trouble: `cannot be read (${errno(error)})` };
    } finally {
      closeSync(fd);
    }
  }

  /** Undefined when the file has not exactly `size` bytes any more. */
  private digest(fd: number, size: number): string | undefined {
    const hash = this.begin(size);
    const part = Buffer.allocUnsafe(Math.min(size + 1, WHOLE_BYTES_MAX));
    for (let place = 0; ; ) {
      const read = readSync(fd, part, 0, part.length, place);
      place += read;
      if (read === 0) return place === size ? hash.digest("hex") : undefined;
      if (place > size) return undefined;
      hash.update(part.subarray(0, read));
    }
  }

  private begin(size: number): Hash {
    return createHash(this.algorithm).update(`blob ${size}\0`);
  }
}

function stampOf(stat: BigIntStats): string {
  return `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
}

/** The change time cannot be set back by whoever edits, so it is asked beside the time of the edit. */
function settled(stat: BigIntStats, hashedAt: number): boolean {
  const touchedMs = Math.max(Number(stat.ctimeNs / 1_000_000n), Number(stat.mtimeNs / 1_000_000n));
  return touchedMs + RACY_MS < hashedAt;
}

function errno(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
