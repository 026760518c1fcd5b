// Reads a child's stream to its end and keeps the first bytes: the pipe is always drained, so a chatty program never stands still.
import type { Readable } from "node:stream";
import { STREAM_BYTES_MAX } from "../../core/limits.js";

export interface Capped {
  text: string;
  /** Bytes that were dropped; 0 when all is here. */
  droppedBytes: number;
}

/** Must be called in the turn in which the child is started. Never rejects: a broken pipe is the end of the text. */
export function readCapped(stream: Readable, maxBytes = STREAM_BYTES_MAX): Promise<Capped> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let droppedBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - keptBytes);
    if (part.length > 0) kept.push(part);
    keptBytes += part.length;
    droppedBytes += chunk.length - part.length;
  });
  return new Promise((done) => {
    const finish = () => {
      const marker = droppedBytes > 0 ? `\n[cut: ${droppedBytes} more bytes]\n` : "";
      done({ text: Buffer.concat(kept).toString("utf8") + marker, droppedBytes });
    };
    stream.once("end", finish);
    stream.once("close", finish);
    stream.once("error", finish);
  });
}
