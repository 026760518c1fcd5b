// Takes the two streams of a container apart: one byte of stream, three of nothing, four of length, then the bytes.
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";

const HEADER_BYTES = 8;
const STDERR = 2;

export class Frames {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  /** Settles when nothing more comes. */
  readonly over: Promise<void>;
  private header = Buffer.alloc(0);
  private left = 0;
  private into = this.stdout;

  constructor(
    private readonly socket: Socket,
    head: Buffer,
  ) {
    this.take(head);
    socket.on("data", (bytes: Buffer) => this.take(bytes));
    this.over = new Promise((done) => {
      for (const event of ["end", "close", "error"]) socket.once(event, done);
    }).then(() => {
      this.stdout.end();
      this.stderr.end();
    });
  }
  /** Whoever does not read holds the command up, never our memory. */
  private take(bytes: Buffer) {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.left === 0) rest = this.begin(rest);
      const part = rest.subarray(0, this.left);
      rest = rest.subarray(part.length);
      this.left -= part.length;
      if (part.length > 0 && !this.into.write(part)) this.rest(this.into);
    }
  }
  private begin(bytes: Buffer): Buffer {
    const missing = HEADER_BYTES - this.header.length;
    this.header = Buffer.concat([this.header, bytes.subarray(0, missing)]);
    if (this.header.length < HEADER_BYTES) return Buffer.alloc(0);
    this.into = this.header[0] === STDERR ? this.stderr : this.stdout;
    this.left = this.header.readUInt32BE(4);
    this.header = Buffer.alloc(0);
    return bytes.subarray(missing);
  }
  private rest(stream: PassThrough) {
    this.socket.pause();
    stream.once("drain", () => {
      if (!this.stdout.writableNeedDrain && !this.stderr.writableNeedDrain) this.socket.resume();
    });
  }
}
