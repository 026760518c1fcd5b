// How a run moves. Two pure functions: `next` says what to do, `apply` says what that changed. Nothing else decides.
//
// Invariants (each names its test in docs/architecture.md):
//   R1  What is outstanding is a function of (flow, run) alone: a process that dies loses no command, it derives the same again.
//   R2  Every way backwards spends a budget, so every run is finite between two human acts.
//   R3  An answer carries the ticket of its question; an old or doubled answer changes nothing.
//   R4  A check that cannot run is a fault: it parks the run, it never passes and never costs an attempt.
//   R5  Hooks look at the world, signals only say "look again": a signal heard while a chain is being asked makes a `wait`
//       ask once more, so no wake-up is lost between the look and the wait.
//   R6  A command is begun on paper before it is begun in fact; one that keeps dying parks the run.
import { worstOf } from "./fan.js";
import { beside, charge, mark, notDone, warn } from "./ledger.js";
import type { Cursor, Event, Finding, Flow, Hook, Node, ParkCode, Route, Run, Target, Verdict } from "./model.js";
import { limitOf, pay } from "./pay.js";
import { branchesLeft, nodeAt, nodeOf, ownerOf, placeOf, settled, ticketsOf, visitsOf } from "./place.js";
import { NotNow, StaleAnswer } from "./refusal.js";
import { recovered, setBack } from "./setback.js";

export { next } from "./next.js";

/** The run after `event`. Replaying a journal is a fold of this function. Throws a Refusal, changing nothing, for what may not be now. */
export function apply(flow: Flow, run: Run, event: Event): Run {
  return move(flow, { ...run, seq: event.seq }, event);
}

export function begin(flow: Flow, event: Event & { type: "started" }): Run {
  const { run: id, job, digest, inputs, seq } = event;
  const cursor: Cursor = { at: "work", node: flow.start, answers: {} };
  const counted = { tries: {}, visits: {}, purses: {}, limits: {}, marks: {}, spent: {}, dearest: {} };
  const heard = { results: {}, sessions: {}, notes: [], warnings: [], foreign: [], shared: [] };
  const here = { seq, since: seq, cursor, stirred: false, fired: [] };
  const blank: Run = { id, job, flow: event.flow, digest, inputs, ...here, ...counted, ...heard };
  return enter(flow, blank, flow.start);
}

function move(flow: Flow, run: Run, event: Event): Run {
  switch (event.type) {
    case "started":
      throw new NotNow("start", "the run has started already");
    case "begun":
      return begun(flow, run, event);
    case "verdict":
      checkTicket(flow, run, event.ticket);
      return answered(flow, inSession(charge(run, event.ticket, event.spent), event), event.ticket, event.verdict);
    case "fault": {
      checkTicket(flow, run, event.ticket);
      const set = setBack(flow, inSession(charge(run, event.ticket, event.spent), event), event);
      if ("again" in set) return set.again;
      return park(flow, set.run, "fault", set.reason, set.findings, { retry: run.cursor }, set.until);
    }
    case "yielded":
      checkTicket(flow, run, event.ticket);
      return { ...run, tries: { ...run.tries, [event.ticket]: 0 } };
    case "checkpointed":
    case "chained":
      checkTicket(flow, run, event.ticket);
      if (run.cursor.at !== "checkpoint" && run.cursor.at !== "chain")
        throw new NotNow("record that", placeOf(run.cursor));
      return stand(notDone(run, event), run.cursor.to);
    case "signal":
      return stirred(flow, run);
    case "stopped":
      refuse("stop", run, "ended", "parked");
      return park(flow, run, event.code, event.reason, [], resumeAfter(flow, run, event.code));
    case "resumed":
      if (run.cursor.at !== "parked") throw new NotNow("resume", `the run is not parked but at ${placeOf(run.cursor)}`);
      return resumed(flow, run, run.cursor.resume);
    case "abandoned":
      refuse("abandon", run, "ended");
      return arrive(flow, run, { end: "aborted" });
    case "extended":
      return extended(flow, run, event.budget, event.limit);
    case "limited":
      refuse(`set the limit "${event.limit}"`, run, "ended");
      return beside(run, event);
    case "foreign":
    case "renamed":
    case "remark":
      return beside(run, event);
  }
}

function resumed(flow: Flow, run: Run, resume: Route | { retry: Cursor }): Run {
  if (!("retry" in resume)) return follow(flow, run, resume, undefined, nodeAt(run.cursor));
  const { retry } = resume;
  if (retry.at !== "waiting") return stand(run, retry);
  return askAgain(flow, run, nodeOf(flow, retry.node), retry.boundary); // R5: signals that came meanwhile were not heard
}

/** R6. The start that would be one too many parks the run instead. */
function begun(flow: Flow, run: Run, event: Event & { type: "begun" }): Run {
  checkTicket(flow, run, event.ticket);
  const tries = run.tries[event.ticket] ?? 0;
  if (tries >= flow.triesMax) {
    const reason = `"${event.performer}" was started ${tries} times and never answered`;
    return park(flow, run, "crash-loop", reason, [], { retry: run.cursor });
  }
  const { justMarked: _, ...rest } = run;
  return inSession({ ...rest, tries: { ...run.tries, [event.ticket]: tries + 1 } }, event);
}

