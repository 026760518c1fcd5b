// What a run looks like from outside: status, reason, what to type next, what the process ends with. Every surface reads this.
import { type LimitView, limitsIn, totalOf } from "./allowance.js";
import { HOST } from "./hosts.js";
import { sum } from "./ledger.js";
import type { Cursor, Diversion, Finding, Flow, Node, ParkCode, Run, Spent, Verdict, Work } from "./model.js";
import { limitOf } from "./pay.js";
import { type Phase, phaseOf } from "./phase.js";
import { nodeAt, settled, visitsOf } from "./place.js";
import { countText } from "./ways.js";

export { settled } from "./place.js";

/** The seven words of the published record. */
export type Status = "pending" | "running" | "paused" | "iterating" | "validating" | "complete" | "failed";
export type OutcomeWord = "success" | "warning" | "failure" | "not-committed" | "killed" | "aborted" | "exhausted";

export interface View {
  run: string;
  job: string;
  loop: string;
  status: Status;
  /** Finer than the status: who is to act. */
  state: "running" | "gate" | "waiting" | "parked" | "ended";
  outcome: OutcomeWord | null;
  /** One sentence. */
  reason: string;
  /** The command to type next; empty when there is nothing to do. */
  next: string;
  /** What the process ends with when the run rests here. */
  exit: 0 | 1 | 3 | 4 | 5 | 130;
  park?: ParkCode;
  steps: StepView[];
  gate?: { node: string; question: string; options: string[] };
  budgets: BudgetView[];
  /** Of money, tokens and time: of the run, and of steps that have some. */
  limits: LimitView[];
  spent: Spent;
  /** Of doer and reviewer loops. */
  phase?: Phase;
}
export interface StepView {
  name: string;
  kind: string;
  visits: number;
  /** Outcome of the last visit; null while there is none. */
  verdict: string | null;
  findings: Verdict["findings"];
  seconds: number | null;
  usd: number | null;
}
export interface BudgetView {
  name: string;
  spent: number;
  limit: number;
  setBy: string;
}

export function viewOf(flow: Flow, run: Run): View {
  const cursor = settled(run.cursor);
  const gate = gateOf(flow, run);
  const state = gate
    ? "gate"
    : cursor.at === "waiting" || cursor.at === "parked" || cursor.at === "ended"
      ? cursor.at
      : "running";
  const base = {
    run: run.id,
    job: run.job,
    loop: flow.name,
    status: statusOf(flow, run),
    state,
    outcome: outcomeOf(run),
  } as const;
  const phase = phaseOf(flow, run);
  return {
    ...base,
    ...(phase ? { phase } : {}),
    ...restOf(flow, run, cursor, gate),
    ...(cursor.at === "parked" ? { park: cursor.code } : {}),
    steps: stepsOf(flow, run),
    ...(gate ? { gate } : {}),
    budgets: budgetsOf(flow, run),
    limits: limitsIn(flow, run),
    spent: totalOf(run),
  };
}

export function statusOf(flow: Flow, run: Run): Status {
  const cursor = settled(run.cursor);
  if (cursor.at === "ended") return cursor.ending === "success" ? "complete" : "failed";
  if (cursor.at === "parked" || cursor.at === "waiting") return "paused";
  const node = flow.nodes[cursor.node];
  // a question that is reached is asked once what led there is committed
  if (node?.work.kind === "ask" && run.cursor.at === "work") return "paused";
  if (run.justMarked === "iterating") return "iterating";
  if (node?.phase === "validating") return "validating";
  const untouched = Object.keys(run.tries).length === 0 && Object.keys(run.results).length === 0;
  return untouched && visitsOf(run, flow.start) === 1 && run.since <= 1 ? "pending" : "running";
}

export function outcomeOf(run: Run): OutcomeWord | null {
  const cursor = settled(run.cursor);
  if (cursor.at === "parked") return cursor.code === "validation-failed" ? "failure" : null;
  if (cursor.at !== "ended") return null;
  if (cursor.ending === "failure") return cursor.exhausted ? "exhausted" : "failure";
  if (cursor.ending !== "success") return cursor.ending;
  if (run.marks["not-committed"]) return "not-committed";
  return run.marks.warning ? "warning" : "success";
}

