// A journal told again: each event with the run before and after it, and what decided when the run moved.
import type { Diversion, Event, Finding, Flow, Route, Run } from "./model.js";
import { nodeAt, placeOf, visitsOf } from "./place.js";
import { apply, begin } from "./run.js";
import { settled } from "./view.js";

export interface Moment {
  event: Event;
  /** Absent at the start. */
  before?: Run;
  after: Run;
}

/** Why a run left one place for another. `route`: the way the outcome names; it was not paid where `because` is "budget". */
export type Decision =
  | { because: "route"; from: string; visit: number; outcome: string; route: Route }
  | { because: "budget"; from: string; visit: number; outcome: string; route?: Route; diversion: Diversion }
  | { because: "refused" | "waits"; from: string; visit: number; hook: string; findings: Finding[] }
  /** The event says it all: a start, a fault, a person's act. */
  | { because: "event" };

export function* momentsOf(flow: Flow, events: readonly Event[]): Generator<Moment> {
  let run: Run | undefined;
  for (const event of events) {
    const before = run;
    if (before) run = apply(flow, before, event);
    else if (event.type === "started") run = begin(flow, event);
    else throw new Error(`unreachable: a journal begins with its start, not with ${event.type}`);
    yield { event, after: run, ...(before ? { before } : {}) };
  }
}

/** What decided at this moment; undefined when the run stays where it was. */
export function decisionOf(flow: Flow, { event, before, after }: Moment): Decision | undefined {
  if (before && spotOf(before) === spotOf(after)) return undefined;
  const diversion = after.diverted !== before?.diverted ? after.diverted : undefined;
  if (!before || event.type !== "verdict")
    return diversion && before ? divertedOutside(before, diversion) : { because: "event" };
  const from = nodeAt(before.cursor) ?? "";
  const visit = visitsOf(before, from);
  const stopped = stoppedByHook(flow, before, after);
  if (stopped) return { ...stopped, from, visit };
  const outcome = outcomeLeft(flow, { event, before, after }, event.verdict);
  const route = flow.nodes[from]?.routes[outcome];
  if (diversion) return { because: "budget", from, visit, outcome, diversion, ...(route ? { route } : {}) };
  return route ? { because: "route", from, visit, outcome, route } : { because: "event" };
}

/** Where a run is as people count it: one spot a visit, whatever part of the visit is at hand. */
export function spotOf(run: Run): string {
  const cursor = settled(run.cursor);
  switch (cursor.at) {
    case "enter":
    case "work":
    case "exit":
      return `${cursor.node}#${visitsOf(run, cursor.node)}`;
    case "waiting":
    case "parked":
    case "ended":
      return placeOf(cursor);
  }
}

/** A way a person asked for (a resume) that could not be paid. */
function divertedOutside(before: Run, diversion: Diversion): Decision {
  const from = nodeAt(before.cursor) ?? "";
  return { because: "budget", from, visit: visitsOf(before, from), outcome: "resumed", diversion };
}

function stoppedByHook(flow: Flow, before: Run, after: Run) {
  const { cursor } = before;
  if (cursor.at !== "enter" && cursor.at !== "exit") return undefined;
  const hook = flow.nodes[cursor.node]?.[cursor.at][cursor.index]?.hook ?? "";
  const now = settled(after.cursor);
  if (now.at === "waiting") return { because: "waits" as const, hook, findings: now.findings };
  if (now.at === "parked" && now.code === "entry-refused")
    return { because: "refused" as const, hook, findings: now.findings };
  return undefined;
}

/** The outcome a node was left with; the journal holds only the answers it was made of. */
function outcomeLeft(flow: Flow, { before, after }: Required<Moment>, verdict: Run["results"][string]): string {
  const { cursor } = before;
  if (cursor.at === "work") {
    const whole = after.results[cursor.node] ?? verdict;
    return whole.outcome ?? whole.status;
  }
  if (cursor.at !== "exit") return "pass";
  const named = flow.nodes[cursor.node]?.exit[cursor.index]?.mayRoute ? verdict.outcome : undefined;
  return named ?? (verdict.status === "block" ? "block" : (cursor.outcome ?? "pass"));
}
