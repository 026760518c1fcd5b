// What can be promised about a flow before it runs: how often a step can be visited, and which gates no way goes round.
// Counted without what a person resumes: behind a park a person decides.
import { componentsOf } from "./cycles.js";
import type { Flow, Node, Route, Target } from "./model.js";

/** A bound that would be larger is given as this. */
export const BOUND_MAX = 1e9;

/** Most visits of each node: 1 off every cycle; on a cycle 1 and what its budgets can pay, refills included. */
export function visitsAtMost(flow: Flow): Record<string, number> {
  const capacity = capacities(flow);
  const bounds = new Map<string, number>();
  for (const component of parts(flow)) {
    const inside = new Set(component);
    const budgets = isCycle(flow, component) ? spentInside(flow, inside) : new Set<string>();
    const sum = [...budgets].reduce((total, budget) => total + (capacity.get(budget) ?? 0), 1);
    for (const name of component) bounds.set(name, Math.min(sum, BOUND_MAX));
  }
  return Object.fromEntries(Object.keys(flow.nodes).map((name) => [name, bounds.get(name) ?? 0]));
}

/** The steps that can be visited more than once. */
export function stepsOnCycle(flow: Flow): string[] {
  const on = parts(flow).filter((component) => isCycle(flow, component));
  const folds = new Set(on.flat().flatMap((name) => flow.nodes[name]?.origin?.fold ?? []));
  return flow.steps.filter((step) => folds.has(step));
}

/** The judging nodes that no way from the start to `node` goes round and that can keep a run from getting there; in the order they are met. */
export const gatesBefore = (flow: Flow, node: string): string[] => gatesTo(flow, node);
/** The same for a successful end. */
export const gatesBeforeSuccess = (flow: Flow): string[] => gatesTo(flow, SUCCESS);

/** Does the answer of this node judge? A person, a check, a command, an agent whose verdict is read. */
export function judges(node: Node): boolean {
  const { work } = node;
  const works = work.kind === "fan" ? Object.values(work.branches) : [work];
  return works.every((part) => JUDGES.has(part.kind) || (part.kind === "agent" && part.verdict !== undefined));
}
const JUDGES = new Set<string>(["ask", "check", "command", "flow"]);

/** No node is called this: names have no control characters. */
const SUCCESS = "\u0000success";

function gatesTo(flow: Flow, target: string): string[] {
  const sources = new Map<string, string[]>();
  for (const node of Object.values(flow.nodes)) {
    for (const to of waysFrom(flow, node)) {
      const known = sources.get(to);
      if (known) known.push(node.name);
      else sources.set(to, [node.name]);
    }
  }
  return reachOrder(flow).filter((name) => {
    const node = flow.nodes[name];
    if (!node || name === target || !judges(node)) return false;
    const around = reaching(sources, target, name);
    if (around.has(flow.start)) return false;
    return Object.values(node.routes).some((route) => !landings(flow, route).some((to) => around.has(to)));
  });
}

/** Everything from which `target` can be reached without passing `without`. */
function reaching(sources: Map<string, string[]>, target: string, without: string): Set<string> {
  const seen = new Set([target]);
  const queue = [target];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const source of sources.get(name) ?? []) {
      if (source === without || seen.has(source)) continue;
      seen.add(source);
      queue.push(source);
    }
  }
  return seen;
}

/** Breadth first from the start: whatever stands on every way to a node comes before it. */
function reachOrder(flow: Flow): string[] {
  const order = new Set([flow.start]);
  for (const name of order) {
    const node = flow.nodes[name];
    if (node) for (const to of waysFrom(flow, node)) order.add(to);
  }
  return [...order];
}

/** Ways a person resumes included: a gate that a resume goes round is none. */
function waysFrom(flow: Flow, node: Node): Set<string> {
  const after = flow.afterStop ? landings(flow, flow.afterStop) : [];
  return new Set([...Object.values(node.routes).flatMap((route) => landings(flow, route)), ...after]);
}

/** Where taking a route can put a run: its target, or where its budgets divert it; through a park to where it is resumed. */
function landings(flow: Flow, route: Route): string[] {
  const diverts = (route.spend ?? []).flatMap((name) => divertsOf(flow, name));
  return [route.to, ...diverts].flatMap((target) => {
    if ("node" in target) return [target.node];
    if ("end" in target) return target.end === "success" ? [SUCCESS] : [];
    return target.resume === "way" ? [] : landingsOfResume(target.resume);
  });
}
/** One park deep: a resume that parks again is resumed from there. */
const landingsOfResume = ({ to }: Route): string[] => {
  if ("node" in to) return [to.node];
  return "end" in to && to.end === "success" ? [SUCCESS] : [];
};

const divertsOf = (flow: Flow, name: string): Target[] => {
  const budget = flow.budgets[name];
  return budget ? [budget.onExhausted, ...(budget.onRepeat ? [budget.onRepeat] : [])] : [];
};

/** Where a route leads by itself, with no person resuming. */
const onward = (flow: Flow, route: Route): string[] =>
  [route.to, ...(route.spend ?? []).flatMap((name) => divertsOf(flow, name))].flatMap((target) =>
    "node" in target ? [target.node] : [],
  );
const successors = (flow: Flow, name: string): string[] =>
  Object.values(flow.nodes[name]?.routes ?? {}).flatMap((route) => onward(flow, route));

const isCycle = (flow: Flow, component: string[]): boolean =>
  component.length > 1 || component.some((name) => successors(flow, name).includes(name));

function spentInside(flow: Flow, inside: Set<string>): Set<string> {
  const spent = new Set<string>();
  for (const name of inside)
    for (const route of Object.values(flow.nodes[name]?.routes ?? {}))
      if ("node" in route.to && inside.has(route.to.node)) for (const budget of route.spend ?? []) spent.add(budget);
  return spent;
}

/** capacity(b) = limit × (1 + Σ capacity of the budgets that pay for a refill of b). A circle of refills has no bound. */
function capacities(flow: Flow): Map<string, number> {
  const payers = payersOf(flow);
  const done = new Map<string, number>();
  let left = Object.keys(flow.budgets);
  for (;;) {
    const ready = left.filter((name) => [...(payers.get(name) ?? [])].every((payer) => done.has(payer)));
    if (!ready.length) break;
    for (const name of ready) {
      const fills = [...(payers.get(name) ?? [])].reduce((sum, payer) => sum + (done.get(payer) ?? 0), 1);
      done.set(name, Math.min((flow.budgets[name]?.limit ?? 0) * fills, BOUND_MAX));
    }
    left = left.filter((name) => !done.has(name));
  }
  for (const name of left) done.set(name, BOUND_MAX);
  return done;
}

/** For each budget those that are spent where it is refilled. */
function payersOf(flow: Flow): Map<string, Set<string>> {
  const payers = new Map<string, Set<string>>();
  const note = (budget: string, spend: string[]) => {
    const others = spend.filter((payer) => payer !== budget);
    payers.set(budget, new Set([...(payers.get(budget) ?? []), ...others]));
  };
  for (const route of Object.values(flow.nodes).flatMap(routesOf))
    for (const budget of route.refill ?? []) note(budget, route.spend ?? []);
  return payers;
}

const routesOf = (node: Node): Route[] =>
  Object.values(node.routes).flatMap((route) =>
    "park" in route.to && route.to.resume !== "way" ? [route, route.to.resume] : [route],
  );

const parts = (flow: Flow): string[][] => componentsOf(Object.keys(flow.nodes), (name) => successors(flow, name));
