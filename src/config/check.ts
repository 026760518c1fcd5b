// What a lowered flow must satisfy before it may run: every outcome has a route, every way is walked, every cycle pays.
// Every complaint is found at load, none at three in the morning.

import type { Flow, Node, Route, Target } from "../core/model.js";
import { outcomesOf } from "../core/outcomes.js";
import type { Issue, IssueCode } from "./issues.js";
import type { Known } from "./known.js";

export function checkFlow(flow: Flow, path: string, known: Known, into: Issue[]): void {
  const complain: Complain = (code, node, message, hint) => {
    const line = node?.origin?.line ?? 1;
    into.push({ code, path, line, col: 1, message, ...(hint ? { hint } : {}), severity: "error" });
  };
  checkTotality(flow, known, complain);
  checkReached(flow, complain);
  checkTermination(flow, complain);
}

type Complain = (code: IssueCode, node: Node | undefined, message: string, hint?: string) => void;

function checkTotality(flow: Flow, known: Known, complain: Complain): void {
  for (const node of Object.values(flow.nodes)) {
    const possible = outcomesOf(node, {
      action: (name) => known.actions[name]?.outcomes ?? [],
      hook: (name) => known.hooks[name]?.outcomes ?? [],
    });
    for (const outcome of possible) {
      if (node.routes[outcome]) continue;
      complain(
        "no-way-out",
        node,
        `"${node.name}" can end as "${outcome}" but nothing says where that leads`,
        `write ${outcome}: under its routes`,
      );
    }
    for (const outcome of Object.keys(node.routes)) {
      if (possible.has(outcome)) continue;
      const hint = `it can end as ${[...possible].join(", ")}`;
      complain("dead-route", node, `"${node.name}" has a route for "${outcome}", which it never ends as`, hint);
    }
  }
}

function checkReached(flow: Flow, complain: Complain): void {
  const reached = new Set<string>();
  const queue = [flow.start];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const node = flow.nodes[name];
    if (reached.has(name) || !node) continue;
    reached.add(name);
    for (const route of Object.values(node.routes)) queue.push(...waysOf(flow, route));
  }
  for (const node of Object.values(flow.nodes)) {
    if (!reached.has(node.name))
      complain(
        "unreachable",
        node,
        `"${node.name}" can never be reached: no route leads to it`,
        "name it in a route, or remove it",
      );
  }
}

/** Invariant R2 of core/run.ts: without its paying routes the graph has no cycle, and no budget is refilled for nothing. */
function checkTermination(flow: Flow, complain: Complain): void {
  const free = new Map<string, string[]>();
  for (const node of Object.values(flow.nodes)) {
    free.set(
      node.name,
      Object.values(node.routes).flatMap((route) => freeWays(flow, route)),
    );
  }
  checkRefills(flow, complain);
  const cycle = findCycle(free);
  if (!cycle) return;
  const mend = "let one of these ways back spend an attempt: {goto: …, retry: true}";
  complain("endless", flow.nodes[cycle[0] ?? ""], `the loop can go round ${cycle.join(" → ")} for ever`, mend);
}

/** A budget is bounded when each of its refills is paid with another bounded one: no two may refill each other. */
function checkRefills(flow: Flow, complain: Complain): void {
  const refills = Object.values(flow.nodes).flatMap((node) =>
    Object.values(node.routes).flatMap(({ refill = [], spend = [] }) =>
      refill.map((budget) => ({ node, budget, payers: spend.filter((other) => other !== budget) })),
    ),
  );
  const bounded = new Set<string>();
  const unpaid = () => refills.filter(({ payers }) => !payers.some((payer) => bounded.has(payer)));
  for (let before = -1; before < bounded.size; ) {
    before = bounded.size;
    const open = new Set(unpaid().map(({ budget }) => budget));
    for (const name of Object.keys(flow.budgets)) if (!open.has(name)) bounded.add(name);
  }
  for (const { node, budget, payers } of unpaid()) {
    const how = payers.length
      ? `for "${payers.join('", "')}", which it pays for in turn`
      : "without spending another budget";
    complain("endless", node, `"${node.name}" refills "${budget}" ${how}, so it could go on for ever`);
  }
}

/** Where a route leads without paying: onward when it spends nothing, else only where its budgets divert it. */
function freeWays(flow: Flow, route: Route): string[] {
  if (!route.spend?.length) return nodesOf(route.to);
  return route.spend.flatMap((name) => divertsOf(flow, name)).flatMap(nodesOf);
}
const waysOf = (flow: Flow, route: Route): string[] => [
  ...nodesOf(route.to),
  ...resumesOf(route.to),
  ...(route.spend ?? [])
    .flatMap((name) => divertsOf(flow, name))
    .flatMap((target) => [...nodesOf(target), ...resumesOf(target)]),
];
const divertsOf = (flow: Flow, name: string): Target[] => {
  const budget = flow.budgets[name];
  return budget ? [budget.onExhausted, ...(budget.onRepeat ? [budget.onRepeat] : [])] : [];
};
const nodesOf = (target: Target): string[] => ("node" in target ? [target.node] : []);
/** Behind a park stands a person: reached, but not by itself. */
const resumesOf = (target: Target): string[] =>
  "park" in target && target.resume !== "way" ? nodesOf(target.resume.to) : [];

/** Depth first without recursion: a thousand steps in a row must not exhaust the stack. */
function findCycle(graph: Map<string, string[]>): string[] | undefined {
  const done = new Set<string>();
  for (const root of graph.keys()) {
    const path: string[] = [root];
    const onPath = new Set(path);
    const rests = [[...(graph.get(root) ?? [])]];
    while (path.length) {
      const to = rests.at(-1)?.pop();
      if (to === undefined) {
        const left = path.pop() ?? root;
        done.add(left);
        onPath.delete(left);
        rests.pop();
      } else if (onPath.has(to)) return [...path.slice(path.indexOf(to)), to];
      else if (!done.has(to)) {
        path.push(to);
        onPath.add(to);
        rests.push([...(graph.get(to) ?? [])]);
      }
    }
  }
  return undefined;
}
