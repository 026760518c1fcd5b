// What a way back costs: the purses of a run, and what happens when one is empty or a complaint returns.
import type { Budget, Diversion, Flow, Purse, Route, Run, Target, Verdict } from "./model.js";
import { visitsOf } from "./place.js";

export type Bill = { paid: true; run: Run } | { paid: false; to: Target; diversion: Diversion };

/** Spend what `route` names, refill what it refills. A purse is looked at for repeats before it is looked at for being empty. */
export function pay(flow: Flow, run: Run, route: Route, verdict: Verdict | undefined, from: string): Bill {
  const { diverted: _, ...rest } = run;
  const visit = visitsOf(run, from);
  let purses = run.purses;
  for (const name of route.spend ?? []) {
    const budget = flow.budgets[name];
    if (!budget) throw new Error(`unreachable: no budget "${name}"`);
    const purse = purses[name] ?? { spent: 0, seen: [] };
    const repeat = budget.onRepeat && repeatOf(purse, verdict, budget);
    if (budget.onRepeat && repeat)
      return {
        paid: false,
        to: budget.onRepeat,
        diversion: { budget: name, because: "repeat", from, visit, ...repeat },
      };
    if (purse.spent >= limitOf(flow, run, name)) return { paid: false, ...exhausted(name, budget, from, visit) };
    purses = { ...purses, [name]: { spent: purse.spent + 1, seen: [...purse.seen, sightOf(verdict, visit)] } };
  }
  for (const name of route.refill ?? []) purses = { ...purses, [name]: { spent: 0, seen: [] } };
  return { paid: true, run: { ...rest, purses } };
}

/** The limit in force: the author's, or what a person raised it to. */
export const limitOf = (flow: Flow, run: Run, budget: string): number =>
  run.limits[budget] ?? flow.budgets[budget]?.limit ?? 0;

/** The same complaint anywhere in this round, or any complaint about a tree that was complained about already. */
function repeatOf(
  purse: Purse,
  verdict: Verdict | undefined,
  { treeMayRest = false }: Budget,
): { earlier: number; print?: string } | undefined {
  const { print, tree } = sightOf(verdict, 0);
  const earlier = purse.seen.find((s) => (print && s.print === print) || (tree && !treeMayRest && s.tree === tree));
  return earlier && { earlier: earlier.visit, ...(print ? { print } : {}) };
}

function sightOf(verdict: Verdict | undefined, visit: number): Purse["seen"][number] {
  const print = verdict?.print;
  const tree = verdict?.evidence?.tree;
  return { visit, ...(print ? { print } : {}), ...(tree ? { tree } : {}) };
}

const exhausted = (
  name: string,
  budget: Budget,
  from: string,
  visit: number,
): { to: Target; diversion: Diversion } => ({
  to: budget.onExhausted,
  diversion: { budget: name, because: "exhausted", from, visit },
});

/** Notes that a way was taken. */
export function mark(run: Run, { mark: name, unmark = [] }: Route): Run {
  const marks = Object.fromEntries(Object.entries(run.marks).filter(([key]) => !unmark.includes(key)));
  return name ? { ...run, marks: { ...marks, [name]: (marks[name] ?? 0) + 1 }, justMarked: name } : { ...run, marks };
}
