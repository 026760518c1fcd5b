// What a program printed, on disk: up to a cap, then a mark, then nothing more. Written in the same breath as it is read, so a slow
// disk slows the reader and nothing piles up.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { STREAM_BYTES_MAX } from "../../core/limits.js";

/** Bytes of short lines that are gathered for one write. */
const GATHERED_BYTES_MAX = 1 << 16;

/** Never throws: a full disk ends the log, not the work. What it could not do stands in `trouble`. */
export class Log {
  trouble: string | undefined;
  private file: number | undefined;
  private sizeBytes = 0;
  private gathered: Buffer[] = [];
  private gatheredBytes = 0;

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

  writeLine(line: string): void {
    if (this.file !== undefined && this.sizeBytes < this.bytesMax) this.write(Buffer.from(`${line}\n`));
  }

  write(chunk: Buffer): void {
    if (this.file === undefined || this.sizeBytes >= this.bytesMax) return;
    const kept = chunk.subarray(0, this.bytesMax - this.sizeBytes);
    this.sizeBytes += kept.length;
    this.gather(kept);
    if (this.sizeBytes >= this.bytesMax) this.gather(Buffer.from(`\n[cut here: more than ${this.bytesMax} bytes]\n`));
  }

  close(): void {
    this.flush();
    const file = this.file;
    this.file = undefined;
    if (file !== undefined) this.attempt(() => closeSync(file));
  }

  private gather(bytes: Buffer): void {
    if (this.gatheredBytes === 0) setImmediate(() => this.flush());
    this.gathered.push(bytes);
    this.gatheredBytes += bytes.length;
    if (this.gatheredBytes >= GATHERED_BYTES_MAX) this.flush();
  }

  private flush(): void {
    const file = this.file;
    const bytes = Buffer.concat(this.gathered);
    this.gathered = [];
    this.gatheredBytes = 0;
    if (file !== undefined && bytes.length > 0) this.attempt(() => writeSync(file, bytes));
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
