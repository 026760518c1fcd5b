// Which branch a run belongs to. Where another one is checked out that is said: a run is never taken for another branch's.
import type { Run } from "../core/model.js";
import { settled } from "../core/place.js";
import { Refusal } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { Frozen } from "../ports/store.js";
import { outerOf } from "./offspring.js";
import { glanceAt } from "./open.js";

/** Runs named in one message. */
const NAMED_MAX = 5;

/** Undefined: it began with no branch checked out, or without git. */
export const branchOf = ({ start }: Frozen, run: Run): string | undefined => run.branch ?? start.branch;

/** What to tell who goes on with a run by its name while another branch is checked out; undefined when it is its own. */
export async function strayText(house: House, id: string): Promise<string | undefined> {
  const frozen = await house.store.frozen(id);
  const { run } = await glanceAt(house, id);
  const { kind, branch: here } = await house.git.where();
  const own = branchOf(frozen, run);
  if (kind === "no-git" || own === here || own === undefined) return undefined;
  return `run ${id} belongs to branch "${own}", and ${checkedOut(here)}; it goes on here. To go on there: git switch ${typed(own)}`;
}

/** Nothing is open in this job: says so, and names what is open on other branches. */
export async function noOpenRun(house: House, job: string): Promise<Refusal> {
  const told = await toldElsewhere(house, job);
  if (told) return new Refusal("no-open-run", told.message, told.hint, 3);
  return new Refusal(
    "no-open-run",
    `no run is open in job "${job}"`,
    "name one (pawl list), or start one: pawl run LOOP",
    1,
  );
}

/** Runs of this work tree that are open, but not in this job, with the way to them; undefined when there are none. */
export async function toldElsewhere(house: House, job: string): Promise<{ message: string; hint: string } | undefined> {
  const { kind, branch: here } = await house.git.where();
  const others = await openElsewhere(house);
  const [other] = others;
  if (!other) return undefined;
  const none = kind !== "no-git" && here === undefined ? "no branch is checked out" : `no run is open in job "${job}"`;
  const told = others.slice(0, NAMED_MAX).map(({ run, job: its, own, isGone }) => {
    if (own === undefined || own === here) return `run ${run} is open in job "${its}"`;
    return isGone ? `run ${run} belongs to branch "${own}", which is gone` : `run ${run} is open on branch "${own}"`;
  });
  const more = others.length > NAMED_MAX ? `; and ${others.length - NAMED_MAX} more (pawl list)` : "";
  return { message: `${none}; ${told.join("; ")}${more}`, hint: wayTo(other, here) };
}

interface Elsewhere {
  run: string;
  job: string;
  own: string | undefined;
  /** The branch is not there any more: renamed or deleted. */
  isGone: boolean;
}

function wayTo({ run, own, isGone }: Elsewhere, here: string | undefined): string {
  if (own === undefined || own === here) return `go on with it: pawl resume ${run}`;
  if (!isGone) return `go back to it: git switch ${typed(own)}; or go on with it here: pawl resume ${run}`;
  const renamed = here === undefined ? "if it was renamed, check it out" : `if it is called "${here}" now`;
  return `${renamed}, take the run over: pawl resume ${run}`;
}

/** The open runs of this work tree, the newest first; runs that are a step of another are reached through it. */
async function openElsewhere(house: House): Promise<Elsewhere[]> {
  const found: Elsewhere[] = [];
  for (const id of (await house.store.list()).reverse()) {
    try {
      const frozen = await house.store.frozen(id);
      if (frozen.start.workspace !== house.where.workspace) continue;
      const { run } = await glanceAt(house, id);
      if (settled(run.cursor).at === "ended" || (await outerOf(house, id)) !== undefined) continue;
      const own = branchOf(frozen, run);
      found.push({ run: id, job: run.job, own, isGone: own !== undefined && !(await house.git.hasBranch(own)) });
    } catch {
      // broken: pawl list says so
    }
  }
  return found;
}

const checkedOut = (here: string | undefined): string =>
  here === undefined ? "no branch is checked out" : `"${here}" is checked out`;

/** A branch may be called anything, and this is to be typed into a shell. */
const typed = (branch: string): string => (/^[\w./-]+$/.test(branch) ? branch : `'${branch.replaceAll("'", "'\\''")}'`);
