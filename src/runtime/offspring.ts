// Runs that runs make: a loop as a step, and the loop that follows. Their ids come from the parent's place, so a crash finds them again.
import { totalOf } from "../core/allowance.js";
import type { Flow, Run, Verdict } from "../core/model.js";
import { visitsOf } from "../core/place.js";
import { viewOf } from "../core/view.js";
import { FaultError, Refusal } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { Notifier } from "../ports/notifier.js";
import type { Frozen, Start } from "../ports/store.js";
import type { Answer, Task } from "../ports/worker.js";
import { carryOn } from "./carry-on.js";
import { childId } from "./ids.js";
import { lookAt, type Taken, takeRun } from "./open.js";
import { readyFor, refuseStart, startRun } from "./start.js";

/** Loops within loops, and loops after loops; a circle of them ends here. */
const DEPTH_MAX = 8;
const CHAIN_MAX = 20;

/** Drives `loop` as a step of the task's run until it ends or rests. */
export async function within(
  house: House,
  notifier: Notifier,
  loop: string,
  task: Task,
  signal: AbortSignal,
): Promise<Answer> {
  const { command, run } = task;
  if (command.do !== "work") throw new Error("unreachable: only work is a loop");
  try {
    if ((await ancestors(house, run.id)) >= DEPTH_MAX) throw tooDeep(loop, DEPTH_MAX);
    const id = stepId(house, loop, run.id, command.node.name, command.visit);
    const start = startOf(run, await house.store.frozen(run.id));
    await using taken = await child(house, loop, task, { id, parent: run.id, start });
    const { engine } = await readyFor(house, taken.opened.flow, signal);
    const extras = await house.extrasOf(taken.frozen);
    const world = await house.worldOf({ frozen: taken.frozen, engine, extras, notifier });
    const rest = await carryOn(house, world, taken, { by: "pawl", signal });
    if (signal.aborted) return { cancelled: true };
    if (rest.run.cursor.at !== "ended") return { yielded: { rest: rest.within ?? id } };
    return { verdict: verdictOf(taken, loop), spent: totalOf(rest.run) };
  } catch (error) {
    if (signal.aborted) return { cancelled: true };
    if (error instanceof FaultError) return { fault: error.record };
    if (error instanceof Refusal)
      return { fault: { code: error.code, message: error.message, ...(error.hint ? { hint: error.hint } : {}) } };
    throw error;
  }
}

/** It began where its parent began; what is open in the memory bank is given with the first task of both together. */
function startOf(parent: Run, { start }: Frozen): Start {
  const { memory: _given, ...rest } = start;
  return Object.keys(parent.results).length ? rest : start;
}

/** The run that is the step where this one stands; undefined when it stands elsewhere, or none was made yet. */
export async function innerOf(house: House, flow: Flow, run: Run): Promise<string | undefined> {
  const node = run.cursor.at === "work" ? flow.nodes[run.cursor.node] : undefined;
  if (node?.work.kind !== "flow") return undefined;
  const id = stepId(house, node.work.flow, run.id, node.name, visitsOf(run, node.name));
  return (await house.store.has(id)) ? id : undefined;
}

/** The run that stands at this one as its step, and goes on when it has ended. */
export async function outerOf(house: House, id: string): Promise<string | undefined> {
  const { parent } = await house.store.frozen(id);
  if (parent === undefined) return undefined;
  const { flow, run } = await lookAt(house, parent);
  return (await innerOf(house, flow, run)) === id ? parent : undefined;
}

/** The run that follows one that has ended. */
export function followerOf({ opened }: Taken): string | undefined {
  const last = opened.events.findLast((event) => event.type === "chained");
  return last?.type === "chained" ? last.run : undefined;
}

const stepId = ({ sha256 }: House, loop: string, parent: string, node: string, visit: number): string =>
  childId(loop, parent, `${node}#${visit}`, sha256);

/** Makes the run of the loop that follows, and leaves it to be driven. What cannot be made is told, and costs the ended run nothing. */
export async function follow(house: House, loop: string, task: Task): Promise<Answer> {
  const { run } = task;
  try {
    if ((await ancestors(house, run.id)) >= CHAIN_MAX) throw tooDeep(loop, CHAIN_MAX);
    const id = childId(loop, run.id, "follows", house.sha256);
    const taken = await child(house, loop, task, { id, parent: run.id });
    await taken[Symbol.asyncDispose]();
    return { chained: { run: id } };
  } catch (error) {
    const why = error instanceof FaultError || error instanceof Refusal ? error.message : String(error);
    return { chained: { why: `"${loop}" was not started: ${why}` } };
  }
}

async function child(
  house: House,
  loop: string,
  { run, flow }: Task,
  made: { id: string; parent: string; start?: Taken["frozen"]["start"] },
): Promise<Taken> {
  if (await house.store.has(made.id)) return takeRun(house, made.id);
  const { agent, files } = await house.store.frozen(run.id);
  const handed = Object.fromEntries(Object.entries(files).filter(([, file]) => file.brought));
  const loaded = await house.load(loop, { handed, parent: flow.named, ...(agent ? { agent } : {}) });
  refuseStart({ ...house, where: await house.git.where() }, loaded); // a step may have made the branch it is to start on
  const { goal: _, subject, ...inputs } = run.inputs;
  const given = subject === undefined || subject === flow.name ? {} : { subject }; // the name of this loop is no subject of the next
  return startRun(house, loaded, {
    job: run.job,
    ticket: run.inputs.ticket ?? null,
    inputs: { ...inputs, ...given },
    by: "pawl",
    child: made,
  });
}

async function ancestors(house: House, run: string): Promise<number> {
  let count = 0;
  for (let id: string | undefined = run; id !== undefined && count <= CHAIN_MAX; count++)
    id = (await house.store.frozen(id)).parent;
  return count;
}

const tooDeep = (loop: string, max: number): Refusal =>
  new Refusal(
    "too-deep",
    `more than ${max} loops started one another before "${loop}"`,
    "take a loop out of the circle",
  );

function verdictOf({ opened }: Taken, loop: string): Verdict {
  const view = viewOf(opened.flow, opened.run);
  const passed = view.outcome === "success" || view.outcome === "warning" || view.outcome === "not-committed";
  const text = `loop "${loop}" (run ${opened.run.id}): ${view.reason}`;
  const severity = view.outcome === "success" ? "info" : passed ? "warning" : "error";
  return {
    status: passed ? "pass" : "block",
    findings: view.outcome === "success" ? [] : [{ text, severity }],
    output: text,
  };
}
