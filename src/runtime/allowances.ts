// What a run may use up besides its own limits: what is left of the runs it is a step of, and of its job.
import { type Allowance, limitsOf, mendOf, totalOf } from "../core/allowance.js";
import { sum } from "../core/ledger.js";
import type { Flow, Limits, Run, Spent } from "../core/model.js";
import { workOf } from "../core/place.js";
import type { House } from "../ports/house.js";
import type { Frozen } from "../ports/store.js";
import { isStep } from "./ids.js";
import { glanceAt } from "./open.js";

/** Asked before each piece of work of one drive; looks, and writes nothing. The limits of the job are read once. */
export function allowancesAround(house: House, frozen: Frozen): (flow: Flow, run: Run) => Promise<Allowance[]> {
  let limits: Promise<Limits> | undefined;
  return async (flow, run) => {
    limits ??= house.jobLimits();
    const above = frozen.parent === undefined ? [] : await outer(house, run);
    return [...above, ...(await ofJob(house, { flow, run, limits: await limits }))];
  };
}

/** A run is not charged for its step before that has ended, so what the step has used so far is added here. */
async function outer(house: House, run: Run): Promise<Allowance[]> {
  const found: Allowance[] = [];
  let spent = totalOf(run);
  for (let id = run.id; ; ) {
    const frozen = await house.store.frozen(id);
    if (frozen.parent === undefined || !isStep(house.sha256, frozen)) return found;
    id = frozen.parent;
    const above = await glanceAt(house, id);
    spent = sum([totalOf(above.run), spent]);
    const of = `run ${id} (loop "${above.flow.name}")`;
    found.push({ of, limits: limitsOf(above.flow, above.run), spent, mend: mendOf(above.run, "") });
  }
}

interface InJob {
  flow: Flow;
  run: Run;
  limits: Limits;
}
async function ofJob(house: House, { flow, run, limits }: InJob): Promise<Allowance[]> {
  if (Object.keys(limits).length === 0) return [];
  const others = (await house.store.list()).filter((id) => id !== run.id).map((id) => glanceAt(house, id));
  const costs = (await Promise.all(others)).filter((other) => other.run.job === run.job);
  const spent = sum([{ run, flow }, ...costs].map((each) => ownOf(each.flow, each.run)));
  const mend = 'raise job_limits.FIGURE in ".pawl/config.yaml", then: pawl resume ';
  return [{ of: `job "${run.job}"`, limits, spent, mend: `${mend}${run.id}` }];
}

/** Without its steps that are loops: these are runs themselves. */
function ownOf(flow: Flow, run: Run): Spent {
  return sum(Object.entries(run.spent).flatMap(([name, cost]) => (workOf(flow, name)?.kind === "flow" ? [] : [cost])));
}
