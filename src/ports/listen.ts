// Listens to a program until it and everything it started is dead. Bounded, whatever it prints.
import type { Child, Outcome } from "./sandbox.js";

export type Listen = (child: Child, how: ListenHow) => Promise<Heard>;
export interface ListenHow {
  stdin: string;
  /** Path of the console log; what is written there is capped at STREAM_BYTES_MAX and masked. */
  log: string;
  /** Each line of both streams as it comes, printable. */
  onLine(line: string): void;
  mask(text: string): string;
}
export interface Heard {
  outcome: Outcome;
  /** The end of both streams together in the order they came, printable, at most OUTPUT_CHARS_MAX characters. */
  tail: string;
  /** stdout alone, raw, at most STREAM_BYTES_MAX bytes. */
  stdout: string;
  stderrTail: string;
  ms: number;
}
