// pawl run, resume, answer: a run is started or taken, and driven until it rests.

import { POSITION, phaseOf } from "../../core/phase.js";
import { questionOf } from "../../core/question.js";
import { Refusal } from "../../core/refusal.js";
import { STATE_PATH } from "../../core/state.js";
import type { Loaded, LoadOptions, PhaseFolder } from "../../ports/house.js";
import { answerEvent } from "../../runtime/answer.js";
import { noOpenRun, strayText } from "../../runtime/branch.js";
import { claim, openRunOf } from "../../runtime/claim.js";
import { lookAt, takeRun } from "../../runtime/open.js";
import { phaseNamed, positionIn, refusePhase } from "../../runtime/phases.js";
import { resultOf } from "../../runtime/result.js";
import { whyNoCommits } from "../../runtime/saving.js";
import { readyFor, refuseStart, startRun } from "../../runtime/start.js";
import type { CliHouse, Desk } from "./desk.js";
import { closeLate, driveAndTell, tell } from "./drive.js";

export interface RunOptions extends LoadOptions {
  input?: Record<string, string>;
  /** Limits of time, money or tokens: "usd", or "STEP.usd". */
  limit?: Record<string, number>;
  /** A phase by its slug, an older slug or its position: its folder is the job. */
  phase?: string;
}

/** A name with a slash or an ending is a path: names of loops have neither. */
export const isPath = (name: string): boolean => name.includes("/") || /\.ya?ml$/.test(name);

export async function run(desk: Desk, name: string, { limit, ...options }: RunOptions): Promise<number> {
  const house = await desk.house();
  const { loaded, phase, ...place } = await loadIn(house, name, options);
  for (const warning of loaded.warnings) desk.err(`warning: ${warning}\n`);
  sayContext(desk, loaded);
  const { ticket, warning, ...here } = await house.job();
  const job = place.job ?? here.job;
  if (warning) desk.err(`warning: ${warning}\n`);
  refuseStart(house, loaded);
  await closeLate(desk, house, job);
  const { carryOn } = await claim(house, job, loaded.flow);
  if (carryOn) return again(desk, house, carryOn, { ...options, ...(limit ? { limit } : {}) });
  await readyFor(house, loaded.flow, desk.signal);
  const position = phase?.position ?? (await positionIn(house, loaded.flow, job));
  const inputs = { ...(position === undefined ? {} : { [POSITION]: String(position) }), ...options.input };
  const taken = await startRun(house, loaded, { job, ticket, inputs, by: house.user });
  desk.err(`run ${taken.frozen.run} starts (loop ${loaded.flow.name}, job ${taken.opened.run.job})\n`);
  const { trouble } = house.memory.open();
  if (trouble) desk.err(`warning: ${trouble}\n`);
  sayWhatDoesNotHold(desk, house, taken.frozen.start.dirty, loaded);
  if (phaseOf(loaded.flow, taken.opened.run)) await sayOfPhase(desk, house, taken.frozen.start.dirty);
  return driveAndTell(desk, house, taken, limitsOf(limit));
}

const limitsOf = (limit: RunOptions["limit"]) => (limit ? { limits: limit } : {});

/** What the run is about and why, before it costs anything. */
function sayContext(desk: Desk, { context, flow }: Loaded): void {
  if (context.loader) desk.err(`documents by ${context.loader}: ${context.subject}, ${flow.documents.length} in all\n`);
  for (const note of context.notes) desk.err(`  ${note}\n`);
}

/** The loop for the phase or job it is asked for; without, for the job of this branch. */
export async function loadIn(
  house: CliHouse,
  name: string,
  options: RunOptions,
): Promise<{ loaded: Awaited<ReturnType<CliHouse["load"]>>; phase?: PhaseFolder; job?: string }> {
  const phase = options.phase === undefined ? undefined : await phaseNamed(house, options.phase);
  const job = phase?.slug ?? options.job;
  const place = job === undefined ? {} : { job };
  const loaded = await house.load(name, { ...options, ...place, byPath: isPath(name) });
  if (phase) refusePhase(loaded.flow);
  return { loaded, ...(phase ? { phase } : {}), ...place };
}

/** A doer loop that is started again goes on where it was; its caps were fixed when it was made. */
async function again(
  desk: Desk,
  house: CliHouse,
  id: string,
  { maxIter, maxResets, limit }: RunOptions,
): Promise<number> {
  const { flow } = await lookAt(house, id);
  for (const [name, asked] of [
    ["iterations", maxIter],
    ["resets", maxResets],
  ] as const) {
    const { limit = 0, first = 0, setBy = name } = flow.budgets[name] ?? {};
    if (asked === undefined || asked === limit + first) continue;
    desk.err(`${setBy} was fixed at ${limit + first} when run ${id} was made; ${asked} is not taken\n`);
  }
  return driveAndTell(desk, house, await takeRun(house, id), limitsOf(limit));
}

