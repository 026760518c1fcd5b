// Takes a run for writing: lock, cut, verify, fold. Carrying on after a crash needs nothing more.

import { digestOf } from "../core/digest.js";
import { HOST } from "../core/hosts.js";
import type { Event, Flow, Run } from "../core/model.js";
import { placeOf } from "../core/place.js";
import { begin } from "../core/run.js";
import { FaultError } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { Frozen, Line, OpenRun } from "../ports/store.js";
import type { Opened, World } from "../ports/world.js";
import { record } from "./drive.js";
import { fold } from "./fold.js";

export interface Taken extends AsyncDisposable {
  frozen: Frozen;
  opened: Opened;
}

/** Refuses ("locked") while another process drives the run. A run killed before its first line is begun here. */
export async function takeRun(house: House, id: string): Promise<Taken> {
  const frozen = await frozenOf(house, id);
  const journal = await house.store.open(id);
  try {
    refuseOtherHistory(house, frozen, journal.lines);
    if (journal.lines.some(startsProcesses)) await house.sweep(id);
    const told = fold(frozen.flow, journal.lines) ?? (await begun(house, frozen, journal));
    return {
      frozen,
      opened: { ...told, flow: frozen.flow, journal },
      [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
    };
  } catch (error) {
    await journal[Symbol.asyncDispose]();
    throw error;
  }
}

/** Looked for where the run began, or was told since that its job is called. */
function refuseOtherHistory(house: House, { run, flow, opening }: Frozen, lines: Line[]): void {
  const renamed = lines.findLast((line) => line.type === "renamed");
  const job = renamed?.type === "renamed" ? renamed.job : opening.job;
  house.refuseOtherHistory({ run, loop: flow.name, job, isPublished: lines.some(isPublication) });
}
/** The journal is published between the two lines of a checkpoint, and when the job is renamed. */
const isPublication = (line: Line): boolean =>
  line.type === "renamed" || (line.type === "begun" && line.ticket.startsWith("checkpoint"));

/** R6: begun on paper before in fact, so without such a line no process of this run was ever started and none can be left. What was
 *  handed to the host's agent is no process of ours. */
const startsProcesses = ({ type, by }: Line): boolean => type === "begun" && by !== HOST;

/** The frozen flow of a run; a fault where it is not the one its digest was taken of: every line of the journal rests on it. */
export async function frozenOf(house: House, id: string): Promise<Frozen> {
  const frozen = await house.store.frozen(id);
  if (WHOLE.has(frozen.flow)) return frozen;
  if (digestOf(frozen.flow, house.sha256) === frozen.flow.digest) {
    WHOLE.add(frozen.flow);
    return frozen;
  }
  throw new FaultError({
    code: "flow-broken",
    message: `The frozen flow of run "${id}" was edited: it is not what its digest says`,
    hint: `bring ${house.store.runFolder(id)}/flow.json back, or start a new run`,
  });
}

/** Flows that were looked at: what is read once is the same object as long as its file is the same. */
const WHOLE = new WeakSet<Flow>();

type Told = { run: Run; events: Event[] };

async function begun(house: House, frozen: Frozen, journal: OpenRun): Promise<Told> {
  const told = beginning(house, frozen);
  for (const event of told.events) await journal.append(event, placeOf(told.run.cursor));
  return told;
}

/** The run as its first line would make it; nothing is written. */
function beginning(house: House, { run: id, flow, opening, parent }: Frozen): Told {
  const { job, inputs, by } = opening;
  const told = {
    type: "started" as const,
    run: id,
    job,
    flow: flow.name,
    digest: flow.digest,
    inputs,
    ...(parent ? { parent } : {}),
  };
  const event = { seq: 1, at: house.clock.now(), by, ...told };
  return { run: begin(flow, event), events: [event] };
}

/** What was found on the way in goes into the journal: a lock taken over, a torn tail cut. */
export async function remarkOn(world: World, { opened }: Taken): Promise<void> {
  for (const remark of opened.journal.remarks) await record(world, opened, { type: "remark", ...remark }, "pawl");
}

/** Look at a run without the lock: what every command that only shows uses. Never writes. A run that was killed before its first
 *  line is shown as it will begin. */
export async function lookAt(
  house: House,
  id: string,
): Promise<{ frozen: Frozen; flow: Flow; run: Run; events: Event[]; head: string }> {
  const frozen = await frozenOf(house, id);
  const lines = await house.store.read(id);
  const told = fold(frozen.flow, lines) ?? beginning(house, frozen);
  return { frozen, flow: frozen.flow, ...told, head: house.sha256(lines.length ? JSON.stringify(lines.at(-1)) : "") };
}

/** Where a run stands, without its story: what is shown of many runs, or often. A snapshot of the journal as it stands saves folding it. */
export async function glanceAt(house: House, id: string): Promise<{ flow: Flow; run: Run; updated: string }> {
  const { flow, ...frozen } = await frozenOf(house, id);
  const { snapshot, lines, last } = await house.store.newest(id);
  const { run } = fold(flow, lines, snapshot) ?? beginning(house, { flow, ...frozen });
  return { flow, run, updated: last?.at ?? "" };
}
