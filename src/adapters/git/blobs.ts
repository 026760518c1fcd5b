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
  private readonly known = new Map<string, Known>();
  private round = 0;
  constructor(
    private readonly algorithm: "sha1" | "sha256",
    private readonly now: () => number,
  ) {}

  /** `path` absolute, `stat` of it just taken (not through a link). */
  of(path: string, stat: BigIntStats): Blob {
    const kept = this.known.get(path);
    if (kept && isSame(kept.stat, stat) && settled(stat, kept.at)) {
      kept.round = this.round;
      return kept.blob;
    }
    const at = this.now(); // before reading: an edit during it is later
    const { blob, seen } = stat.isSymbolicLink() ? { blob: this.link(path), seen: stat } : this.file(path);
    if ("sha" in blob) this.known.set(path, { stat: pick(seen), blob, at, round: this.round });
    else this.known.delete(path);
    return blob;
  }

  /** Forget what was not asked for since the last call. */
  endRound(): void {
    for (const [path, one] of this.known) if (one.round !== this.round) this.known.delete(path);
    this.round++;
  }

  ofBytes(bytes: Uint8Array): string {
    return this.begin(bytes.length).update(bytes).digest("hex");
  }

  private link(path: string): Blob {
    try {
      return { sha: this.ofBytes(readlinkSync(path, "buffer")) };
    } catch (error) {
      return { trouble: `cannot be read (${errno(error)})` };
    }
  }

  /** `seen` is what the descriptor said while it was read. */
  private file(path: string): { blob: Blob; seen: Stamp } {
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      return nothing(`cannot be read (${errno(error)})`);
    }
    try {
      for (let tries = 0; tries < READS_MAX; tries++) {
        const seen = fstatSync(fd, { bigint: true });
        if (!seen.isFile()) return nothing("is no longer a plain file");
        const sha = this.digest(fd, Number(seen.size));
        if (sha !== undefined && isSame(fstatSync(fd, { bigint: true }), seen)) return { blob: { sha }, seen };
      }
      return nothing("changes while it is read");
    } catch (error) {
      return nothing(`cannot be read (${errno(error)})`);
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

type Stamp = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs" | "mode">;
interface Known {
  stat: Stamp;
  blob: Blob;
  at: number;
  round: number;
}

function pick({ dev, ino, size, mtimeNs, ctimeNs, mode }: Stamp): Stamp {
  return { dev, ino, size, mtimeNs, ctimeNs, mode };
}

function isSame(a: Stamp, b: Stamp): boolean {
  return (
    a.ctimeNs === b.ctimeNs &&
    a.mtimeNs === b.mtimeNs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.dev === b.dev
  );
}

function nothing(trouble: string): { blob: Blob; seen: Stamp } {
  return { blob: { trouble }, seen: { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n, mode: 0n } };
}

/** The change time cannot be set back by whoever edits, so it is asked beside the time of the edit. */
function settled(stat: Stamp, hashedAt: number): boolean {
  const touchedMs = Math.max(Number(stat.ctimeNs / 1_000_000n), Number(stat.mtimeNs / 1_000_000n));
  return touchedMs + RACY_MS < hashedAt;
}

function errno(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
