// The journal of one run, held open for writing: one whole line per event, on disk before anybody relies on it.
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { JOURNAL_LINE_BYTES_MAX } from "../../core/limits.js";
import type { Event } from "../../core/model.js";
import { FaultError } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { Line } from "../../ports/store.js";
import { broken, type Chain, digestOf, readChain, textOfLine } from "./chain.js";
import { diskFault } from "./disk.js";

/** Bytes of one journal. Larger ones are neither read nor written. */
export const JOURNAL_BYTES_MAX = 1 << 30;
const synced = promisify(fdatasync);

export interface Journal {
  readonly lines: Line[];
  readonly head: string;
  readonly seq: number;
  /** Bytes of the torn tail that was cut at opening. */
  readonly cutBytes: number;
  /** `mayWrite` is asked right before the write and throws when the lock was lost; `meanwhile` is done while the disk works, and must
   *  not throw. One at a time. */
  append(event: Event, place: string, mayWrite: () => void, meanwhile?: () => Promise<void>): Promise<Line>;
  close(): void;
}

/** Whole lines only; leaves a torn tail alone. */
export function readJournal(path: string, after = 0): Chain {
  return readChain(bytesOf(path), path, after);
}

/** Cuts the torn tail first (resume-6): a new line must never be glued to half of an old one. */
export function openJournal(path: string, at: FailPoint): Journal {
  const bytes = bytesOf(path);
  const chain = readChain(bytes, path);
  const cutBytes = bytes.length - chain.wholeBytes;
  const fd = opened(path);
  try {
    if (cutBytes > 0) {
      ftruncateSync(fd, chain.wholeBytes);
      fsyncSync(fd);
    }
    return new OpenJournal(path, fd, chain, cutBytes, at);
  } catch (error) {
    closeSync(fd);
    throw diskFault(error, "cut the torn end of", path);
  }
}

class OpenJournal implements Journal {
  readonly lines: Line[];
  head: string;
  seq: number;
  private size: number;
  /** Once a sync has failed nobody knows what is on disk: only a new opening finds out. */
  private spoilt: unknown;

  constructor(
    private readonly path: string,
    private readonly fd: number,
    chain: Chain,
    readonly cutBytes: number,
    private readonly at: FailPoint,
  ) {
    this.lines = chain.lines;
    this.head = chain.head;
    this.seq = chain.seq;
    this.size = chain.wholeBytes;
  }

  async append(event: Event, place: string, mayWrite: () => void, meanwhile?: () => Promise<void>): Promise<Line> {
    if (event.seq !== this.seq + 1)
      throw new Error(`event ${event.seq} does not follow line ${this.seq} of ${this.path}`);
    if (this.spoilt !== undefined) throw this.spoilt;
    const line: Line = { ...event, place, prev: this.head };
    const bytes = Buffer.from(`${textOfLine(line)}\n`);
    this.refuseTooMuch(bytes.length);
    this.at("append:before");
    mayWrite();
    this.refuseStrangers();
    this.write(bytes);
    const onDisk = this.sync();
    if (meanwhile) await Promise.allSettled([meanwhile(), onDisk]);
    await onDisk;
    this.size += bytes.length;
    this.seq = event.seq;
    this.head = digestOf(bytes.subarray(0, -1));
    this.at("append:after");
    return line;
  }

  close(): void {
    this.spoilt = new Error(`the journal ${this.path} is closed`);
    closeSync(this.fd);
  }

  private refuseTooMuch(bytes: number): void {
    const [what, limit] =
      bytes > JOURNAL_LINE_BYTES_MAX ? ["line", JOURNAL_LINE_BYTES_MAX] : ["journal", JOURNAL_BYTES_MAX];
    if (bytes <= JOURNAL_LINE_BYTES_MAX && this.size + bytes <= JOURNAL_BYTES_MAX) return;
    throw new FaultError({
      code: `${what}-too-long`,
      message: `a ${what} of "${this.path}" would be longer than ${limit} bytes; nothing was written`,
      hint: what === "line" ? "let the step write its output to an artifact instead" : "start a new run of this loop",
    });
  }

  /** The lock keeps other Pawls out; this finds everybody else before their lines and ours are mixed. */
  private refuseStrangers(): void {
    try {
      const [ours, there] = [fstatSync(this.fd), statSync(this.path)];
      if (ours.ino === there.ino && there.size === this.size) return;
    } catch (error) {
      throw diskFault(error, "find", this.path);
    }
    throw broken(this.path, this.seq + 1, "is being written or was replaced by another program");
  }

  private write(bytes: Buffer): void {
    let trouble: unknown;
    try {
      if (writeSync(this.fd, bytes) === bytes.length) return;
      trouble = Object.assign(new Error("no space left: only a part of the line was written"), { code: "ENOSPC" });
    } catch (error) {
      trouble = error;
    }
    this.takeBack();
    throw diskFault(trouble, "write to", this.path);
  }

  private async sync(): Promise<void> {
    try {
      await synced(this.fd);
    } catch (error) {
      this.takeBack();
      this.spoilt = diskFault(error, "write to disk", this.path);
      throw this.spoilt;
    }
  }

  /** Back to the last whole line. Where even that fails, the next opening cuts. */
  private takeBack(): void {
    try {
      ftruncateSync(this.fd, this.size);
    } catch (error) {
      this.spoilt = diskFault(error, "take back half a line of", this.path);
    }
  }
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_APPEND);
  } catch (error) {
    throw diskFault(error, "write to", path);
  }
}

function bytesOf(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size <= JOURNAL_BYTES_MAX) return readFileSync(path);
  } catch (error) {
    throw diskFault(error, "read", path);
  }
  throw broken(path, 1, `begins a journal of more than ${JOURNAL_BYTES_MAX} bytes`);
}
