// A pending job gets its name: as soon as the spec speaks of the branch that is checked out, its runs are that ticket's.
import { founderOf, isPending } from "../core/job.js";
import type { EventBody, Run } from "../core/model.js";
import { Refusal } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { OpenRun } from "../ports/store.js";
import type { Opened, World } from "../ports/world.js";
import { record } from "./drive.js";
import { fold } from "./fold.js";
import { frozenOf, glanceAt } from "./open.js";
import { publisher } from "./publish.js";
import { silent } from "./silent.js";

type Renamed = EventBody & { type: "renamed" };

/**
 * The journals of the other runs of the job come first, this one's is next, and the files follow its line: killed anywhere, the job is
 * pending still and asked for again, or it is renamed and the publisher goes on with the files.
 * What stands against it is told once and costs the run nothing: it goes on in its pending job.
 */
export function renamer(house: House, warned: (text: string) => void): NonNullable<World["renaming"]> {
  let isWhole = false;
  return async (opened, append) => {
    if (isWhole) return;
    const against = isPending(opened.run.job) ? await rename(house, opened, append, warned) : undefined;
    isWhole = !isPending(opened.run.job);
    if (isWhole && opened.events.some(({ type }) => type === "renamed")) await publishOthers(house, opened.run, warned);
    if (against === undefined) return;
    if (opened.events.some((event) => event.type === "remark" && event.text === against)) return;
    await append({ type: "remark", about: "job", text: against });
    warned(against);
  };
}

/** Returns what stands against it. */
async function rename(
  house: House,
  opened: Opened,
  append: (body: EventBody) => Promise<void>,
  warned: (text: string) => void,
): Promise<string | undefined> {
  const { id, job } = opened.run;
  const name = await nameOf(house, opened.run);
  if (name === undefined) return undefined;
  if (typeof name === "string") return `run ${id} stays in job "${job}": ${name}`;
  const strangers = await strangersIn(house, name.job, job);
  if (strangers.length) return taken(opened.run, name.job, strangers);
  const others = await takeOthers(house, id, job);
  if (others === undefined) return undefined; // one of them is being driven: asked again at the next step
  try {
    for (const other of others) await record(quietly(house, warned), other, name, "pawl");
    await append(name);
    return undefined;
  } finally {
    for (const { journal } of others) await journal[Symbol.asyncDispose]();
  }
}

/** The name of the job by now; a text says why it cannot have the one it should. */
async function nameOf(house: House, { id, job }: Run): Promise<Renamed | string | undefined> {
  const founder = founderOf(job);
  const known = founder !== undefined && founder !== id && (await house.store.has(founder));
  const first = known ? (await glanceAt(house, founder)).run : undefined;
  if (first && !isPending(first.job)) return renamedTo(first.job, first.inputs.ticket, first.branch);
  try {
    const here = await house.job();
    if (!here.isOfSpec || here.branch === undefined) return undefined;
    const isOwn = here.ticket !== null || !(await house.branches()).protected.includes(here.branch);
    return isOwn ? renamedTo(here.job, here.ticket ?? undefined, here.branch) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const renamedTo = (job: string, ticket?: string, branch?: string): Renamed => ({
  type: "renamed",
  job,
  ...(ticket ? { ticket } : {}),
  ...(branch ? { branch } : {}),
});

/** Files of runs in the folder of the job that did not begin in the pending one. */
async function strangersIn(house: House, job: string, pending: string): Promise<string[]> {
  const { records, unreadable } = house.recordsOf(job);
  const strangers = unreadable.map(({ file }) => file);
  for (const { run, file } of records) {
    const isOurs = await house.store.frozen(run).then(
      ({ opening }) => opening.job === pending,
      () => false,
    );
    if (!isOurs) strangers.push(file);
  }
  return strangers;
}

function taken({ id, job }: Run, to: string, files: string[]): string {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  return `run ${id} stays in ".pawl/jobs/${job}": its job "${to}" has runs already in ".pawl/jobs/${to}" (${files[0]}${more}); both keep all their files. Write another ticket in .pawl/spec.md, or move those runs away: it follows at its next step`;
}

/** The other runs of the pending job, locked; undefined when one of them is driven now. */
async function takeOthers(house: House, id: string, job: string): Promise<Opened[] | undefined> {
  const known = await house.store.list();
  const ids = house.recordsOf(job).records.map(({ run }) => run);
  const others: Opened[] = [];
  try {
    for (const other of ids) if (other !== id && known.includes(other)) others.push(...(await take(house, other, job)));
    return others;
  } catch (error) {
    for (const { journal } of others) await journal[Symbol.asyncDispose]();
    if (error instanceof Refusal && error.code === "locked") return undefined;
    throw error;
  }
}

async function take(house: House, id: string, job: string): Promise<Opened[]> {
  const { flow } = await frozenOf(house, id);
  const journal: OpenRun = await house.store.open(id);
  try {
    const told = fold(flow, journal.lines);
    if (told?.run.job === job) return [{ flow, journal, ...told }];
  } catch (error) {
    await journal[Symbol.asyncDispose]();
    throw error;
  }
  await journal[Symbol.asyncDispose]();
  return [];
}

/** Records that speak of the job by its pending name are written anew: after a kill they may have been left behind. */
async function publishOthers(house: House, { id, job }: Run, warned: (text: string) => void): Promise<void> {
  const known = await house.store.list();
  for (const record of house.recordsOf(job).records) {
    if (record.run === id || record.job === job || !known.includes(record.run)) continue;
    const others = await take(house, record.run, job).catch((error: unknown) => {
      if (error instanceof Refusal) return []; // its driver publishes it
      throw error;
    });
    for (const opened of others) {
      await publisher(house, warned)(opened);
      const place = { job, loop: opened.flow.name, run: record.run };
      const trouble = await house.records.publishJournal(place);
      if (trouble) warned(trouble);
      await opened.journal[Symbol.asyncDispose]();
    }
  }
}

/** For a line in the journal of a run that nobody drives. */
const quietly = (house: House, warned: (text: string) => void): World => ({
  workerFor: () => {
    throw new Error("unreachable: it is not driven");
  },
  clock: house.clock,
  notifier: silent(warned),
  published: async () => undefined,
});
