// pawl stop, abandon, reset-loop: a person ends or pauses a run, also one that another process drives.

import { Refusal } from "../../core/refusal.js";
import { settled } from "../../core/view.js";
import { lookAt } from "../../runtime/open.js";
import { resultOf } from "../../runtime/result.js";
import { stopRun } from "../../runtime/stop.js";
import type { CliHouse, Desk } from "./desk.js";
import { tell } from "./drive.js";
import { Reporter } from "./reporter.js";

export const stop = (desk: Desk, name: string, reason = "a person paused it"): Promise<number> =>
  order(desk, name, { reason, abandon: false });
export const abandon = (desk: Desk, name: string, reason = "a person abandoned it"): Promise<number> =>
  order(desk, name, { reason, abandon: true });

async function order(desk: Desk, name: string, asked: { reason: string; abandon: boolean }): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  const notifier = new Reporter(desk, house.clock);
  const was = await stopRun(house, id, { ...asked, by: house.user, signal: desk.signal, notifier });
  notifier.close();
  if (was) desk.err(`run ${id} is ${was} already; nothing was changed\n`);
  await told(desk, house, id);
  return 0;
}

async function told(desk: Desk, house: CliHouse, id: string): Promise<void> {
  const { flow, run } = await lookAt(house, id);
  tell(desk, await resultOf(house, flow, run));
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
