// pawl stop, abandon, reset-loop: a person ends or pauses a run, also one that another process drives.

import { Refusal } from "../../core/refusal.js";
import { lookAt } from "../../runtime/open.js";
import { resetRun, resettable } from "../../runtime/reset.js";
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

/** A killed run is archived, and its loop starts afresh with full budgets. It takes a person at a terminal: the kill switch is theirs, and
 *  no flag, agent or timed job passes it. `--yes` spares them the question only. */
export async function resetLoop(desk: Desk, name: string, yes: boolean): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  const { loop, job, source } = await resettable(house, id);
  if (!desk.terminal)
    throw new Refusal(
      "needs-a-person",
      "a killed loop is only reset by a person at a terminal",
      `type: pawl reset-loop ${id}`,
      3,
    );
  const question = `Archive run ${id} and start "${loop}" afresh in job ${job}, with full budgets?`;
  if (!yes && !(await (await import("./ask.js")).confirm(question))) {
    desk.err("nothing was changed\n");
    return 3;
  }
  const { folder, loopMd, warnings } = await resetRun(house, id, desk.signal);
  for (const text of warnings) desk.err(`warning: ${text}\n`);
  desk.err(`archived: ${folder}\n${loopMd ? `the old history: ${loopMd}\n` : ""}`);
  const again = (await house.library.loop(loop)) ? loop : source;
  return (await import("./run.js")).run(desk, again, { input: { fresh_after: id }, job });
}
