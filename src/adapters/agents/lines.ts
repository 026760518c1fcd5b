// Cuts a byte stream into lines in bounded memory. Splitting happens at the byte of the line feed, so no character is torn.
import { StringDecoder } from "node:string_decoder";
import { LINE_BYTES_MAX } from "../../core/limits.js";

/** Give it chunks as they come, and `end` when the stream is over: a last line without a line feed is a line too. */
export class Lines {
  private pieces: Buffer[] = [];
  private sizeBytes = 0;
  private droppedBytes = 0;

  constructor(
    private readonly onLine: (line: string, cut: boolean) => void,
    private readonly bytesMax = LINE_BYTES_MAX,
  ) {}

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      if (this.sizeBytes === 0 && this.droppedBytes === 0 && at - from <= this.bytesMax) {
        this.onLine(withoutReturn(chunk.toString("utf8", from, at)), false); // whole in this chunk: nothing to gather
      } else {
        this.keep(chunk.subarray(from, at));
        this.give();
      }
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  }

  end(): void {
    if (this.sizeBytes > 0 || this.droppedBytes > 0) this.give();
  }

  private keep(piece: Buffer): void {
    const room = this.bytesMax - this.sizeBytes;
    const kept = piece.subarray(0, room);
    this.droppedBytes += piece.length - kept.length;
    if (kept.length === 0) return;
    this.pieces.push(kept);
    this.sizeBytes += kept.length;
  }

  private give(): void {
    const bytes = Buffer.concat(this.pieces);
    const isCut = this.droppedBytes > 0;
    // A decoder keeps back the half of a character that the cut left.
    const text = isCut ? new StringDecoder("utf8").write(bytes) : bytes.toString("utf8");
    const mark = ` [line cut: ${this.droppedBytes} bytes more]`;
    this.pieces = [];
    this.sizeBytes = 0;
    this.droppedBytes = 0;
    this.onLine(isCut ? text + mark : withoutReturn(text), isCut);
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
