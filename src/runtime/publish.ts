// Keeps the published record in step with the run: one JSON file, and LOOP.md for doer loops. A projection; it decides nothing.
import { loopMd } from "../core/loop-md.js";
import type { Event, Flow, Run } from "../core/model.js";
import { placeOf } from "../core/place.js";
import { isShipped, recordOf } from "../core/record.js";
import { cutOutput } from "../core/text.js";
import type { House } from "../ports/house.js";
import type { Opened } from "../ports/world.js";
import { branchOf } from "./branch.js";

/**
 * Written after every event but the start of a command, which moves nothing (unless it ends "pending" or "iterating"): so while
 * one is at work, `head` is the line before its start; at rest it is the last. Not written twice for one line.
 * Never throws: what could not be written is told once, and again when it changes.
 */
export function publisher(house: House, tell: (trouble: string) => void): (opened: Opened) => Promise<void> {
  let told: string | undefined;
  let shown = "";
  let known: string | undefined;
  let written: string | undefined;
  return async (opened) => {
    const { flow, run, journal, events } = opened;
    if (journal.head === written) return; // it tells of this line already
    const whole = await wholeRecord(house, opened);
    const showing = `${whole.status} ${placeOf(run.cursor)} ${run.since}`;
    if (showing === shown && events.at(-1)?.type === "begun") return;
    const moved = known === run.job ? undefined : await follow(house, run.job, events);
    known = run.job;
    const place = { job: run.job, loop: flow.name, run: run.id };
    const trouble = (await house.records.publish(place, whole, loopMd(flow, events))) ?? moved;
    if (trouble && trouble !== told) tell(trouble);
    told = trouble;
    shown = trouble ? "" : showing;
    written = trouble ? undefined : journal.head;
  };
}

async function wholeRecord(house: House, { flow, run, journal: { head }, events }: Opened) {
  const started = events[0]?.at ?? house.clock.now();
  const ships = isShipped(flow, run) && (await isAtHomeApart(house, run));
  const record = recordOf(flow, run, { started, now: house.clock.now(), head, ships });
  const outputs = Object.entries(record.skill_outputs).map(([name, text]) => [name, cutOutput(text, house.sha256)]);
  return { ...record, skill_outputs: Object.fromEntries(outputs), reason: record.reason + unconfined(house, flow) };
}

/** The files follow the names the job has had: at once, or here where a kill came between. */
async function follow(house: House, job: string, events: Event[]): Promise<string | undefined> {
  const names = events.flatMap((event) => (event.type === "started" || event.type === "renamed" ? [event.job] : []));
  const troubles: string[] = [];
  for (const former of new Set(names)) {
    const trouble = former === job ? undefined : await house.records.rename(former, job);
    if (trouble) troubles.push(trouble);
  }
  return troubles.length ? troubles.join("; ") : undefined;
}

/** On the branches that are everybody's a "complete" without an outcome is history, so a run that is at home there is never shown so. */
async function isAtHomeApart(house: House, run: Run): Promise<boolean> {
  try {
    const branch = branchOf(await house.store.frozen(run.id), run);
    return branch !== undefined && !(await house.branches()).protected.includes(branch);
  } catch {
    return false; // settings that cannot be read name no branch, and stop no run
  }
}

/** Whoever reads the record later learns which work no sandbox held. */
function unconfined(house: House, flow: Flow): string {
  const open = Object.entries(flow.performers).filter(([, { use }]) => !house.agents.get(use)?.confined);
  const names = open.map(([name, { use }]) => `"${name}" (${use})`);
  return names.length ? `; outside the sandbox, with the user's network and files: ${names.join(", ")}` : "";
}
