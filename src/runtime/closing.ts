// What happens when a run ends: what it learned goes into the memory bank, its record is committed, and that commit is pushed where it is safe.
// Two moments, each made again after a crash without doing anything twice: the note at the last checkpoint, before the end is on paper (so
// that a loop that follows begins with it); the commit after the end, when journal and record are whole. Between them the commit is owed:
// `closing.json` in the run's folder says so. It is the last file of a run to go, once the commit is made or was tried and failed: whatever
// a kill leaves of an ended run, somebody still comes by who sweeps it.
import type { Branches } from "../core/branches.js";
import { iterationsOf } from "../core/loop-md.js";
import { keepable, learnedIn, MEMORY_FILES, NOTES_FILE, type SessionNote, withNote } from "../core/memory.js";
import type { Event, Flow, Run } from "../core/model.js";
import { phaseOf, restMessageOf, reviewFiles } from "../core/phase.js";
import { ownerOf, settled, workOf } from "../core/place.js";
import { STATE_PATH, withState } from "../core/state.js";
import { viewOf } from "../core/view.js";
import { FaultError, Refusal } from "../ports/errors.js";
import type { CommitEnd } from "../ports/git.js";
import type { House, JobRecord } from "../ports/house.js";
import type { Frozen } from "../ports/store.js";
import { isStep } from "./ids.js";
import { type Taken, takeRun } from "./open.js";
import { publisher } from "./publish.js";

/** What is owed to a run that is about to end. */
interface Owed {
  /** Of the line before the last checkpoint; a run that is reopened and ends again is closed again. */
  seq: number;
  /** Absent: it could not be added to the memory bank. */
  note?: SessionNote;
}
const NOTES_PATH = `.pawl/${NOTES_FILE}`;

/** At the last checkpoint. Says what failed; a step of another run is closed with that one. */
export async function noteEnd(house: House, frozen: Frozen, run: Run): Promise<string | undefined> {
  if (isStep(house.sha256, frozen)) return undefined;
  const note = noteOf(frozen.flow, run, await house.store.read(run.id));
  const trouble = await house.memory.add(note);
  const owed: Owed = { seq: run.seq, ...(trouble ? {} : { note }) };
  await house.files.write(owedPath(house, run.id), JSON.stringify(owed));
  return trouble;
}

/** After the end, or at a rest. Returns warnings for people; the run's outcome stands whatever they say. Does nothing for any other run,
 *  for one that is closed already, or that is a step of another. */
export async function closeRun(house: House, taken: Taken, signal: AbortSignal): Promise<string[]> {
  const { frozen, opened } = taken;
  const { run, flow, events } = opened;
  if (run.cursor.at !== "ended") return closeRest(house, taken, signal);
  const owed = await owedOf(house, run.id);
  if (!owed) return [];
  const warnings = await tellAndCommit(house, { frozen, flow, run, events, owed }, signal);
  await opened.journal.snapshot(run, true);
  await house.files.remove(owedPath(house, run.id));
  return warnings;
}

/** Where a doer and reviewer loop rests with a word of its own: aborted, paused, manual items pending. Asked for again it finds its
 *  commit, so whoever goes on with a run asks first: a kill may have come between the rest and its commit. */
export async function closeRest(house: House, { frozen, opened }: Taken, signal: AbortSignal): Promise<string[]> {
  const { run, flow, events } = opened;
  const rests = settled(run.cursor).at !== "ended" && restMessageOf(flow, run, 0) !== undefined;
  if (!rests || isStep(house.sha256, frozen)) return [];
  return tellAndCommit(house, { frozen, flow, run, events, owed: { seq: run.since } }, signal);
}

async function tellAndCommit(house: House, closed: Ended, signal: AbortSignal): Promise<string[]> {
  const phase = phaseOf(closed.flow, closed.run);
  const trouble = phase && (await house.memory.tell(phase));
  const warnings = await orWarn(closed.run.id, () => commitRecord(house, closed, signal));
  return [...(trouble ? [trouble] : []), ...warnings];
}

