// Pausing or ending a run from outside, also one that another process drives.
import { Refusal } from "../core/refusal.js";
import { settled } from "../core/view.js";
import type { House } from "../ports/house.js";
import type { Notifier } from "../ports/notifier.js";
import type { Holder } from "../ports/store.js";
import { closeRun } from "./closing.js";
import { drive, record } from "./drive.js";
import { glanceAt, takeRun } from "./open.js";
import { leaveOrder } from "./order.js";

/** How long a living driver may take to write a stop down: the grace of its work, and some. */
const STOP_MS = 30_000;
const LOOK_MS = 200;

export interface Stop {
  reason: string;
  /** For good. */
  abandon: boolean;
  by: string;
  signal: AbortSignal;
  notifier: Notifier;
}

/** Undefined when it is stopped now; else the word for what it was already. Refusal ("not-stopped") when its driver does not listen. */
export async function stopRun(house: House, id: string, stop: Stop): Promise<"ended" | "parked" | undefined> {
  const { run } = await glanceAt(house, id);
  const { at } = settled(run.cursor);
  if (at === "ended" || (at === "parked" && !stop.abandon)) return at;
  const holder = await house.store.holder(id);
  if (holder) await tellDriver(house, id, holder, stop);
  else await write(house, id, stop);
  return undefined;
}

/** Nobody drives it: the order is written by us. The checkpoint of a pause is made at the next start. */
async function write(house: House, id: string, { reason, abandon, by, notifier, signal }: Stop): Promise<void> {
  await using taken = await takeRun(house, id);
  const world = await house.worldOf({ frozen: taken.frozen, engine: undefined, notifier });
  const body = abandon
    ? ({ type: "abandoned", reason } as const)
    : ({ type: "stopped", code: "paused", reason } as const);
  await record(world, taken.opened, body, by);
  // an end is an end at once: only the checkpoint is left
  if (abandon) await drive(world, taken.opened, new AbortController().signal);
  for (const text of await closeRun(house, taken, signal)) notifier.warned(text);
}

/** The driver is asked to stop; the reason waits for it in a file. */
async function tellDriver(
  house: House,
  id: string,
  holder: Holder,
  { reason, abandon, by, signal }: Stop,
): Promise<void> {
  const { pid } = holder;
  await leaveOrder(house, id, holder, { code: "paused", reason, by, ...(abandon ? { abandon: true } : {}) });
  house.interrupt(pid);
  for (let waitedMs = 0; waitedMs < STOP_MS; waitedMs += LOOK_MS) {
    if (!(await house.store.holder(id))) return;
    await house.clock.sleep(LOOK_MS, signal);
  }
  throw new Refusal(
    "not-stopped",
    `process ${pid} drives run ${id} and did not stop within ${STOP_MS / 1000} s`,
    `look at it: pawl status ${id}`,
    3,
  );
}
