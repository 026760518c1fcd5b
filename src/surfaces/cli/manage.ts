// pawl stop, abandon, reset-loop: a person ends or pauses a run, also one that another process drives.

import { Refusal } from "../../core/refusal.js";
import { settled } from "../../core/view.js";
import type { Holder } from "../../ports/store.js";
import { closeRun } from "../../runtime/closing.js";
import { drive, record } from "../../runtime/drive.js";
import { lookAt, takeRun } from "../../runtime/open.js";
import { leaveOrder } from "../../runtime/order.js";
import type { CliHouse, Desk } from "./desk.js";
import { tell } from "./drive.js";
import { Reporter } from "./reporter.js";
import { resultOf } from "./result.js";

/** How long a living driver may take to write a stop down: the grace of its work, and some. */
const STOP_MS = 30_000;
const LOOK_MS = 200;

export const stop = (desk: Desk, name: string, reason = "a person paused it"): Promise<number> =>
  order(desk, name, { reason, abandon: false });
export const abandon = (desk: Desk, name: string, reason = "a person abandoned it"): Promise<number> =>
  order(desk, name, { reason, abandon: true });

interface Order {
  reason: string;
  abandon: boolean;
}

async function order(desk: Desk, name: string, { reason, abandon: isEnd }: Order): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  const { run } = await lookAt(house, id);
  const { at } = settled(run.cursor);
  if (at === "ended" || (at === "parked" && !isEnd)) {
    desk.err(`run ${id} is ${at} already; nothing was changed\n`);
    await told(desk, house, id);
    return 0;
  }
  const holder = await house.store.holder(id);
  if (holder) await tellDriver(desk, house, id, holder, { reason, abandon: isEnd });
  else await write(desk, house, id, { reason, abandon: isEnd });
  await told(desk, house, id);
  return 0;
}

async function told(desk: Desk, house: CliHouse, id: string): Promise<void> {
  const { flow, run } = await lookAt(house, id);
  tell(desk, await resultOf(house, flow, run));
}

/** Nobody drives it: the order is written by us. An end is an end at once; the checkpoint of a pause is made at the next start. */
async function write(desk: Desk, house: CliHouse, id: string, { reason, abandon: isEnd }: Order): Promise<void> {
  await using taken = await takeRun(house, id);
  const notifier = new Reporter(desk, house.clock);
  const world = await house.worldOf({ frozen: taken.frozen, engine: undefined, actions: new Map(), notifier });
  const body = isEnd
    ? ({ type: "abandoned", reason } as const)
    : ({ type: "stopped", code: "paused", reason } as const);
  await record(world, taken.opened, body, house.user);
  if (isEnd) await drive(world, taken.opened, new AbortController().signal); // only the checkpoint is left
  notifier.close();
  for (const text of await closeRun(house, taken, desk.signal)) desk.err(`warning: ${text}\n`);
}

/** The driver is asked to stop; the reason waits for it in a file. */
async function tellDriver(
  desk: Desk,
  house: CliHouse,
  id: string,
  holder: Holder,
  { reason, abandon: isEnd }: Order,
): Promise<void> {
  const { pid } = holder;
  await leaveOrder(house, id, holder, { code: "paused", reason, by: house.user, ...(isEnd ? { abandon: true } : {}) });
  house.interrupt(pid);
  for (let waitedMs = 0; waitedMs < STOP_MS; waitedMs += LOOK_MS) {
    if (!(await house.store.holder(id))) return;
    await house.clock.sleep(LOOK_MS, desk.signal);
  }
  throw new Refusal(
    "not-stopped",
    `process ${pid} drives run ${id} and did not stop within ${STOP_MS / 1000} s`,
    `look at it: pawl status ${id}`,
    3,
  );
}

/** A killed run is archived, so that its loop may be started afresh in this job. It takes a person: the kill switch is theirs. */
export async function resetLoop(desk: Desk, name: string, yes: boolean): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  const { flow, run } = await lookAt(house, id);
  const cursor = settled(run.cursor);
  if (flow.restart !== "archive")
    throw new Refusal("no-kill-switch", `loop "${flow.name}" may be started again as it is`, `pawl run ${flow.name}`);
  if (cursor.at !== "ended")
    throw new Refusal("not-ended", `run ${id} has not ended`, `end it first: pawl abandon ${id}`, 3);
  if (cursor.ending === "success")
    throw new Refusal(
      "has-converged",
      `run ${id} has converged; there is nothing to reset`,
      "start a new job, or answer its manual items",
      1,
    );
  if (!desk.terminal)
    throw new Refusal(
      "needs-a-person",
      "a killed loop is only reset by a person at a terminal",
      `type: pawl reset-loop ${id}`,
      3,
    );
  if (
    !yes &&
    !(await (
      await import("./ask.js")
    ).confirm(`Archive run ${id} and allow "${flow.name}" to start afresh with full budgets?`))
  ) {
    desk.err("nothing was changed\n");
    return 3;
  }
  const path = await house.archive({ job: run.job, loop: flow.name, run: id });
  desk.out(
    desk.json ? `${JSON.stringify({ archived: id, path })}\n` : `archived: ${path}\nnext: pawl run ${flow.name}\n`,
  );
  return 0;
}