/** Closes the ended runs of a job whose closing was cut off. Returns warnings; what cannot be closed now is left for the next time. */
export async function closeOwed(house: House, job: string, signal: AbortSignal): Promise<string[]> {
  const warnings: string[] = [];
  // a record may name any run
  for (const record of house.recordsOf(job).records)
    if ((await house.store.has(record.run)) && (await owedOf(house, record.run)))
      warnings.push(...(await orWarn(record.run, () => closeLate(house, record, signal))));
  return warnings;
}

async function closeLate(house: House, { run, head }: JobRecord, signal: AbortSignal): Promise<string[]> {
  if (await house.store.holder(run)) return [];
  await using taken = await takeRun(house, run);
  const warnings: string[] = [];
  if (head !== taken.opened.journal.head)
    // the kill came between the end and its record
    await publisher(house, (trouble) => warnings.push(trouble))(taken.opened);
  return [...warnings, ...(await closeRun(house, taken, signal))];
}

/** What the world could not do costs a run that is over nothing, and the next one neither. */
async function orWarn(run: string, close: () => Promise<string[]>): Promise<string[]> {
  try {
    return await close();
  } catch (error) {
    if (error instanceof FaultError || error instanceof Refusal)
      return [`the record of run ${run} is not committed: ${error.message}; look with "git status .pawl/"`];
    throw error;
  }
}

const owedPath = (house: House, run: string): string => `${house.store.runFolder(run)}/closing.json`;

async function owedOf(house: House, run: string): Promise<Owed | undefined> {
  const text = await house.files.text(owedPath(house, run));
  if (text === undefined) return undefined;
  try {
    const { seq, note } = JSON.parse(text) as Partial<Owed>; // ours, in a folder no work reaches
    return typeof seq === "number" ? { seq, ...(note ? { note } : {}) } : undefined;
  } catch {
    return undefined;
  }
}

function noteOf(flow: Flow, run: Run, events: Event[]): SessionNote {
  const { outcome, reason } = viewOf(flow, run);
  const outputs = events.flatMap((event) =>
    event.type === "verdict" && isAgents(flow, ownerOf(event.ticket)) ? [event.verdict.output ?? ""] : [],
  );
  const day = events.at(-1)?.at.slice(0, 10) ?? "";
  const learned = learnedIn(outputs).map((text) => `${text} (${keepable(flow.name)}, ${day})`);
  return {
    run: run.id,
    line: `${day} ${keepable(flow.name)}, job ${keepable(run.job)}: ${outcome}, ${keepable(reason)}`,
    learned,
  };
}

/** Only agents learn: what a program prints is nobody's conclusion. */
const isAgents = (flow: Flow, owner: string): boolean => workOf(flow, owner)?.kind === "agent";

interface Ended {
  frozen: Frozen;
  flow: Flow;
  run: Run;
  events: Event[];
  owed: Owed;
}

async function commitRecord(house: House, ended: Ended, signal: AbortSignal): Promise<string[]> {
  const { frozen, flow, run, events, owed } = ended;
  const at = await house.git.where();
  if (at.kind !== "repository") return [];
  const guarded = await protectionOf(house, at);
  if ("why" in guarded) return guarded.why ? [guarded.why] : [];
  const trouble = await house.records.publishJournal({ job: run.job, loop: flow.name, run: run.id });
  if (trouble) return [trouble];
  const folder = `${house.store.runFolder(run.id)}/closings/${owed.seq}`;
  const { note } = owed;
  const phase = phaseOf(flow, run);
  const message = phase && restMessageOf(flow, run, iterationsOf(flow, events));
  const end = await house.git.commit({
    paths: await pathsOf(house, ended),
    edits: {
      ...(note ? { [NOTES_PATH]: (before: string) => withNote(before, note) } : {}),
      // only where git tracks it
      ...(phase ? { [STATE_PATH]: (before: string) => (before === "" ? "" : withState(before, phase)) } : {}),
    },
    leavesIgnored: true,
    message: message ?? `${flow.checkpoint.message} (job ${run.job})`,
    intent: `${folder}/intent.json`,
    signposts: frozen.start.signposts,
    hook: await house.hookOf({ frozen, run, folder, signal }),
  });
  if (end.end !== "committed") return warningsOf(end);
  const pushed = await house.git.push(end.commit, folder);
  if (pushed.end === "pushed") return [];
  return [
    `the record is committed (${end.commit.slice(0, 12)}) and not pushed: ${pushed.why}; push it yourself: ${pushed.byHand}`,
  ];
}

