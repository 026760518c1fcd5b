// One open run a job. Found by looking at the published records, never by a pointer that could go stale.
import { isPending } from "../core/job.js";
import type { Flow } from "../core/model.js";
import { Refusal } from "../ports/errors.js";
import type { House, JobRecord } from "../ports/house.js";
import { glanceAt } from "./open.js";

const ENDED = ["complete", "failed"];

/**
 * The open run of a job, if there is one; else the one run of this work tree that has no ticket or branch yet, for it may be about to
 * become this job's. Children (loops as steps) are not counted. Throws a Refusal when the records do not say.
 */
export async function openRunOf(house: House, job: string): Promise<JobRecord | undefined> {
  const own = only(await openIn(house, job), `job "${job}" has more than one open run`);
  return own ?? only(await pendingRuns(house), "more than one open run has no ticket yet");
}

function only(open: JobRecord[], many: string): JobRecord | undefined {
  if (open.length <= 1) return open[0];
  const files = open.map(({ file }) => `"${file}"`).join(" and ");
  throw new Refusal("ambiguous-run", `${many}: ${files}`, "end one: pawl abandon RUN", 3);
}

async function openIn(house: House, job: string): Promise<JobRecord[]> {
  const { records, unreadable } = house.recordsOf(job);
  if (unreadable.length) {
    const files = unreadable.map(({ file, why }) => `"${file}" (${why})`).join(", ");
    const hint = "bring the file back (git checkout), or move it out of the folder";
    throw new Refusal("unreadable-record", `the runs of job "${job}" cannot be told: ${files}`, hint);
  }
  const open: JobRecord[] = [];
  for (const record of [...records, ...(await unpublished(house, (its) => its === job, records))])
    if ((await isOpen(house, record)) && !(await isChild(house, record.run))) open.push(record);
  return open;
}

/** A complete run without an outcome has made its pull request and is to be validated still; on the branches it is merged to it is history. */
async function isOpen(house: House, { status, isOpenEnded }: JobRecord): Promise<boolean> {
  if (status !== "complete" || !isOpenEnded) return !ENDED.includes(status);
  const { branch } = await house.git.where();
  return branch !== undefined && !(await house.branches()).protected.includes(branch);
}

async function pendingRuns(house: House): Promise<JobRecord[]> {
  const open: JobRecord[] = [];
  for (const job of house.pendingJobs()) open.push(...(await openIn(house, job)));
  return [...open, ...(await unpublished(house, isPending, open))];
}

/** Runs that were killed before their first record: they are open, and a second start must hear of them. */
async function unpublished(house: House, isIts: (job: string) => boolean, records: JobRecord[]): Promise<JobRecord[]> {
  const known = new Set(records.map(({ run }) => run));
  const found: JobRecord[] = [];
  for (const run of await house.store.neverRested()) {
    if (known.has(run)) continue;
    try {
      const { flow, opening, start } = await house.store.frozen(run);
      const isHere = isIts(opening.job) && start.workspace === house.where.workspace;
      const begins = isHere && (await house.store.read(run)).length <= 1;
      if (begins) found.push({ run, loop: flow.name, file: house.store.runFolder(run), status: "pending" });
    } catch {
      // broken: pawl list says so
    }
  }
  return found;
}

/** What a start by name means in this job: a new run, or the carrying on of a doer loop. Throws a Refusal for everything else. */
export async function claim(house: House, job: string, flow: Flow): Promise<{ carryOn?: string }> {
  const open = await inTheWay(house, job);
  if (open && (open.loop !== flow.name || flow.restart === "free")) {
    const message = `job "${job}" has an open run: ${open.run} (${open.loop}, ${open.status})`;
    throw new Refusal(
      "open-run",
      message,
      `go on with it: pawl resume ${open.run}; or end it: pawl abandon ${open.run}`,
      3,
    );
  }
  if (open) return { carryOn: open.run };
  if (flow.restart === "free") return {};
  const { records } = house.recordsOf(job);
  const before = records.filter((record) => record.loop === flow.name).at(-1);
  if (!before) return {};
  const converged = before.status === "complete";
  const killed = !converged && (await wasKilled(house, before.run));
  const hint = killed
    ? `review the plan, then: pawl reset-loop ${before.run}`
    : `${converged ? "go on to the next loop, or " : ""}take a new branch or ticket`;
  const word = converged ? "converged" : killed ? "been killed" : "ended without approval";
  throw new Refusal("has-ended", `"${flow.name}" has ${word} in job "${job}" already (${before.run})`, hint, 1);
}

/** Of a run that another clone published nobody knows more than that it failed. */
async function wasKilled(house: House, id: string): Promise<boolean> {
  if (!(await house.store.list()).includes(id)) return true;
  const { cursor } = (await glanceAt(house, id)).run;
  return cursor.at === "ended" && cursor.ending === "killed";
}

/** A run without a ticket stands in the way where it could be meant or will soon be at home; elsewhere work goes on beside it. */
async function inTheWay(house: House, job: string): Promise<JobRecord | undefined> {
  const open = await openRunOf(house, job);
  if (!open || (await openIn(house, job)).some(({ run }) => run === open.run)) return open;
  const { branch, isOfSpec } = await house.job();
  const isFree = house.recordsOf(job).records.length === 0; // so the run takes this name at its next step
  if (branch === undefined || (isOfSpec && isFree)) return open;
  if ((await house.branches()).protected.includes(branch)) return open;
  const began = await house.store.frozen(open.run).then(
    ({ start }) => start.branch,
    () => branch, // published by another clone: not here to ask
  );
  return began === branch ? open : undefined;
}

async function isChild(house: House, run: string): Promise<boolean> {
  try {
    return (await house.store.frozen(run)).parent !== undefined && (await hasOpenParent(house, run));
  } catch {
    return false; // published by another clone: not here to ask
  }
}

async function hasOpenParent(house: House, run: string): Promise<boolean> {
  const { parent } = await house.store.frozen(run);
  const last = parent ? (await house.store.read(parent)).at(-1) : undefined;
  return last !== undefined && !last.place.startsWith("ended:");
}
