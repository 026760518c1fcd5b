// What a run has cost, what it warns of, and what happens beside its way, added up. An unknown figure stays unknown, it is not zero.
import { FINDINGS_MAX } from "./limits.js";
import type { EventBody, Finding, Route, Run, Spent, Verdict } from "./model.js";
import { ORACLE } from "./oracle.js";
import { ownerOf } from "./place.js";

export function charge(run: Run, ticket: string, spent: Spent | undefined): Run {
  if (!spent) return run;
  const name = ownerOf(ticket);
  const total = sum([run.spent[name] ?? { ms: 0 }, spent]);
  const most = dearer(run.dearest[name] ?? { ms: 0 }, spent);
  return { ...run, spent: { ...run.spent, [name]: total }, dearest: { ...run.dearest, [name]: most } };
}

/** Figure by figure the higher one. */
function dearer(a: Spent, b: Spent): Spent {
  const most: Spent = { ms: Math.max(a.ms, b.ms) };
  for (const key of ["usd", "inputTokens", "outputTokens"] as const) {
    const known = [a[key], b[key]].filter((figure) => figure !== undefined);
    if (known.length) most[key] = Math.max(...known);
  }
  return most;
}

/** The sum of several costs; a figure is there when at least one of them knows it. */
export function sum(costs: Spent[]): Spent {
  const total: Spent = { ms: 0 };
  for (const cost of costs) {
    total.ms += cost.ms;
    for (const key of ["usd", "inputTokens", "outputTokens"] as const) {
      if (cost[key] !== undefined) total[key] = (total[key] ?? 0) + cost[key];
    }
    if (cost.model) total.model = cost.model;
  }
  return total;
}

/** The outcome stands when the next loop was not started, or a visit's work was not committed; why that is, is told with it. */
export function notDone(run: Run, event: EventBody): Run {
  if (event.type === "chained" && event.why)
    return warn(run, { status: "pass", findings: [{ text: event.why, severity: "warning" }] });
  const saves = run.cursor.at === "checkpoint" ? run.cursor.saves : undefined;
  if (event.type !== "checkpointed" || !event.trouble || !saves) return run;
  const text = `the ${saves.what} of "${saves.node}" (visit ${saves.visit}) is not committed: ${event.trouble}`;
  return warn(run, { status: "pass", findings: [{ text, severity: "warning" }] });
}

/** Keeps the warnings of a verdict, FINDINGS_MAX in all: of what blocked only that the judges were touched, which is never left out for
 *  others. */
export function warn(run: Run, { status, findings }: Pick<Verdict, "status" | "findings">): Run {
  const more = findings.filter(
    ({ severity, rule }) => severity === "warning" && (status === "pass" || rule === ORACLE),
  );
  if (!more.length) return run;
  const all = [...run.warnings, ...more];
  const first =
    all.length > FINDINGS_MAX ? [...all.filter(isOfJudges), ...all.filter((each) => !isOfJudges(each))] : all;
  return { ...run, warnings: first.slice(0, FINDINGS_MAX) };
}
const isOfJudges = ({ rule }: Finding): boolean => rule === ORACLE;

/** What a way is counted as, and what no longer counts once it is taken. */
export function mark(run: Run, { mark: name, unmark = [] }: Route): Run {
  const marks = Object.fromEntries(Object.entries(run.marks).filter(([key]) => !unmark.includes(key)));
  return name ? { ...run, marks: { ...marks, [name]: (marks[name] ?? 0) + 1 }, justMarked: name } : { ...run, marks };
}

/** What happens beside the way of a run and leaves it where it is. */
export function beside(run: Run, event: EventBody & { type: "limited" | "foreign" | "renamed" | "remark" }): Run {
  switch (event.type) {
    case "limited":
      return { ...run, limits: { ...run.limits, [`limits.${event.limit}`]: event.to } };
    case "foreign":
      return foreign(run, event);
    case "renamed":
      return renamed(run, event);
    case "remark":
      return run;
  }
}

/** What is done from here on is told the ticket and the branch as they are now. */
function renamed(run: Run, { job, ticket, branch }: EventBody & { type: "renamed" }): Run {
  const named = { ...(ticket ? { ticket } : {}), ...(branch ? { branch } : {}) };
  return { ...run, job, ...(branch ? { branch } : {}), inputs: { ...run.inputs, ...named } };
}

/** Paths that people changed beside the run; taken in whole, or added to those known. */
function foreign(run: Run, { paths, shared = [], accepted }: EventBody & { type: "foreign" }): Run {
  const and = (known: string[], more: string[]) => [...new Set([...known, ...more])].sort();
  if (accepted) return { ...run, foreign: [], shared: [] };
  return { ...run, foreign: and(run.foreign, paths), shared: and(run.shared, shared) };
}
