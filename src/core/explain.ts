// Why a run stands where it stands: the rule, what it rests on, what else could have happened, and what to type.
import { type Charge, chargesOf } from "./bill.js";
import { type Decision, decisionOf, type Moment, momentsOf, spotOf } from "./chronicle.js";
import type { Event, Evidence, Finding, Flow, Run, Verdict } from "./model.js";
import { nodeAt, ownerOf, visitsOf } from "./place.js";
import { Refusal } from "./refusal.js";
import { ruleText } from "./rule.js";
import { whereText } from "./story.js";
import { type BudgetView, type View, viewOf } from "./view.js";
import { costText, targetText } from "./ways.js";

export interface Explanation extends Pick<View, "run" | "job" | "loop" | "status" | "outcome" | "reason" | "next"> {
  /** A node, `parked (…): …`, or an ending. */
  where: string;
  visit?: number;
  /** When it came there; ISO 8601. */
  since: string;
  by: string;
  /** A sentence or two: which outcome, route, budget or act put it there. */
  rule: string;
  evidence?: Grounds;
  /** Every way out of the node that decided. */
  others: Way[];
  /** Every way out of the node it stands at. */
  ahead: Way[];
  counters: (BudgetView & { frozen: boolean })[];
  /** Of the step that was asked for: all; else those that found something. The last of them, oldest first. */
  visits: Visit[];
  visitsLeftOut: number;
  step?: string;
  warnings: Finding[];
  /** What each visit cost, who worked and with which model. */
  ledger: Charge[];
}
export interface Grounds extends Evidence {
  from: string;
  visit: number;
  verdict: string;
  findings: Finding[];
  print?: string;
  session?: string;
}
export interface Way {
  from: string;
  outcome: string;
  leads: string;
  costs: string;
  /** Where it leads when it cannot be paid. */
  instead?: string;
  taken: boolean;
}
export interface Visit {
  node: string;
  visit: number;
  at: string;
  /** How often it was begun: more than once after a crash. */
  starts: number;
  /** Absent while it is being worked on. */
  outcome?: string;
  findings: Finding[];
  seconds: number;
  performer?: string;
  session?: string;
  /** The person who answered. */
  who?: string;
  comment?: string;
}

/** Visits in one explanation. */
export const EXPLAIN_VISITS_MAX = 50;

export function explain(flow: Flow, run: Run, events: readonly Event[], step?: string): Explanation {
  if (step !== undefined) checkStep(flow, step);
  const { decisive, visits } = readUp(flow, events);
  if (!decisive) throw new Error("unreachable: a run has begun, so its journal says how");
  const decision = decisionOf(flow, decisive) ?? { because: "event" };
  const view = viewOf(flow, run);
  const here = nodeAt(run.cursor);
  const told = visits.filter((visit) => (step === undefined ? isComplaint(visit) : belongs(flow, visit.node, step)));
  const evidence = groundsOf(decisive, decision);
  const { run: id, job, loop, status, outcome, reason, next } = view;
  return {
    ...{ run: id, job, loop, status, outcome, reason, next },
    where: whereText(run),
    ...(here === undefined ? {} : { visit: visitsOf(run, here) }),
    since: decisive.event.at,
    by: decisive.event.by,
    rule: ruleText(flow, decisive, decision),
    ...(evidence ? { evidence } : {}),
    others: "from" in decision ? waysOf(flow, decision.from, takenBy(decision)) : [],
    ahead: view.state === "running" || view.state === "gate" ? waysOf(flow, here) : [],
    counters: view.budgets.map((budget) => ({ ...budget, frozen: flow.budgets[budget.name]?.frozen ?? false })),
    visits: told.slice(-EXPLAIN_VISITS_MAX),
    visitsLeftOut: Math.max(0, told.length - EXPLAIN_VISITS_MAX),
    ...(step === undefined ? {} : { step }),
    warnings: run.warnings,
    ledger: chargesOf(flow, events).filter(
      (charge) => step === undefined || belongs(flow, charge.step.split("/")[0] ?? "", step),
    ),
  };
}

function checkStep(flow: Flow, step: string): void {
  if (flow.steps.includes(step) || Object.hasOwn(flow.nodes, step)) return;
  const hint = `its steps are: ${flow.steps.slice(0, 20).join(", ")}`;
  throw new Refusal("no-such-step", `Loop "${flow.name}" has no step "${step}"`, hint);
}
const isComplaint = ({ findings, outcome = "" }: Visit): boolean =>
  findings.length > 0 || outcome === "block" || outcome === "unclear";
