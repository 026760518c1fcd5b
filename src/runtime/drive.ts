// The whole imperative shell: ask what is next, write down that it begins, do it, write down what came of it.
// Carrying on after a crash is no special case: load, drive.
import { allowancesOf, overLimit } from "../core/allowance.js";
import { isPending } from "../core/job.js";
import type { Command, Event, EventBody, Flow, Run } from "../core/model.js";
import { ownerOf, placeOf } from "../core/place.js";
import { Refusal } from "../core/refusal.js";
import { apply, next } from "../core/run.js";
import { pauseMs } from "../core/setback.js";
import type { Answer, Begin, Task, Worker } from "../ports/worker.js";
import type { Opened, World } from "../ports/world.js";

/** Where a drive ended: the run at rest, and what is for somebody else to do. */
export interface Rest {
  run: Run;
  /** A question for a person, or a step for the host's agent. */
  handoff?: Command;
  /** A loop that runs as a step of this one rests: its id. */
  within?: string;
}
/** Why a drive is told to stop; the signal's `reason`. */
export interface StopOrder {
  code: "paused" | "interrupted";
  reason: string;
  by: string;
  abandon?: boolean;
}

/** Carries a run forward until it rests: waiting, parked, ended, or what is next is for somebody else. */
export async function drive(world: World, opened: Opened, signal: AbortSignal): Promise<Rest> {
  const seat = new Seat(world, opened);
  await world.published(opened);
  try {
    const rest = await driveOn(world, seat, signal);
    await seat.publish();
    return rest;
  } catch (error) {
    if (!(error instanceof Refusal)) await seat.publish(); // a run that is another's by now is the other's to tell of
    throw error;
  }
}

async function driveOn(world: World, seat: Seat, signal: AbortSignal): Promise<Rest> {
  const never = new AbortController().signal;
  for (;;) {
    if (signal.aborted) await seat.obey(signal.reason as StopOrder); // callers give no other reason
    await rename(world, seat);
    const commands = next(seat.flow, seat.run);
    const mine = commands.filter((command) => world.workerFor(command).here(command, seat.flow));
    if (!mine.length) return { run: seat.run, ...(commands[0] ? { handoff: commands[0] } : {}) };
    if (await heldBack(world, seat, mine, signal)) continue;
    // once the order to stop is written down, what is left (a checkpoint) is done in peace
    const within = await carryOut(world, seat, mine, signal.aborted ? never : signal);
    if (within) return { run: seat.run, within };
  }
}

/** Which limit of time, money or tokens keeps this work from beginning, in words. */
async function beyond(world: World, { flow, run }: Opened, commands: Command[]): Promise<string | undefined> {
  const work = commands.filter((command) => command.do === "work");
  if (!work.length) return undefined;
  const inner = allowancesOf(
    flow,
    run,
    work.map(({ node }) => node.name),
  );
  const outer = (await world.allowances?.(flow, run)) ?? [];
  return overLimit(
    run,
    [...inner, ...outer],
    work.map(({ ticket }) => ownerOf(ticket)),
  );
}

async function rename(world: World, seat: Seat): Promise<void> {
  if (isPending(seat.run.job)) await seat.publish(); // the records may be moved
  await world.renaming?.(seat.opened, (body) => seat.record(body));
}

/** After a fault that is tried again, waits for its time; what a limit forbids is not begun. True: look again at what is next. */
async function heldBack(world: World, seat: Seat, commands: Command[], signal: AbortSignal): Promise<boolean> {
  const tickets = commands.map(({ ticket }) => ticket);
  const ms = pauseMs(seat.run, tickets, world.clock.now());
  if (ms > 0) await world.clock.sleep(ms, signal).catch(() => {}); // told to stop meanwhile
  if (ms > 0 && signal.aborted) return true;
  const over = await beyond(world, seat.opened, commands);
  if (over) await seat.record({ type: "stopped", code: "limit", reason: over });
  return Boolean(over);
}

/** Append one event from outside (an answer, a stop, a resume) and return the run it made. Throws a Refusal, writing nothing. */
export async function record(world: World, opened: Opened, body: EventBody, by: string): Promise<Run> {
  const seat = new Seat(world, opened);
  await seat.record(body, by);
  return seat.run;
}

type Heard = { command: Command; answer: Answer };

