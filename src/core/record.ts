// The published record: one JSON file a run, for people and reviewers. A projection, never read back for a decision.
import type { Flow, Json, Run } from "./model.js";
import { nodeAt } from "./place.js";
import { outcomeOf, reasonOf, type Status, settled, statusOf } from "./view.js";

export const RECORD_SCHEMA = 1;

export interface RunRecord {
  job_id: string;
  task_id: string;
  loop_name: string;
  status: Status;
  skills: string[];
  current_skill_index: number;
  skills_completed: string[];
  skill_outputs: Record<string, string>;
  validator_results: Record<string, Json>;
  outcome: "success" | "warning" | "failure" | null;
  iteration_count: number;
  timestamp: string;
  updated_at: string;
  schema: number;
  reason: string;
  /** sha256 of the journal's last line. */
  head: string;
}

/** `ships`: may the record go into a pull request from where the run is at home? */
export function recordOf(
  flow: Flow,
  run: Run,
  at: { started: string; now: string; head: string; ships?: boolean },
): RunRecord {
  const completed = completedSteps(flow, run);
  const outputs = Object.entries(run.results).filter(([, { output }]) => output !== undefined);
  const isCompleted = new Set(completed);
  return {
    job_id: run.job,
    task_id: run.id,
    loop_name: flow.name,
    status: at.ships && isShipped(flow, run) ? "complete" : statusOf(flow, run),
    skills: flow.steps,
    current_skill_index: indexOf(flow, run, completed),
    skills_completed: completed,
    skill_outputs: Object.fromEntries(
      outputs.flatMap(([name, { output }]) => (isCompleted.has(name) ? [[name, output ?? ""]] : [])),
    ),
    validator_results: validatorResults(flow, run),
    outcome: recordOutcome(run),
    iteration_count: run.marks.iterating ?? 0,
    timestamp: at.started,
    updated_at: at.now,
    schema: RECORD_SCHEMA,
    reason: reasonOf(flow, run),
    head: at.head,
  };
}

/**
 * From the skill that takes the record along until the validators have spoken, the record says "complete" and has no outcome: what is
 * merged must not claim for ever that the run is at work. What stops the run there is told as ever.
 */
export function isShipped(flow: Flow, { cursor }: Run): boolean {
  const last = flow.nodes[flow.steps.at(-1) ?? ""];
  if (!last?.shipsRecord || (cursor.at !== "enter" && cursor.at !== "work" && cursor.at !== "exit")) return false;
  return cursor.node === last.name || flow.nodes[cursor.node]?.done === flow.steps.length;
}

/** In a straight sequence the steps done in this round; else every step whose last visit passed. */
function completedSteps(flow: Flow, run: Run): string[] {
  const done = doneOf(flow, run);
  if (done !== undefined) return flow.steps.slice(0, done);
  // by way of the results: a name read from the loop file is slow to look up in a big record, and this is done at every transition
  const answered = Object.entries(run.results).filter(([, verdict]) => verdict.status !== "block");
  const passed = new Set(answered.map(([name]) => name));
  return flow.steps.filter((name) => passed.has(name));
}

function doneOf(flow: Flow, run: Run): number | undefined {
  const straight = flow.nodes[flow.start]?.done !== undefined;
  if (!straight) return undefined;
  const here = nodeAt(run.cursor);
  if (here === undefined) return flow.steps.filter((name) => run.results[name]?.status === "pass").length;
  return flow.nodes[here]?.done;
}

function indexOf(flow: Flow, run: Run, completed: string[]): number {
  if (flow.nodes[flow.start]?.done !== undefined) return completed.length;
  const here = nodeAt(run.cursor);
  const fold = here === undefined ? undefined : flow.nodes[here]?.origin?.fold;
  const index = fold === undefined ? -1 : flow.steps.indexOf(fold);
  return index < 0 ? flow.steps.length : index;
}

/** Of this round only: while the skills are at work again, the results of the round before are not shown as this one's. */
export function validatorResults(flow: Flow, run: Run): Record<string, Json> {
  const here = nodeAt(run.cursor);
  if (here !== undefined && flow.nodes[here]?.phase !== "validating") return {};
  const judge = Object.values(flow.nodes).find((node) => node.phase === "validating" && node.work.kind === "fan");
  if (!judge) return {};
  const prefix = `${judge.name}/`;
  const reports = Object.entries(run.results).filter(
    ([key, verdict]) => key.startsWith(prefix) && verdict.report !== undefined,
  );
  return Object.fromEntries(reports.map(([key, verdict]) => [key.slice(prefix.length), verdict.report ?? null]));
}

function recordOutcome(run: Run): RunRecord["outcome"] {
  const outcome = outcomeOf(run);
  if (outcome === null) return null;
  if (outcome === "warning") return "warning";
  const ended = settled(run.cursor);
  return ended.at === "ended" && ended.ending === "success" ? "success" : "failure";
}