/** Said in the first lines, so that nobody learns it an hour later. */
function sayWhatDoesNotHold(desk: Desk, house: CliHouse, dirty: string[], { flow }: Loaded): void {
  const commits = Object.values(flow.nodes).some(
    (node) => node.work.kind === "action" && node.work.action === "commit",
  );
  if (house.where.kind === "no-git" && commits)
    desk.err(
      `warning: "${house.where.workspace}" is not in a git repository, so this run cannot commit; git init first\n`,
    );
  if (dirty.length && commits) {
    const shown = dirty.slice(0, 5).join(", ");
    const more = dirty.length > 5 ? ` and ${dirty.length - 5} more` : "";
    desk.err(
      `warning: the tree is not clean (${shown}${more}), so this run will not commit; commit or stash first for a run that does\n`,
    );
  }
  for (const [name, { use }] of Object.entries(flow.performers)) {
    if (house.agents.get(use)?.confined === false)
      desk.err(`warning: agent "${name}" (${use}) works outside the sandbox, with your network and files\n`);
  }
}

/** A doer and reviewer loop commits by itself, where it may. */
async function sayOfPhase(desk: Desk, house: CliHouse, dirty: string[]): Promise<void> {
  const why = await whyNoCommits(house, dirty);
  if (why) desk.err(`note: work and reviews are not committed, no commits are made here: ${why}\n`);
  if (!house.memory.hasState()) desk.err(`note: there is no ${STATE_PATH}; it is made at the end\n`);
}

export interface ResumeOptions {
  agent?: string;
  maxAttempts?: number;
  /** Limits of time, money or tokens: "usd", or "STEP.usd". */
  limit?: Record<string, number>;
  acceptChanges?: boolean;
}

export async function resume(desk: Desk, name: string | undefined, options: ResumeOptions): Promise<number> {
  const house = await desk.house();
  const { id, ...came } = await named(house, name);
  const { flow, run: before } = await lookAt(house, id);
  const { cursor } = before;
  const reopens = cursor.at === "ended" && cursor.exhausted !== undefined && options.maxAttempts !== undefined;
  if (cursor.at === "ended" && !reopens) {
    await closeLate(desk, house, before.job);
    const { view } = await resultOf(house, flow, before);
    throw new Refusal(
      "has-ended",
      `run ${id} has ended: ${view.reason}`,
      view.next || "start a new one: pawl run LOOP",
      1,
    );
  }
  await sayAstray(desk, house, id);
  const { agent, limit, ...rest } = options;
  const standIn = agent === undefined ? {} : { standIn: await house.performer(agent) };
  return driveAndTell(desk, house, await takeRun(house, id), { ...rest, ...limitsOf(limit), ...standIn, ...came });
}

/** What `pawl mcp` starts: drives a run as far as it goes without the host's agent and without a person. */
export async function driveBehind(desk: Desk, id: string): Promise<number> {
  const house = await desk.house();
  return driveAndTell(desk, house, await takeRun(house, id), { isBehind: true });
}

async function sayAstray(desk: Desk, house: CliHouse, id: string): Promise<void> {
  const stray = await strayText(house, id);
  if (stray) desk.err(`warning: ${stray}\n`);
}

export async function answer(
  desk: Desk,
  name: string,
  option: string | undefined,
  comment: string | undefined,
): Promise<number> {
  const house = await desk.house();
  const id = await house.store.find(name);
  const looked = await lookAt(house, id);
  const { digest } = await house.git.tree();
  const question = questionOf(looked.flow, looked.run, digest);
  if (!question) {
    const { view } = await resultOf(house, looked.flow, looked.run);
    throw new Refusal(
      "no-question",
      `run ${id} asks nothing now: ${view.reason}`,
      view.next || "pawl list",
      view.state === "ended" ? 1 : 3,
    );
  }
  const reply =
    option !== undefined
      ? { option, ...(comment ? { comment } : {}) }
      : desk.terminal
        ? await (await import("./ask.js")).askAtTerminal(question)
        : undefined;
  if (!reply) {
    desk.err(`the question is still open; answer with: pawl answer ${id} [${question.options.join("|")}]\n`);
    return tell(desk, await resultOf(house, looked.flow, looked.run));
  }
  const channel = option === undefined ? "terminal" : "cli";
  const event = answerEvent(house, looked, { question, reply, tree: digest, channel });
  await sayAstray(desk, house, id);
  return driveAndTell(desk, house, await takeRun(house, id), { event });
}

/** The run that is named, here or published by another clone; else the open one of this job. */
async function named(house: CliHouse, name: string | undefined): Promise<{ id: string; adopted?: string }> {
  if (name === undefined) {
    const { job } = await house.job();
    const open = await openRunOf(house, job);
    if (!open) throw await noOpenRun(house, job);
    return (await house.store.has(open.run)) ? { id: open.run } : adopted(house, open.run);
  }
  try {
    return { id: await house.store.find(name) };
  } catch (error) {
    const taken = error instanceof Refusal && error.code === "no-such-run" ? house.adopt(name) : undefined;
    if (taken) return { id: taken.run, adopted: taken.from };
    throw error;
  }
}

function adopted(house: CliHouse, run: string): { id: string; adopted: string } {
  const taken = house.adopt(run);
  if (!taken)
    throw new Refusal(
      "no-such-run",
      `run ${run} is not in this clone, and its journal is not published here`,
      "git pull, or resume it where it began",
      1,
    );
  return { id: taken.run, adopted: taken.from };
}