/** All commands that are ours, side by side; each answer is written down as it comes. Returns the inner loop that rests, if one does. */
async function carryOut(
  world: World,
  seat: Seat,
  commands: Command[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const cut = new AbortController();
  // one alone is over when its answer is heard: there is no sibling whose fault could cut it short, and joining signals is dear
  const both = commands.length > 1 ? AbortSignal.any([signal, cut.signal]) : signal;
  const under = new Map<string, Promise<Heard>>();
  try {
    for (const command of commands) {
      const begin = await beginOn(world, seat, command);
      if (!begin) break; // it kept dying and is parked now: R6
      const task = { command, run: seat.run, flow: seat.flow, begin, tries: seat.run.tries[command.ticket] ?? 1 };
      const heard = hear(world.workerFor(command), task, both);
      heard.catch(() => {}); // looked at once all have begun; until then nobody else may call it unhandled
      under.set(command.ticket, heard);
    }
    return await hearAll(seat, under, cut);
  } finally {
    if (under.size) cut.abort(new Error("what it was begun with is over"));
    await Promise.allSettled(under.values()); // nobody is left at work when a drive ends, however it ends
  }
}

async function hearAll(
  seat: Seat,
  under: Map<string, Promise<Heard>>,
  cut: AbortController,
): Promise<string | undefined> {
  let within: string | undefined;
  while (under.size) {
    if (![...under.keys()].some((ticket) => seat.open(ticket))) cut.abort(new Error("the run is parked"));
    const { command, answer } = await Promise.race(under.values());
    under.delete(command.ticket);
    if ("cancelled" in answer || !seat.open(command.ticket)) continue; // told to stop, or a sibling's fault parked the run
    if ("yielded" in answer) within = answer.yielded.rest;
    const who = "answer" in answer ? answer.answer?.who : undefined;
    await seat.record(bodyOf(command.ticket, answer), who, under.size === 0);
  }
  return within;
}

/** On paper first. Undefined when this start would have been one too many. */
async function beginOn(world: World, seat: Seat, command: Command): Promise<Begin | undefined> {
  const begin = world.workerFor(command).begin(command, seat.run, seat.flow);
  const session = begin.session ? { session: begin.session } : {};
  await seat.record({ type: "begun", ticket: command.ticket, performer: begin.performer, ...session });
  return seat.open(command.ticket) ? begin : undefined;
}

const hear = async (worker: Worker, task: Task, signal: AbortSignal): Promise<Heard> => ({
  command: task.command,
  answer: await worker.carryOut(task, signal),
});

function bodyOf(ticket: string, answer: Exclude<Answer, { cancelled: true }>): EventBody {
  if ("fault" in answer) return faultOf(ticket, answer);
  if ("yielded" in answer) return { type: "yielded", ticket };
  if ("checkpointed" in answer) return { type: "checkpointed", ticket, ...answer.checkpointed };
  if ("chained" in answer) return { type: "chained", ticket, ...answer.chained };
  return { type: "verdict", ticket, ...answer };
}

const faultOf = (ticket: string, { fault, ...more }: Extract<Answer, { fault: unknown }>): EventBody => ({
  type: "fault",
  ticket,
  error: fault,
  ...more,
});

/** The run as it moves, with its journal: an event is on disk before the run has moved by it. */
class Seat {
  readonly flow: Flow;
  private isOwed = false;
  constructor(
    private readonly world: World,
    readonly opened: Opened,
  ) {
    this.flow = opened.flow;
  }
  get run(): Run {
    return this.opened.run;
  }
  /** `isFollowed`: the next event comes at once, and the record of this one is published while that is on its way to the disk. */
  async record(body: EventBody, by = "pawl", isFollowed = false): Promise<void> {
    const { journal } = this.opened;
    const event: Event = { seq: this.run.seq + 1, at: this.world.clock.now(), by, ...body };
    const moved = apply(this.flow, this.run, event); // throws a Refusal before anything is written
    await journal.append(event, placeOf(moved.cursor), this.isOwed ? () => this.publish() : undefined);
    await this.publish(); // whoever keeps the journal may have had no time for it
    this.opened.run = moved;
    this.opened.events.push(event);
    await journal.snapshot(moved);
    this.world.notifier.moved(this.flow, moved, event);
    this.isOwed = true;
    if (!isFollowed) await this.publish();
  }
  /** The record of the last event, if it is still owed. */
  async publish(): Promise<void> {
    if (!this.isOwed) return;
    this.isOwed = false;
    await this.world.published(this.opened);
  }
  /** Is this ticket's question still open? */
  open(ticket: string): boolean {
    return next(this.flow, this.run).some((command) => command.ticket === ticket);
  }
  /** Write the order to stop down, once; a run that rests or is on its way to rest has nothing to stop. */
  async obey(order: StopOrder): Promise<void> {
    if (["ended", "parked", "checkpoint", "chain"].includes(this.run.cursor.at)) return;
    const { reason, code, by } = order;
    await this.record(order.abandon ? { type: "abandoned", reason } : { type: "stopped", code, reason }, by);
  }
}
