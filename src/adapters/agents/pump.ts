// Reads a stream to its end, whatever is at the other side; the reader never waits for ever on a pipe that somebody holds open.
import type { Readable, Writable } from "node:stream";

/** How long the rest of a pipe is read after the program's death. */
const DRAIN_MS = 5_000;

/** Settles when the stream is over, by an end or by an error. */
export function pump(stream: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((done) => {
    stream.on("data", (chunk: Buffer | string) => onChunk(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
    for (const event of ["end", "error", "close"] as const) stream.once(event, () => done());
  });
}

/** Gives the whole input and closes; a child that is gone, or never reads, is no trouble. */
export function feed(stdin: Writable, text: string): void {
  stdin.on("error", () => {});
  stdin.end(text);
}

/** Waits for the pumps, but not longer than DRAIN_MS. */
export async function drained(pumps: Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, DRAIN_MS);
  });
  await Promise.race([Promise.all(pumps), late]);
  clearTimeout(timer);
}