function warningsOf(end: Exclude<CommitEnd, { end: "committed" }>): string[] {
  switch (end.end) {
    case "nothing":
      return [];
    case "refused":
      return [
        `the record of this run is not committed: ${end.why}; look with "git status .pawl/", then commit by hand: ${end.byHand}`,
      ];
    case "fault":
      return [
        `the record of this run is not committed: ${end.message}; look with "git status .pawl/", then commit by hand: git add .pawl/jobs && git commit -m "chore: sync loop state" -- .pawl/jobs`,
      ];
  }
}

/** Empty: a commit may be made here. `why` is what to say of a branch that takes none; undefined says nothing. */
async function protectionOf(
  house: House,
  at: Awaited<ReturnType<House["git"]["where"]>>,
): Promise<{ why?: string } | object> {
  const { branch } = at;
  if (branch === undefined) return {}; // the commit says what is wrong with that
  let branches: Branches;
  try {
    branches = await house.branches();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      why: `the record of this run is not committed, for it cannot be told which branches are protected: ${text}`,
    };
  }
  if (branches.named.includes(branch))
    return {
      why: `the record of this run is not committed: ".pawl/config.yaml" names "${branch}" as a branch that takes no commits of Pawl's own; go to a branch of your own to commit it`,
    };
  return branches.protected.includes(branch) ? { why: undefined } : {};
}

/** The record of the run, and of the runs that were its steps, the pages beside them, and the files of the memory bank as we made them:
 *  only what is there. */
async function pathsOf(house: House, { flow, run }: Ended): Promise<string[]> {
  const { workspace } = house.where;
  const whole = house.records.pathOf({ job: run.job, loop: flow.name, run: run.id });
  const folder = whole.slice(workspace.length + 1, whole.lastIndexOf("/"));
  const stems = [`${flow.name}-${run.id}`, ...(await stepsOf(house, run))];
  const names = stems.flatMap((stem) => [`${stem}.json`, `${stem}.jsonl`, `${stem}.flow.json`]);
  const paths = [...names, "LOOP.md", "LOOP.md.bak", ...reviewFiles(flow)].map((name) => `${folder}/${name}`);
  const reads = await Promise.all(paths.map(async (path) => house.files.read(workspace, path)));
  const there = paths.filter((_, i) => !("missing" in (reads[i] ?? { missing: true })));
  return [...there, ...(phaseOf(flow, run) ? await bankOf(house) : [])];
}

/** A doer and reviewer loop leaves nothing of its own uncommitted; what it made of the memory bank is still as it made it. */
async function bankOf(house: House): Promise<string[]> {
  const ours: string[] = [];
  for (const [name, template] of Object.entries(MEMORY_FILES)) {
    const path = `.pawl/${name}`;
    const read = await house.files.read(house.where.workspace, path);
    if (path !== NOTES_PATH && "text" in read && read.text === template) ours.push(path);
  }
  return ours;
}

async function stepsOf(house: House, run: Run): Promise<string[]> {
  const known = new Set(await house.store.list());
  const inJob = house.recordsOf(run.job).records.filter((record) => known.has(record.run));
  const all = await Promise.all(inJob.map(({ run: id }) => house.store.frozen(id)));
  const steps = all.filter((frozen) => isStep(house.sha256, frozen));
  const found = new Set([run.id]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { run: id, parent } of steps) if (parent !== undefined && found.has(parent)) found.add(id);
  }
  return steps.filter((step) => found.has(step.run)).map((step) => `${step.flow.name}-${step.run}`);
}
