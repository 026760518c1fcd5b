// Goes on with a run: what people changed meanwhile is noticed, what parked it is resumed, then it is driven until it rests.
import { limitNamed } from "../core/allowance.js";
import { isHosts } from "../core/hosts.js";
import type { EventBody, Run } from "../core/model.js";
import { settled } from "../core/place.js";
import { FaultError } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { World } from "../ports/world.js";
import { drive, type Rest, record } from "./drive.js";
import { remarkOn, type Taken } from "./open.js";
import { takeOrder } from "./order.js";
import { commits } from "./start.js";

export interface CarryOnOptions {
  by: string;
  maxAttempts?: number;
  /** Limits of time, money or tokens that a person sets: "usd" or "STEP.usd" to a number in the figure's own unit. */
  limits?: Record<string, number>;
  /** What people changed in the tree while the run rested becomes the run's own. */
  acceptChanges?: boolean;
  /** The published journal this run was just taken over from. */
  adopted?: string;
  /** A person's answer to the open gate, or another event that moves the run on. */
  event?: EventBody;
  signal: AbortSignal;
}

/** Resume a parked run (a refusal when it cannot be), answer its gate where an answer is given, then drive. A run that crashed is just driven. */
export async function carryOn(house: House, world: World, taken: Taken, options: CarryOnOptions): Promise<Rest> {
  const { opened } = taken;
  await noticeChanges(house, world, taken, options);
  await remarkOn(world, taken);
  if (options.adopted)
    await record(
      world,
      opened,
      { type: "remark", about: "adopted", text: `taken over from ${options.adopted}` },
      options.by,
    );
  if (options.maxAttempts !== undefined) await extend(world, taken, options.maxAttempts, options.by);
  await setLimits(world, taken, options);
  if (options.event) await record(world, opened, options.event, options.by);
  else await resume(world, taken, options);
  const over = new AbortController();
  try {
    await house.clock.sleep(HEARD_MS, over.signal); // a signal that came while the run was taken is heard before anything begins
    const stop = await ordered(house, opened.run.id, options.signal, over.signal);
    const rest = await drive(world, opened, stop);
    // what changes while a step is with the host's agent is that step's work
    if (!rest.handoff || !isHosts(rest.handoff, opened.flow)) await pictureRest(house, world, rest.run);
    return rest;
  } finally {
    over.abort();
  }
}

/** One turn of the event loop, in which signals arrive. */
const HEARD_MS = 1;

/** A park that was written down without its checkpoint (its writer died, or drove nothing) is saved first: it is a park to people. */
async function resume(world: World, { opened }: Taken, { by, signal }: CarryOnOptions): Promise<void> {
  if (opened.run.cursor.at === "checkpoint" && settled(opened.run.cursor).at === "parked")
    await drive(world, opened, signal);
  if (opened.run.cursor.at === "parked") await record(world, opened, { type: "resumed" }, by);
}

/** A stop that another process asked for left its order with the run: it goes before what the signal alone says. */
async function ordered(house: House, run: string, signal: AbortSignal, over: AbortSignal): Promise<AbortSignal> {
  const stop = new AbortController();
  const pass = async () => stop.abort((await takeOrder(house, run)) ?? signal.reason);
  if (signal.aborted)
    await pass(); // before the first command is asked for: none may begin any more
  else signal.addEventListener("abort", () => void pass(), { once: true, signal: over });
  return stop.signal;
}

async function extend(world: World, { opened }: Taken, maxAttempts: number, by: string): Promise<void> {
  const { flow, run } = opened;
  const { first = 0, limit = 0 } = flow.budgets.attempts ?? {};
  const was = (run.limits.attempts ?? limit) + first;
  await record(world, opened, { type: "extended", budget: "attempts", limit: maxAttempts - first, was }, by);
}

async function setLimits(world: World, { opened }: Taken, { limits = {}, by }: CarryOnOptions): Promise<void> {
  for (const [limit, to] of Object.entries(limits)) {
    const was = limitNamed(opened.flow, opened.run, limit);
    if (was.value !== to)
      await record(
        world,
        opened,
        { type: "limited", limit, to, ...(was.value === undefined ? {} : { was: was.value }) },
        by,
      );
  }
}

const restPath = (house: House, run: Run): string => `${house.store.runFolder(run.id)}/rest.json`;

interface Picture {
  seq: number;
  files: Record<string, string>;
  /** Paths that were not committed at that moment. */
  dirty: string[];
}

/** The run rests whether its picture can be taken or not; who knows that it could not looks for themselves. */
async function pictureRest(house: House, world: World, run: Run): Promise<void> {
  try {
    const tree = await house.git.tree();
    const picture: Picture = { seq: run.seq, files: tree.files, dirty: await house.git.dirty(tree) };
    await house.files.write(restPath(house, run), JSON.stringify(picture));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    world.notifier.warned(
      `${error.message}; what people change until the run goes on cannot be told from its own work, so look at the diff first`,
    );
  }
}

async function pictureOf(house: House, run: Run): Promise<Picture | undefined> {
  try {
    const picture = JSON.parse((await house.files.text(restPath(house, run))) ?? "null") as Partial<Picture> | null; // looked at next
    const { seq, files, dirty } = picture ?? {};
    const isWhole = typeof seq === "number" && typeof files === "object" && files !== null && Array.isArray(dirty);
    return isWhole ? { seq, files, dirty } : undefined;
  } catch {
    return undefined; // half written or damaged: as if none had been taken
  }
}

/** P7: edits made while nobody drove the run are people's. The picture of a rest counts only while nothing has happened since. */
async function noticeChanges(
  house: House,
  world: World,
  { opened }: Taken,
  { by, acceptChanges }: CarryOnOptions,
): Promise<void> {
  const rest = await pictureOf(house, opened.run);
  if (rest?.seq === opened.run.seq && !acceptChanges) {
    const paths = house.git.changed({ digest: "", findings: [], files: rest.files }, await house.git.tree());
    const shared = paths.filter((path) => rest.dirty.includes(path));
    const kept = { paths: paths.slice(0, PATHS_MAX), shared: shared.slice(0, PATHS_MAX) };
    if (paths.length) {
      await record(world, opened, { type: "foreign", ...kept, accepted: false }, by);
      if (commits(opened.flow)) world.notifier.warned(warningOf(opened.run.id, paths, shared));
    }
  }
  if (acceptChanges && opened.run.foreign.length)
    await record(world, opened, { type: "foreign", paths: [], accepted: true }, by);
}
function warningOf(run: string, paths: string[], shared: string[]): string {
  const named = (all: string[]) =>
    `${all.slice(0, 5).join(", ")}${all.length > 5 ? ` and ${all.length - 5} more` : ""}`;
  const mixed = shared.length ? `; the run had changed ${named(shared)} too, so it will not commit` : "";
  return `changed while run ${run} rested, so not its own to commit: ${named(paths)}${mixed}; pawl resume --accept-changes takes them in`;
}

/** More are a branch switch, not an edit; the commit step then has its own checks. */
const PATHS_MAX = 1_000;
