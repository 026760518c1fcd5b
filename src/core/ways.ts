// Words for ways: where a route leads, what it costs, and how far a budget is used. Said once, for every surface.
import type { Flow, Route, Run, Target } from "./model.js";
import { limitOf } from "./pay.js";

/** `"dev"`, `success`, `parked (paused): a person adjusts the plan`. */
export function targetText(target: Target): string {
  if ("node" in target) return `"${target.node}"`;
  return "end" in target ? target.end : `parked (${target.park}): ${target.reason}`;
}

/** What a way costs and gives back, by the author's keys: `spends max_resets, refills max_iter`; "" when it is free. */
export function costText(flow: Flow, route: Route): string {
  const keys = (names: string[] = []) =>
    [...new Set(names.map((name) => flow.budgets[name]?.setBy ?? name))].join(", ");
  const parts = [
    ...(route.spend?.length ? [`spends ${keys(route.spend)}`] : []),
    ...(route.refill?.length ? [`refills ${keys(route.refill)}`] : []),
  ];
  return parts.join(", ");
}

/** How far the budgets of a way are used once it is taken: `attempt 3 of 10`. */
export function countsText(flow: Flow, run: Run, route: Route): string {
  return (route.spend ?? []).map((name) => countText(flow, run, name)).join(", ");
}

export function countText(flow: Flow, run: Run, budget: string): string {
  const { spent, limit } = usageOf(flow, run, budget);
  return `${nounOf(budget)} ${spent} of ${limit}`;
}

/** As the author counts: the first try is one of them where the key says so. */
export function usageOf(flow: Flow, run: Run, budget: string): { spent: number; limit: number } {
  const first = flow.budgets[budget]?.first ?? 0;
  return { spent: (run.purses[budget]?.spent ?? 0) + first, limit: limitOf(flow, run, budget) + first };
}

const NOUNS: Record<string, string> = {
  attempts: "attempt",
  iterations: "iteration",
  resets: "round",
  rounds: "round",
  repairs: "repair",
  repeats: "repeat",
  laps: "lap",
};
/** What one unit of a budget is called. */
export function nounOf(budget: string): string {
  const [kind = budget] = budget.split(":");
  return (Object.hasOwn(NOUNS, kind) ? NOUNS[kind] : undefined) ?? kind;
}

/** A count with its noun: `1 visit`, `2 visits`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
