// Keeps the published record in step with the run: one JSON file, and LOOP.md for doer loops. A projection; it decides nothing.
import { loopMd } from "../core/loop-md.js";
import type { Flow } from "../core/model.js";
import { recordOf } from "../core/record.js";
import { cutOutput } from "../core/text.js";
import type { House } from "../ports/house.js";
import type { Opened } from "../ports/world.js";

/** Never throws: what could not be written is told once, and again when it changes. */
export function publisher(house: House, tell: (trouble: string) => void): (opened: Opened) => Promise<void> {
  let told: string | undefined;
  return async ({ flow, run, journal, events }) => {
    const started = events[0]?.at ?? house.clock.now();
    const record = recordOf(flow, run, { started, now: house.clock.now(), head: journal.head });
    const outputs = Object.entries(record.skill_outputs).map(([name, text]) => [name, cutOutput(text, house.sha256)]);
    const at = { job: run.job, loop: flow.name, run: run.id };
    const trouble = await house.records.publish(
      at,
      { ...record, skill_outputs: Object.fromEntries(outputs), unconfined: openAgents(house, flow) },
      loopMd(flow, events),
    );
    if (trouble && trouble !== told) tell(trouble);
    told = trouble;
  };
}

/** Whoever reads the record later learns which work no sandbox held. */
const openAgents = (house: House, flow: Flow): string[] =>
  Object.entries(flow.performers)
    .filter(([, { use }]) => !house.agents.get(use)?.confined)
    .map(([name, { use }]) => `agent "${name}" (${use}) works outside the sandbox, with the user's network and files`);
