// Reads the event stream: one JSON object a line, bounded, and never put off by a line that is none.
import { Lines } from "./lines.js";

export class Events {
  /** Numbers of the lines that could not be read, from 1; at most UNREADABLE_MAX of them are kept. */
  readonly unreadable: number[] = [];
  unreadableCount = 0;
  private number = 0;
  private readonly lines: Lines;

  /** `onLine` sees every line first, and says how it is to be read. */
  constructor(
    private readonly onEvent: (event: unknown) => void,
    onLine: (line: string) => string = (line) => line,
  ) {
    this.lines = new Lines((line, cut) => this.read(onLine(line), cut));
  }
  push(chunk: Buffer): void {
    this.lines.push(chunk);
  }
  end(): void {
    this.lines.end();
  }

  private read(line: string, cut: boolean): void {
    this.number += 1;
    if (line.trim() === "") return;
    const event = cut ? undefined : parse(line);
    if (event !== undefined) {
      this.onEvent(event);
      return;
    }
    this.unreadableCount += 1;
    if (this.unreadable.length < UNREADABLE_MAX) this.unreadable.push(this.number);
  }
}

const UNREADABLE_MAX = 20;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
