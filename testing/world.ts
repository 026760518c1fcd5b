// All a drive needs, in memory, and a record of what it told the outside.
import type { Command, Event, Flow, Run } from "../src/core/model.js";
import type { Notifier } from "../src/ports/notifier.js";
import type { Worker } from "../src/ports/worker.js";
import type { Opened, World } from "../src/ports/world.js";
import { SimulatedClock } from "./clock.js";
import { ScriptedWorker } from "./workers.js";

/**
 *     const world = new MemoryWorld(new ScriptedWorker(script));
 *     const rest = await drive(world, openInMemory(flow), new AbortController().signal);
 *     world.told; // the types of all events, as the notifier heard them
 */
export class MemoryWorld implements World {
  readonly clock = new SimulatedClock();
  readonly notifier = new RememberingNotifier();
  /** The runs that were published, oldest first. */
  readonly records: Run[] = [];

  constructor(readonly worker: Worker = new ScriptedWorker()) {}

  workerFor(_command: Command): Worker {
    return this.worker;
  }
  async published({ run }: Opened): Promise<void> {
    this.records.push(run);
  }
  get told(): string[] {
    return this.notifier.events.map((event) => event.type);
  }
}

/** Remembers what it was told. */
export class RememberingNotifier implements Notifier {
  readonly events: Event[] = [];
  readonly lines: string[] = [];
  readonly rests: Run[] = [];
  moved(_flow: Flow, _run: Run, event: Event): void {
    this.events.push(event);
  }
  said(_command: Command, line: string): void {
    this.lines.push(line);
  }
  warned(text: string): void {
    this.lines.push(text);
  }
  rested(_flow: Flow, run: Run): void {
    this.rests.push(run);
  }
}
