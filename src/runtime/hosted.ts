// Drives runs for the agent of an IDE: it is handed one step at a time, and the rest is Pawl's.
// H1 One call, one hold of the lock: between calls nobody holds the run, so a terminal, a second server or CI may go on with it.
// H2 A call does bookkeeping only. What takes time (validators, commands, other agents) is done by a Pawl of its own, which outlives us.
// H3 Nothing an agent can call passes a gate but an answer, and an answer that came through the agent says so.
import { HOST, isHosts } from "../core/hosts.js";
import type { Command, EventBody, Flow, Run } from "../core/model.js";
import { type Question, questionOf } from "../core/question.js";
import { Refusal } from "../core/refusal.js";
import { next } from "../core/run.js";
import { outcomeOf, statusOf } from "../core/view.js";
import type { House } from "../ports/house.js";
import type { Notifier } from "../ports/notifier.js";
import type { Holder } from "../ports/store.js";
import type { HostedWorld } from "../ports/world.js";
import { toldElsewhere } from "./branch.js";
import { carryOn } from "./carry-on.js";
import { claim, openRunOf } from "./claim.js";
import { closeOwed, closeRest, closeRun } from "./closing.js";
import { record } from "./drive.js";
import { followerOf, innerOf } from "./offspring.js";
import { frozenOf, glanceAt, type Taken, takeRun } from "./open.js";
import { silent } from "./silent.js";
import { readyFor, refuseStart, startRun } from "./start.js";

/** Whose turn it is. */
export type Turn =
  /** The host's agent; `text` is the whole step. Absent while it names files of a folder that is not made yet: loop_continue makes it. */
  | { of: "host"; command: Command & { do: "work" }; text?: string }
  | { of: "person"; question: Question; ticket: string; tree: string }
  /** A Pawl is at work on it. */
  | { of: "pawl"; holder: Holder }
  /** Pawl's own, but nobody is at it: whoever was has died. */
  | { of: "nobody" }
  /** Parked, waiting or ended. */
  | { of: "rest" };
export interface Standing {
  id: string;
  flow: Flow;
  run: Run;
  turn: Turn;
  /** Told with the answer: what did not work and cost the run nothing. */
  warnings: string[];
  /** The run that was asked about has ended, and this one was started by its end. */
  followed?: { run: string; loop: string; outcome: string };
}
export interface Caller {
  house: House;
  signal: AbortSignal;
}

/** Starts a run of a loop that the repository or the package has by this name. */
export async function begin(caller: Caller, name: string, inputs: Record<string, string>): Promise<Standing> {
  const { house, signal } = caller;
  const loaded = await house.load(name, { agent: HOST });
  const { job, ticket, warning } = await house.job();
  refuseStart(house, loaded);
  const owed = house.where.kind === "repository" ? await closeOwed(house, job, signal) : [];
  const { carryOn: open } = await claim(house, job, loaded.flow);
  if (open) return onward(caller, open);
  await readyFor(house, loaded.flow, signal, "there");
  const taken = await startRun(house, loaded, { job, ticket, inputs, by: house.user });
  const standing = await onward(caller, taken.frozen.run, { taken });
  const { trouble } = house.memory.open();
  const told = [warning, trouble].filter((text) => text !== undefined);
  return { ...standing, warnings: [...loaded.warnings, ...told, ...owed, ...standing.warnings] };
}

/** The open run of this job where it stands: of loops within loops the innermost. Undefined when there is none. */
export async function active(house: House): Promise<string | undefined> {
  const { job } = await house.job();
  let id = (await openRunOf(house, job))?.run;
  if (id !== undefined && !(await house.store.has(id))) {
    await house.adopt(id); // begun in another clone, and its record came with the branch
  }
  while (id !== undefined) {
    const { flow, run } = await glanceAt(house, id);
    const inner = await innerOf(house, flow, run);
    if (inner === undefined || (await glanceAt(house, inner)).run.cursor.at === "ended") return id;
    id = inner;
  }
  return undefined;
}

/** Looks, and writes nothing. */
export async function standingOf(house: House, id: string): Promise<Standing> {
  const { flow, run } = await glanceAt(house, id);
  return { id, flow, run, turn: await turnOf(house, flow, run), warnings: [] };
}

async function turnOf(house: House, flow: Flow, run: Run): Promise<Turn> {
  const [command] = next(flow, run);
  const holder = await house.store.holder(run.id);
  if (command === undefined) return holder ? { of: "pawl", holder } : { of: "rest" };
  if (holder) return { of: "pawl", holder };
  const asked = await askedOf(house, flow, run);
  if (asked) return asked;
  if (command.do !== "work" || !isHosts(command, flow)) return { of: "nobody" };
  const world = await worldFor(house, await frozenOf(house, run.id), silent());
  const text = await world.host.shown(command, run);
  return { of: "host", command, ...(text === undefined ? {} : { text }) };
}

