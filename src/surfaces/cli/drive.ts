// Drives a run for a person or a script: progress while it goes, gates where somebody is there to answer, the result at rest.

import type { Charge } from "../../core/bill.js";
import { isHosts } from "../../core/hosts.js";
import type { EventBody, Flow, Performer } from "../../core/model.js";
import { questionOf } from "../../core/question.js";
import { Refusal } from "../../core/refusal.js";
import type { View } from "../../core/view.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { answerEvent } from "../../runtime/answer.js";
import { type CarryOnOptions, carryOn } from "../../runtime/carry-on.js";
import { closeOwed, closeRest, closeRun } from "../../runtime/closing.js";
import type { Rest } from "../../runtime/drive.js";
import { followerOf, outerOf } from "../../runtime/offspring.js";
import { type Taken, takeRun } from "../../runtime/open.js";
import { type Result, resultOf } from "../../runtime/result.js";
import { readyFor } from "../../runtime/start.js";
import type { CliHouse, Desk } from "./desk.js";
import { statusText } from "./render/status.js";
import { Reporter } from "./reporter.js";

export interface How extends Omit<CarryOnOptions, "by" | "signal"> {
  /** Works in the place of the host's agent. */
  standIn?: Performer;
  /** On behalf of an MCP server: the host's steps are left to the host. */
  isBehind?: boolean;
}

/** Drive until it rests, and after that the run it chains to, or the one it is a step of. Prints the result of the last; returns the exit code. */
export async function driveAndTell(desk: Desk, house: CliHouse, taken: Taken, how: How): Promise<number> {
  const rested = await driveOne(desk, house, taken, how);
  const ended = rested.run.cursor.at === "ended";
  const warnings = await closeRun(house, taken, desk.signal);
  const goesOn = ended ? (followerOf(taken) ?? (await outerOf(house, rested.run.id))) : undefined;
  await taken[Symbol.asyncDispose]();
  const told = await resultOf(house, taken.opened.flow, rested.run);
  told.result.warnings.push(...warnings);
  if (!goesOn || desk.signal.aborted) return tell(desk, told);
  if (!desk.json) desk.err(`${statusText(told.view, screenOf(desk)).join("\n")}\n`);
  warn(desk, warnings);
  const { standIn, isBehind } = how;
  return driveAndTell(desk, house, await takeRun(house, goesOn), {
    ...(standIn ? { standIn } : {}),
    ...(isBehind ? { isBehind } : {}),
  });
}

const warn = (desk: Desk, warnings: string[]): void => {
  for (const text of warnings) desk.err(`warning: ${text}\n`);
};

/** Runs of this job whose closing was cut off are closed now. */
export async function closeLate(desk: Desk, house: CliHouse, job: string): Promise<void> {
  if (house.where.kind === "repository") warn(desk, await closeOwed(house, job, desk.signal));
}

async function driveOne(desk: Desk, house: CliHouse, taken: Taken, { standIn, isBehind, ...how }: How): Promise<Rest> {
  const { frozen, opened } = taken;
  const engine = await engineFor(desk, house, opened.flow, standIn ?? "there");
  const notifier = new Reporter(desk, house.clock);
  const extras = await house.extrasOf(frozen);
  const world = await house.worldOf({
    frozen,
    engine,
    extras,
    notifier,
    ...(isBehind ? { away: isHosts } : {}),
    ...(standIn ? { standIn } : {}),
  });
  for (const text of await closeRest(house, taken, desk.signal)) notifier.warned(text);
  const go = (more: How) => carryOn(house, world, taken, { by: house.user, signal: desk.signal, ...more });
  try {
    let rest = await go(how);
    while (desk.terminal && !desk.json && !desk.signal.aborted) {
      const event = await askGate(house, taken, rest, notifier);
      if (!event) break;
      rest = await go({ event });
    }
    return rest;
  } finally {
    notifier.close();
  }
}

/** None when we are told to stop meanwhile: the drive then only writes the stop down, and that needs no engine. */
async function engineFor(
  desk: Desk,
  house: CliHouse,
  flow: Flow,
  host: Performer | "there",
): Promise<Sandbox | undefined> {
  try {
    return (await readyFor(house, flow, desk.signal, host)).engine;
  } catch (error) {
    if (desk.signal.aborted) return undefined;
    throw error;
  }
}

/** The person's answer to the gate this run rests at, if it does and they give one. */
async function askGate(
  house: CliHouse,
  { opened }: Taken,
  rest: Rest,
  notifier: Reporter,
): Promise<EventBody | undefined> {
  if (rest.within) return undefined; // the gate of an inner loop is answered by its own id
  const { digest } = await house.git.tree();
  const question = questionOf(opened.flow, opened.run, digest);
  if (!question) return undefined;
  notifier.close();
  const { askAtTerminal } = await import("./ask.js");
  const reply = await askAtTerminal(question);
  if (!reply) return undefined;
  const now = await house.git.tree();
  if (now.digest !== digest) {
    throw new Refusal(
      "shown-is-stale",
      "the tree changed while the question was shown",
      `answer again: pawl answer ${opened.run.id}`,
      3,
    );
  }
  return answerEvent(
    house,
    { flow: opened.flow, run: opened.run },
    { question, reply, tree: digest, channel: "terminal" },
  );
}

/** The result, as it was asked for. With --strict a success with warnings is none. */
export function tell(desk: Desk, { view, result }: { view: View; result: Result }, bill: Charge[] = []): number {
  const open = result.unconfined.map((name) => `agent "${name}" works outside the sandbox`);
  const lines = statusText(view, {
    ...screenOf(desk),
    bill,
    notes: [...result.warnings.map((text) => `warning: ${text}`), ...open],
  });
  desk.out(
    `${desk.json ? JSON.stringify(bill.length ? { ...result, ledger: bill } : result, null, 2) : lines.join("\n")}\n`,
  );
  return desk.strict && result.exit === 0 && result.outcome === "warning" ? 1 : result.exit;
}
export const screenOf = (desk: Desk): { columns: number; colour: boolean } => ({
  columns: desk.columns(),
  colour: desk.colour,
});

/** The run a command names, or the one that is open in this job. */
export async function runNamed(
  house: CliHouse,
  name: string | undefined,
  open: () => Promise<string | undefined>,
): Promise<string> {
  if (name !== undefined) return house.store.find(name);
  const found = await open();
  if (found) return found;
  throw new Refusal("no-open-run", "no run is open in this job", "name one (pawl list), or start one: pawl run LOOP");
}
