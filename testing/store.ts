// A run's journal in memory, with the disk's faults on demand.
import { createHash } from "node:crypto";
import type { Event, Flow, Run } from "../src/core/model.js";
import { placeOf } from "../src/core/place.js";
import { apply, begin } from "../src/core/run.js";
import { FaultError } from "../src/ports/errors.js";
import type { Line, OpenRun } from "../src/ports/store.js";
import type { Opened } from "../src/ports/world.js";
import { reload } from "./table.js";

/**
 * Keeps what the promise says: a line is there before `append` resolves, or it throws and nothing is there.
 *
 *     const opened = openInMemory(flow);                    // a fresh run
 *     const again = openInMemory(flow, opened.journal);     // the same run, in another process
 */
export class MemoryJournal implements OpenRun {
  readonly lines: Line[] = [];
  readonly remarks: { about: string; text: string }[] = [];
  /** The last cache that was written. */
  cache: Run | undefined;
  /** Called before a line is kept; throw from it to play a full disk or a lost lock. */
  before: (event: Event) => void = () => {};

  async append(event: Event, place: string, meanwhile?: () => Promise<void>): Promise<Line> {
    this.before(event);
    const line: Line = { ...reload(event), place, prev: this.head };
    await meanwhile?.();
    this.lines.push(line);
    return line;
  }
  async snapshot(run: Run): Promise<void> {
    this.cache = reload(run);
  }
  async [Symbol.asyncDispose](): Promise<void> {}

  get head(): string {
    return headOf(this.lines);
  }
  /** What happened, without numbers and times. */
  get types(): string[] {
    return this.lines.map((line) => line.type);
  }
}

/** What a lost lock looks like to whoever appends. */
export const fenced = (): FaultError =>
  new FaultError({ code: "fenced", message: "another process has taken this run" });

/** A run ready to be driven: new, or as the lines of `journal` left it. Throws when a line's place is not where it leads. */
export function openInMemory(flow: Flow, journal?: MemoryJournal): Opened & { journal: MemoryJournal } {
  const kept = journal ?? new MemoryJournal();
  const [first, ...rest] = kept.lines;
  if (first?.type === "started") {
    const run = rest.reduce((moved, line) => moveBy(flow, moved, line), begin(flow, first));
    return { flow, run, journal: kept, events: eventsOf(kept) };
  }
  const { name, digest } = flow;
  const at = { seq: 1, at: "2026-01-01T00:00:00.000Z", by: "test" };
  const started = { ...at, type: "started", run: "r1", job: "J-1", flow: name, digest, inputs: {} } as const;
  const run = begin(flow, started);
  kept.lines.push({ ...started, place: placeOf(run.cursor), prev: kept.head });
  return { flow, run, journal: kept, events: eventsOf(kept) };
}

const headOf = (lines: Line[]): string =>
  lines.length
    ? createHash("sha256")
        .update(JSON.stringify(lines.at(-1)))
        .digest("hex")
    : "0".repeat(64);

const eventsOf = ({ lines }: MemoryJournal): Event[] => lines.map(({ place: _, prev: __, ...event }) => event);

function moveBy(flow: Flow, run: Run, line: Line): Run {
  const moved = apply(flow, run, line);
  const place = placeOf(moved.cursor);
  if (place !== line.place) throw new Error(`event ${line.seq} leads to ${place}, its line says ${line.place}`);
  return moved;
}
