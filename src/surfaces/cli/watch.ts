// pawl log and watch: the story of a run, as it was and as it grows. Reading only; the driver is never disturbed.
import { storyOf } from "../../core/story.js";
import { viewOf } from "../../core/view.js";
import { noOpenRun } from "../../runtime/branch.js";
import { openRunOf } from "../../runtime/claim.js";
import { lookAt } from "../../runtime/open.js";
import type { CliHouse, Desk } from "./desk.js";
import { screenOf } from "./drive.js";
import { dayOf, logText } from "./render/log.js";
import { statusText } from "./render/status.js";

const LOOK_MS = 300;

export async function log(desk: Desk, name: string, follow: boolean): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  if (desk.json) {
    const { flow, events } = await lookAt(house, id);
    desk.out(`${JSON.stringify({ run: id, story: storyOf(flow, events), events }, null, 2)}\n`);
    return 0;
  }
  return tail(desk, house, id, follow);
}

export async function watch(desk: Desk, name: string | undefined): Promise<number> {
  const house = await desk.house();
  const id = name === undefined ? await openOne(house) : await house.store.find(name);
  await tail(desk, house, id, true);
  const { flow, run } = await lookAt(house, id);
  desk.out(`${statusText(viewOf(flow, run), screenOf(desk)).join("\n")}\n`);
  return 0;
}

/** New lines as they come, until the run rests with nobody at work on it, or the reader leaves. */
async function tail(desk: Desk, house: CliHouse, id: string, follow: boolean): Promise<number> {
  let after = 0;
  let day = "";
  for (;;) {
    const { flow, run, events } = await lookAt(house, id);
    const story = storyOf(flow, events, after);
    for (const line of logText(story, day)) desk.out(`${line}\n`);
    const last = story.at(-1);
    if (last) day = dayOf(last.at);
    after = events.at(-1)?.seq ?? after;
    const working = (await house.store.holder(id)) !== undefined;
    if (!follow || (!working && viewOf(flow, run).state !== "running") || desk.signal.aborted) return 0;
    await house.clock.sleep(LOOK_MS, desk.signal).catch(() => undefined); // told to stop: the loop sees it
  }
}

async function openOne(house: CliHouse): Promise<string> {
  const { job } = await house.job();
  const open = await openRunOf(house, job);
  if (!open) throw await noOpenRun(house, job);
  return open.run;
}
