// The raw stream of a program on disk: up to a cap, then a mark, then nothing more. Written at once, so a slow disk slows the reader.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { STREAM_BYTES_MAX } from "../../core/limits.js";

/** Never throws: a full disk ends the log, not the work. What it could not do stands in `trouble`. */
export class Log {
  trouble: string | undefined;
  private file: number | undefined;
  private sizeBytes = 0;

  constructor(
    path: string,
    private readonly bytesMax = STREAM_BYTES_MAX,
  ) {
    this.attempt(() => {
      const folder = dirname(path);
      if (!existsSync(folder)) mkdirSync(folder); // not recursive: below /proc that never comes back
      this.file = openSync(path, "a", 0o600);
      this.sizeBytes = fstatSync(this.file).size; // a second try of the same visit goes on where the first stopped
    });
  }

  write(chunk: Buffer): void {
    const file = this.file;
    if (file === undefined || this.sizeBytes >= this.bytesMax) return;
    const kept = chunk.subarray(0, this.bytesMax - this.sizeBytes);
    this.sizeBytes += kept.length;
    this.attempt(() => {
      writeSync(file, kept);
      if (this.sizeBytes >= this.bytesMax) writeSync(file, `\n[cut here: more than ${this.bytesMax} bytes]\n`);
    });
  }

  close(): void {
    const file = this.file;
    this.file = undefined;
    if (file !== undefined) this.attempt(() => closeSync(file));
  }

  private attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.trouble = String(error);
      this.file = undefined;
    }
  }
}