/** The open question of a run that stands at a gate. */
export function gateOf(flow: Flow, run: Run): View["gate"] {
  const { cursor } = run;
  if (cursor.at !== "work") return undefined;
  const node = flow.nodes[cursor.node];
  if (node?.work.kind !== "ask") return undefined;
  const why = run.diverted ? `${diversionText(flow, run, run.diverted)} ` : "";
  return { node: node.name, question: `${why}${node.work.question}`, options: node.work.options };
}

export function diversionText(
  flow: Flow,
  run: Run,
  { budget, because, from, visit, earlier, print }: Diversion,
): string {
  const { setBy = budget, first = 0 } = flow.budgets[budget] ?? {};
  if (because === "exhausted") {
    return `"${from}" (job ${run.job}) has used up ${setBy}: ${limitOf(flow, run, budget) + first} in this round, visit ${visit}.`;
  }
  const hash = print ? `, hash ${print}` : "";
  return `"${from}" (job ${run.job}) goes in circles at ${countText(flow, run, budget)}: visit ${visit} says what visit ${earlier} said, or about the same tree${hash}.`;
}

/** The reason alone: the record tells it at every event, and needs nothing else of the view. */
export const reasonOf = (flow: Flow, run: Run): string =>
  restOf(flow, run, settled(run.cursor), gateOf(flow, run)).reason;

type Rest = Pick<View, "reason" | "next" | "exit">;

function restOf(flow: Flow, run: Run, cursor: ReturnType<typeof settled>, gate: View["gate"]): Rest {
  if (gate) {
    const option = gate.options.length ? `[${gate.options.join("|")}]` : "";
    return { reason: `waits for a person: ${gate.question}`, next: `pawl answer ${run.id} ${option}`, exit: 3 };
  }
  switch (cursor.at) {
    case "ended":
      return endedRest(flow, run, cursor);
    case "parked": {
      const exit = cursor.code === "fault" ? 4 : cursor.code === "interrupted" ? 130 : 3;
      // nothing was judged, so people are told which iteration it was
      const which = cursor.code === "no-verdict" ? ` in ${countText(flow, run, "iterations")}` : "";
      const why = TOLD_WITH_FINDINGS.includes(cursor.code) ? toldOf(cursor.findings) : "";
      return { reason: `${cursor.reason}${which}${why}`, next: `pawl resume ${run.id}`, exit };
    }
    case "waiting": {
      const what = cursor.findings[0]?.text ?? "a signal";
      return { reason: `"${cursor.node}" waits for: ${what}`, next: `pawl resume ${run.id}`, exit: 3 };
    }
    case "enter":
    case "exit":
    case "work":
      return atWork(flow, run, cursor);
  }
}

function atWork(flow: Flow, run: Run, { at, node }: Cursor & { node: string }): Rest {
  const visit = `(visit ${visitsOf(run, node)})`;
  if (at === "work" && isWithHost(flow, node)) {
    const next = `pawl resume ${run.id} --agent NAME`;
    return { reason: `"${node}" is with the agent of the IDE ${visit}`, next, exit: 3 };
  }
  return { reason: `"${node}" is being worked on ${visit}`, next: `pawl resume ${run.id}`, exit: 3 };
}

const isWithHost = (flow: Flow, node: string): boolean => {
  const work = flow.nodes[node]?.work;
  return work?.kind === "agent" && flow.performers[work.performer]?.use === HOST;
};

/** Parks whose reason is what a check or the work said; the others explain themselves. */
const TOLD_WITH_FINDINGS: ParkCode[] = ["validation-failed", "optional-failed", "entry-refused", "work-failed"];
/** Complaints named in the reason; all of them stand in `explain`. */
const TOLD_MAX = 5;
const TOLD_CHARS_MAX = 200;

function toldOf(findings: Finding[]): string {
  const told = findings.filter(({ severity }) => severity !== "info");
  const texts = told.slice(0, TOLD_MAX).map(({ where, text }) => `${where ? `"${where}" ` : ""}${short(text)}`);
  const more = told.length > TOLD_MAX ? `; and ${told.length - TOLD_MAX} more` : "";
  return texts.length ? `: ${texts.join("; ")}${more}` : "";
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > TOLD_CHARS_MAX ? `${line.slice(0, TOLD_CHARS_MAX - 1)}…` : line;
}