/** The question a run stands at, about the tree as it is now; undefined where it asks nothing. */
export async function askedOf(house: House, flow: Flow, run: Run): Promise<(Turn & { of: "person" }) | undefined> {
  const [command] = next(flow, run);
  if (command?.do !== "work" || command.work.kind !== "ask") return undefined;
  const { digest } = await house.git.tree();
  const question = questionOf(flow, run, digest);
  return question && { of: "person", question, ticket: command.ticket, tree: digest };
}

export interface Onward {
  /** Taken already, and let go here. */
  taken?: Taken;
  /** What moves the run, asked for under the lock: undefined moves nothing. */
  move?(taken: Taken, world: HostedWorld): Promise<EventBody | undefined>;
  by?: string;
  /** A parked run stays parked unless this is true or something moves it. */
  resume?: boolean;
}

/** Moves a run to where somebody else is to act, hands the host its step, or starts a Pawl of its own for what takes time. */
export async function onward(caller: Caller, id: string, how: Onward = {}): Promise<Standing> {
  const { house } = caller;
  const warnings: string[] = [];
  const taken = how.taken ?? (await takeRun(house, id));
  const standing = await using(taken, async () => {
    const world = await worldFor(
      house,
      taken.frozen,
      silent((text) => void warnings.push(text)),
    );
    const event = await how.move?.(taken, world);
    const isParked = taken.opened.run.cursor.at === "parked";
    if (event || !isParked || how.resume) {
      warnings.push(...(await closeRest(house, taken, caller.signal)));
      const options = { by: how.by ?? house.user, signal: caller.signal, ...(event ? { event } : {}) };
      await carryOn(house, world, taken, options);
      warnings.push(...(await closeRun(house, taken, caller.signal)));
    }
    const { flow, run } = taken.opened;
    return { id, flow, run, turn: await handed(taken, world, house), warnings };
  });
  const follower = standing.run.cursor.at === "ended" ? followerOf(taken) : undefined;
  if (follower !== undefined) return followedBy(standing, await onward(caller, follower));
  if (standing.turn.of !== "nobody") return standing;
  await house.driveBehind(id);
  const later = await standingOf(house, id);
  return { ...later, warnings: [...warnings, ...later.warnings] };
}

export function followedBy({ id, flow, run }: Standing, next: Standing): Standing {
  const outcome = outcomeOf(run) ?? statusOf(flow, run);
  return { ...next, followed: { run: id, loop: flow.name, outcome } };
}

/** Under the lock: a step of the host's is written down as begun, once, and handed out. */
async function handed(taken: Taken, world: HostedWorld, house: House): Promise<Turn> {
  const { opened } = taken;
  const [command] = next(opened.flow, opened.run);
  if (command === undefined) return { of: "rest" };
  const asked = await askedOf(house, opened.flow, opened.run);
  if (asked) return asked;
  if (command.do !== "work" || !isHosts(command, opened.flow)) return { of: "nobody" };
  await begunOnce(taken, world, command);
  return { of: "host", command, text: await world.host.handOut(command, opened.run) };
}

/** A start is written down once for a step: handing it out again is no try that failed. */
export async function begunOnce({ opened }: Taken, world: HostedWorld, { ticket }: Command): Promise<void> {
  if ((opened.run.tries[ticket] ?? 0) === 0)
    await record(world, opened, { type: "begun", ticket, performer: HOST }, HOST);
}

/** Commands that are not bookkeeping go to others (H2). */
const worldFor = (house: House, frozen: Taken["frozen"], notifier: Notifier): Promise<HostedWorld> =>
  house.worldOf({
    frozen,
    engine: undefined,
    notifier,
    away: ({ do: kind }) => kind === "work" || kind === "hook",
  });

async function using<T>(taken: Taken, work: () => Promise<T>): Promise<T> {
  await using _taken = taken;
  return await work(); // let go only then
}

/** Refusal ("no-active-run") that says what is open elsewhere, or how to start one. */
export async function activeOrRefuse(house: House): Promise<string> {
  const id = await active(house);
  if (id !== undefined) return id;
  const { message, hint } = await noneActive(house);
  throw new Refusal("no-active-run", message, hint, 3);
}

export async function noneActive(house: House): Promise<{ message: string; hint: string }> {
  const { job } = await house.job();
  const start = "start one with run_loop; list_loops names the loops";
  const told = await toldElsewhere(house, job);
  const none = `no run is active in job "${job}"`;
  return told
    ? { message: `${none}: ${told.message}`, hint: `${told.hint}; or ${start}` }
    : { message: none, hint: start };
}