function inSession(run: Run, { ticket, session }: { ticket: string; session?: string }): Run {
  return session ? { ...run, sessions: { ...run.sessions, [ownerOf(ticket)]: session } } : run;
}

function stirred(flow: Flow, run: Run): Run {
  const { cursor } = run;
  if (cursor.at === "waiting") return askAgain(flow, run, nodeOf(flow, cursor.node), cursor.boundary);
  if (cursor.at === "enter" || cursor.at === "exit") return { ...run, stirred: true };
  return run; // nobody is looking yet; the next chain will look for itself
}

function extended(flow: Flow, run: Run, name: string, limit: number): Run {
  const budget = flow.budgets[name];
  if (!budget) throw new NotNow(`raise "${name}"`, "the loop has no such budget");
  if (budget.frozen) throw new NotNow(`change ${budget.setBy}`, "the caps of this run were fixed when it was made");
  const was = limitOf(flow, run, name);
  if (limit <= was) throw new NotNow(`lower ${budget.setBy}`, `it is ${was + budget.first} already`);
  const raised = { ...run, limits: { ...run.limits, [name]: limit } };
  const cursor = settled(run.cursor);
  if (cursor.at === "ended" && cursor.exhausted?.budget === name)
    return follow(flow, raised, cursor.exhausted.way, undefined, cursor.exhausted.from);
  refuse(`raise ${budget.setBy}`, run, "ended");
  return raised;
}

function answered(flow: Flow, run: Run, ticket: string, verdict: Verdict): Run {
  const { cursor } = run;
  const well = recovered(run, ticket);
  const warned = warn(well, verdict);
  if (cursor.at === "enter" || cursor.at === "exit") return hooked(flow, warned, cursor, verdict);
  if (cursor.at !== "work") throw new NotNow("take a verdict", placeOf(cursor));
  if (verdict.status === "wait") throw new NotNow("wait", "at work; only a hook may wait");
  const node = nodeOf(flow, cursor.node);
  if (node.work.kind !== "fan") return worked(flow, warned, node, verdict);
  const branch = ownerOf(ticket).slice(node.name.length + 1);
  const answers = { ...cursor.answers, [branch]: verdict };
  const results = { ...warned.results, [`${node.name}/${branch}`]: verdict };
  const { [ticket]: _, ...tries } = warned.tries;
  const heard: Run = { ...warned, results, tries, cursor: { ...cursor, answers } }; // same place: the other tickets stay good
  return branchesLeft(node, answers)?.length ? heard : worked(flow, heard, node, worstOf(node.work, answers));
}

function worked(flow: Flow, run: Run, node: Node, verdict: Verdict): Run {
  const inputs = { ...run.inputs, ...verdict.set };
  const kept = { ...run, inputs, results: { ...run.results, [node.name]: verdict } };
  if (verdict.status === "block") return leave(flow, kept, node, verdict);
  return chain(flow, kept, node, "exit", 0, verdict.outcome);
}

function hooked(flow: Flow, run: Run, cursor: Cursor & { at: "enter" | "exit" }, verdict: Verdict): Run {
  const node = nodeOf(flow, cursor.node);
  const hook = node[cursor.at][cursor.index];
  const named = hook?.mayRoute ? verdict.outcome : undefined;
  switch (verdict.status) {
    case "pass":
    case "skip": // declining to look is not a decision
      return chain(flow, fire(run, cursor, hook), node, cursor.at, cursor.index + 1, named ?? cursor.outcome);
    case "wait": {
      if (run.stirred) return askAgain(flow, run, node, cursor.at); // R5
      return stand(run, { at: "waiting", node: node.name, boundary: cursor.at, findings: verdict.findings });
    }
    case "block": {
      if (cursor.at === "exit") return leave(flow, run, node, { ...verdict, outcome: named ?? "block" });
      const retry: Cursor = { at: "enter", node: node.name, index: cursor.index };
      return park(flow, run, "entry-refused", `entry to "${node.name}" was refused`, verdict.findings, { retry });
    }
  }
}

function fire(run: Run, cursor: Cursor & { at: "enter" | "exit" }, hook: Hook | undefined): Run {
  return hook?.effect ? { ...run, fired: [...run.fired, `${cursor.at}[${cursor.index}]`] } : run;
}

/** Stand before hook `index`, passing over effects already done, or go on past the end of the chain. */
function chain(
  flow: Flow,
  run: Run,
  node: Node,
  at: "enter" | "exit",
  index: number,
  outcome: string | undefined,
): Run {
  if (run.fired.includes(`${at}[${index}]`)) return chain(flow, run, node, at, index + 1, outcome);
  if (index < node[at].length) return stand(run, { at, node: node.name, index, ...(outcome ? { outcome } : {}) });
  if (at === "exit") {
    const said: Verdict = {
      status: "pass",
      findings: run.results[node.name]?.findings ?? [],
      ...(outcome ? { outcome } : {}),
    };
    return leave(flow, run, node, said);
  }
  if (node.work.kind === "none") return chain(flow, run, node, "exit", 0, undefined);
  return stand(run, { at: "work", node: node.name, answers: {} });
}

