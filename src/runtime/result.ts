// The one answer of run, resume, answer, status and of every tool: a view for people, one JSON document for programs.
import type { Flow, Run } from "../core/model.js";
import { questionOf } from "../core/question.js";
import { type View, viewOf } from "../core/view.js";
import type { House } from "../ports/house.js";
import { innerOf } from "./offspring.js";
import { glanceAt } from "./open.js";

export interface Result {
  run: string;
  job: string;
  loop: string;
  status: View["status"];
  outcome: View["outcome"];
  reason: string;
  next: string;
  exit: View["exit"];
  steps: View["steps"];
  /** `shown` is the sha256 of what the person is shown; an answer is bound to it. */
  gate?: { question: string; options: string[]; shown: string };
  /** Of doer and reviewer loops: where their phase stands. */
  phase?: View["phase"];
  budgets: Record<string, { spent: number; limit: number; set_by: string }>;
  /** What holds only in part: agents that run outside the sandbox. */
  unconfined: string[];
  warnings: string[];
  journal: string;
  record: string;
}

/** The view is for people, the result for programs: two renderings of one state. */
export async function resultOf(house: House, flow: Flow, run: Run): Promise<{ view: View; result: Result }> {
  const view = await throughStep(house, flow, run);
  const { digest } = view.gate ? await house.git.tree() : { digest: "" };
  const question = questionOf(flow, run, digest);
  const at = { job: run.job, loop: flow.name, run: run.id };
  const { status, outcome, reason, next, exit, steps, budgets } = view;
  const result: Result = {
    run: run.id,
    job: run.job,
    loop: flow.name,
    status,
    outcome,
    reason,
    next,
    exit,
    steps,
    ...(question
      ? { gate: { question: question.question, options: question.options, shown: house.sha256(question.shown) } }
      : {}),
    ...(view.phase ? { phase: view.phase } : {}),
    budgets: Object.fromEntries(
      budgets.map((budget) => [budget.name, { spent: budget.spent, limit: budget.limit, set_by: budget.setBy }]),
    ),
    unconfined: unconfined(house, flow),
    warnings: run.warnings.map((warning) => (warning.where ? `${warning.where}: ${warning.text}` : warning.text)),
    journal: `${house.store.runFolder(run.id)}/journal.jsonl`,
    record: house.records.pathOf(at),
  };
  return { view, result };
}

/** A run that stands at a loop as its step waits for what that one waits for, and is answered there. */
async function throughStep(house: House, flow: Flow, run: Run): Promise<View> {
  const own = viewOf(flow, run);
  const id = await innerOf(house, flow, run);
  if (id === undefined) return own;
  const inner = await glanceAt(house, id);
  const { state, park, ...view } = await throughStep(house, inner.flow, inner.run);
  if (state === "running" || state === "ended") return own;
  const reason = `its step "${view.loop}" (run ${id}) rests: ${view.reason}`;
  return { ...own, state, status: view.status, reason, next: view.next, exit: view.exit, ...(park ? { park } : {}) };
}

/** Names of the performers that work outside the sandbox. */
export const unconfined = (house: House, flow: Flow): string[] =>
  Object.entries(flow.performers).flatMap(([name, { use }]) => (house.agents.get(use)?.confined ? [] : [name]));
