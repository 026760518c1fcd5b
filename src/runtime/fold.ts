// A journal to the run it tells of. The journal is the authority: a fold that disagrees with it is an error, not a shrug.
import type { Event, Flow, Run } from "../core/model.js";
import { placeOf } from "../core/place.js";
import { Refusal } from "../core/refusal.js";
import { apply, begin } from "../core/run.js";
import { FaultError } from "../ports/errors.js";
import type { Line } from "../ports/store.js";

/** Throws a FaultError ("journal-broken") that names the first line which does not fit. Undefined for an empty journal. With a
 *  snapshot, `lines` are those after it, and `events` theirs. */
export function fold(flow: Flow, lines: Line[], snapshot?: Run): { run: Run; events: Event[] } | undefined {
  let run = snapshot;
  const events: Event[] = [];
  for (const line of lines) {
    const { place, prev: _, ...event } = line;
    run = step(flow, run, event);
    if (placeOf(run.cursor) !== place)
      throw broken(event, `it leads to "${placeOf(run.cursor)}", but the line says "${place}"`);
    events.push(event);
  }
  return run && { run, events };
}

function step(flow: Flow, run: Run | undefined, event: Event): Run {
  try {
    if (run) return apply(flow, run, event);
    if (event.type !== "started") throw new Refusal("no-start", 'the first line is not "started"');
    if (event.digest !== flow.digest)
      throw new Refusal("other-flow", "the frozen flow is not the one the run was started with");
    return begin(flow, event);
  } catch (error) {
    if (error instanceof Refusal) throw broken(event, error.message);
    throw error;
  }
}

const broken = (event: Event, why: string): FaultError =>
  new FaultError({
    code: "journal-broken",
    message: `The journal does not hold together at line ${event.seq} ("${event.type}"): ${why}`,
    hint: "somebody edited it, or a newer Pawl wrote it; look with: pawl verify",
  });