/** The whole chain anew, from what the work itself said. */
function askAgain(flow: Flow, run: Run, node: Node, boundary: "enter" | "exit"): Run {
  const said = boundary === "exit" ? run.results[node.name]?.outcome : undefined;
  return chain(flow, { ...run, stirred: false }, node, boundary, 0, said);
}

function enter(flow: Flow, run: Run, name: string): Run {
  const visits = { ...run.visits, [name]: visitsOf(run, name) + 1 };
  return chain(flow, { ...run, fired: [], stirred: false, visits }, nodeOf(flow, name), "enter", 0, undefined);
}

function leave(flow: Flow, run: Run, node: Node, verdict: Verdict): Run {
  const outcome = verdict.outcome ?? verdict.status;
  const route = node.routes[outcome];
  if (!route)
    throw new Error(`unreachable: "${node.name}" has no route for "${outcome}"; the check must refuse such a flow`);
  const { output, artifacts } = run.results[node.name] ?? {};
  const more = { ...(output ? { output } : {}), ...(artifacts?.length ? { artifacts } : {}) };
  const note = { from: node.name, visit: visitsOf(run, node.name), outcome, findings: verdict.findings, ...more };
  const worthReading = verdict.status === "block" || verdict.findings.length > 0;
  return follow(flow, worthReading ? { ...run, notes: [...run.notes, note] } : run, route, verdict, node.name);
}

/** R2. Pay for a route and take it, or be diverted. */
function follow(flow: Flow, run: Run, route: Route, verdict?: Verdict, from = ""): Run {
  const bill = pay(flow, run, route, verdict, from);
  const saves = route.saves && { what: route.saves, node: from, visit: visitsOf(run, from) };
  const save = (there: Run) => (saves ? stand(there, { at: "checkpoint", to: there.cursor, saves }) : there);
  if (bill.paid) return save(arrive(flow, mark(bill.run, route), route.to));
  const { budget } = bill.diversion;
  const exhausted = bill.diversion.because === "exhausted" ? { budget, way: route, from } : undefined;
  return save(arrive(flow, { ...run, diverted: bill.diversion }, bill.to, exhausted));
}

type Exhausted = { budget: string; way: Route; from: string };

function arrive(flow: Flow, run: Run, target: Target, exhausted?: Exhausted): Run {
  if ("node" in target) return enter(flow, run, target.node);
  if ("park" in target) {
    const again: Route = exhausted
      ? { ...exhausted.way, spend: [], refill: [exhausted.budget] }
      : { to: { node: flow.start } };
    return park(
      flow,
      run,
      target.park,
      target.reason,
      findingsOf(run),
      target.resume === "way" ? again : target.resume,
    );
  }
  const ended: Cursor = { at: "ended", ending: target.end, ...(exhausted ? { exhausted } : {}) };
  const loop = flow.onEnd?.[target.end === "success" && run.marks.warning ? "warning" : target.end];
  return stand(run, { at: "checkpoint", to: loop ? { at: "chain", loop, to: ended } : ended });
}

function park(
  flow: Flow,
  run: Run,
  code: ParkCode,
  reason: string,
  findings: Finding[],
  resume: Route | { retry: Cursor },
  until?: string,
): Run {
  const parked: Cursor = { at: "parked", code, reason, findings, resume, ...(until ? { until } : {}) };
  const save = flow.checkpoint.onPark && run.cursor.at !== "checkpoint"; // what cannot be saved is not saved again: R2
  return stand(run, save ? { at: "checkpoint", to: parked } : parked);
}

/** Every change of place goes through here: new tickets, no tries yet. */
const stand = (run: Run, cursor: Cursor): Run => ({ ...run, cursor, since: run.seq, tries: {} });

/** A stop answers no question: one that was open is asked again. */
const resumeAfter = (flow: Flow, run: Run, code: ParkCode): Route | { retry: Cursor } =>
  code === "paused" && flow.afterStop && !asks(flow, run.cursor) ? flow.afterStop : { retry: run.cursor };

const asks = (flow: Flow, cursor: Cursor): boolean =>
  cursor.at === "work" && nodeOf(flow, cursor.node).work.kind === "ask";

function checkTicket(flow: Flow, run: Run, ticket: string): void {
  const expected = ticketsOf(flow, run);
  if (!expected.includes(ticket)) throw new StaleAnswer(expected, ticket);
}

/** Where a run is on its way to counts as where it is: an end that is not saved yet is an end. */
function refuse(what: string, run: Run, ...places: Cursor["at"][]): void {
  const { at } = settled(run.cursor);
  if (places.includes(at)) throw new NotNow(what, `the run is ${at}`);
}

const findingsOf = (run: Run): Finding[] => run.notes.at(-1)?.findings ?? [];