const belongs = (flow: Flow, node: string, step: string): boolean =>
  node === step || flow.nodes[node]?.origin?.fold === step;

/** One pass over the journal: the moment that put the run where it is, and every visit. */
function readUp(flow: Flow, events: readonly Event[]): { decisive: Moment | undefined; visits: Visit[] } {
  let decisive: Moment | undefined;
  const visits = new Map<string, Visit>();
  for (const moment of momentsOf(flow, events)) {
    const { event, before, after } = moment;
    if (before) note(flow, visits, { event, before, after });
    if (before && spotOf(before) === spotOf(after)) continue;
    decisive = moment;
    const node = nodeAt(after.cursor);
    const key = `${node}#${node && visitsOf(after, node)}`;
    if (node && spotOf(after) === key && !visits.has(key))
      visits.set(key, { node, visit: visitsOf(after, node), at: event.at, starts: 0, findings: [], seconds: 0 });
  }
  return { decisive, visits: [...visits.values()] };
}

/** What an event adds to the visit it is about. */
function note(flow: Flow, visits: Map<string, Visit>, moment: Required<Moment>): void {
  const { event, before, after } = moment;
  const node = nodeAt(before.cursor);
  const visit = node === undefined ? undefined : visits.get(`${node}#${visitsOf(before, node)}`);
  if (!visit) return;
  if (event.type === "verdict") noteVerdict(flow, visit, moment, event);
  if (event.type !== "begun" || before.cursor.at !== "work") return;
  visit.starts = Math.max(visit.starts, after.tries[event.ticket] ?? visit.starts);
  visit.performer = event.performer;
  if (event.session) visit.session = event.session;
}

function noteVerdict(flow: Flow, visit: Visit, moment: Required<Moment>, event: Event & { type: "verdict" }): void {
  visit.seconds += (event.spent?.ms ?? 0) / 1000;
  if (event.session) visit.session = event.session;
  if (event.answer) {
    visit.who = event.answer.who;
    if (event.answer.comment) visit.comment = event.answer.comment;
  }
  const fan = flow.nodes[visit.node]?.work.kind === "fan" && moment.before.cursor.at === "work";
  const branch = ownerOf(event.ticket).slice(visit.node.length + 1);
  const named = (finding: Finding): Finding => (fan ? { ...finding, where: finding.where ?? branch } : finding);
  visit.findings = [...visit.findings, ...event.verdict.findings.map(named)];
  const decision = decisionOf(flow, moment);
  if (decision && "outcome" in decision) visit.outcome = decision.outcome;
}

function groundsOf({ event, before }: Moment, decision: Decision): Grounds | undefined {
  if (!("from" in decision) || event.type !== "verdict" || !before) return undefined;
  const { verdict } = event;
  const { from, visit } = decision;
  const session = event.session ?? before.sessions[ownerOf(event.ticket)];
  const { loop = before.digest, ...more }: Partial<Evidence> = verdict.evidence ?? {};
  return {
    ...more,
    loop,
    from,
    visit,
    verdict: saidBy(verdict),
    findings: verdict.findings,
    ...(verdict.print ? { print: verdict.print } : {}),
    ...(session ? { session } : {}),
  };
}
const saidBy = (verdict: Verdict): string => verdict.outcome ?? verdict.status;

const takenBy = (decision: Decision): string | undefined =>
  decision.because === "route" || decision.because === "budget" ? decision.outcome : undefined;

function waysOf(flow: Flow, from: string | undefined, taken?: string): Way[] {
  const node = from === undefined ? undefined : flow.nodes[from];
  if (!node) return [];
  return Object.entries(node.routes).map(([outcome, route]) => {
    const instead = (route.spend ?? []).flatMap((name) => {
      const budget = flow.budgets[name];
      return budget ? [`${targetText(budget.onExhausted)} when ${budget.setBy} is used up`] : [];
    });
    return {
      from: node.name,
      outcome,
      leads: targetText(route.to),
      costs: costText(flow, route),
      ...(instead.length ? { instead: instead.join(", ") } : {}),
      taken: outcome === taken,
    };
  });
}