function endedRest(flow: Flow, run: Run, cursor: Cursor & { at: "ended" }): Rest {
  const { exhausted, ending } = cursor;
  if (ending === "success") return succeeded(run);
  if (ending === "killed") {
    const reason = `killed: all rounds are used up (${flow.budgets.resets?.setBy ?? "max_resets"})`;
    return { reason, next: `review the plan, then: pawl reset-loop ${run.id}`, exit: 1 };
  }
  if (ending === "aborted") return { reason: "a person abandoned it", next: "", exit: 1 };
  if (exhausted) {
    const { setBy = "", first = 0 } = flow.budgets[exhausted.budget] ?? {};
    const made = limitOf(flow, run, exhausted.budget) + first;
    const option =
      setBy === "max_attempts" ? `pawl resume ${run.id} --max-attempts ${made + 2}` : `pawl explain ${run.id}`;
    return {
      reason: `exhausted: ${made} attempts were made and ${whoOf(flow, exhausted.from)} still fails`,
      next: option,
      exit: 1,
    };
  }
  return {
    reason: failedText(flow, run),
    next: `pawl explain ${run.id}`,
    exit: 1,
  };
}

function failedText(flow: Flow, run: Run): string {
  const last = run.notes.at(-1);
  if (!last) return "failed";
  if (flow.nodes[last.from]?.phase === "validating") return `required checks failed${toldOf(last.findings)}`;
  const [first] = last.findings;
  return `"${last.from}" failed${first ? `: ${first.text}` : ""}`;
}

/** The nodes that were put in at the end have no name of the author's. */
const whoOf = (flow: Flow, node: string): string =>
  flow.nodes[node]?.phase === "validating" ? "a required check" : `"${node}"`;

function succeeded(run: Run): Rest {
  if (run.marks["not-committed"]) {
    const note = run.notes.findLast((each) => each.outcome === "not-committed");
    const [why, byHand] = note?.findings ?? [];
    return {
      reason: `succeeded, not committed: ${why?.text ?? "see the commit step"}`,
      next: byHand?.text ?? "git status",
      exit: 5,
    };
  }
  if (run.marks.warning)
    return { reason: `succeeded with ${run.warnings.length} warnings`, next: `pawl explain ${run.id}`, exit: 0 };
  return { reason: "every step passed", next: "", exit: 0 };
}

function stepsOf(flow: Flow, run: Run): StepView[] {
  return flow.steps.map((name) => {
    const node = flow.nodes[name]; // an author's step and its node have one name
    const verdict = node && run.results[name];
    const costs = partsOf(name, node).flatMap((part) => run.spent[part] ?? []);
    const spent = costs.length ? sum(costs) : undefined;
    return {
      name,
      kind: node ? kindOf(node) : "step",
      visits: node ? visitsOf(run, node.name) : 0,
      verdict: verdict ? (verdict.outcome ?? verdict.status) : null,
      findings: verdict?.findings ?? [],
      seconds: spent ? spent.ms / 1000 : null,
      usd: spent?.usd ?? null,
    };
  });
}

/** A node's name, and of a fan the names its branches go by. */
const partsOf = (name: string, node: Node | undefined): string[] =>
  node?.work.kind === "fan" ? [name, ...Object.keys(node.work.branches).map((branch) => `${name}/${branch}`)] : [name];

/** The author's word for what a node does. */
export const kindOf = (node: Node): string =>
  ({ none: "check", ask: "gate", flow: "loop", fan: hasDoers(node.work) ? "doers" : "reviewers" })[
    node.work.kind as string
  ] ?? node.work.kind;
const hasDoers = (work: Work): boolean =>
  work.kind === "fan" && Object.values(work.branches).some((each) => each.kind === "agent" && each.stack);

function budgetsOf(flow: Flow, run: Run): BudgetView[] {
  return Object.entries(flow.budgets).map(([name, { first, setBy }]) => ({
    name,
    spent: (run.purses[name]?.spent ?? 0) + first,
    limit: limitOf(flow, run, name) + first,
    setBy,
  }));
}

/** The node a person would name when asked where the run is. */
export const standsAt = (run: Run): string | undefined => nodeAt(run.cursor);
