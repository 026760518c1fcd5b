// Makes a run: everything it needs is checked and frozen before its first line is written, and that before its first step.
import { HOST } from "../core/hosts.js";
import { isPending, pendingJob } from "../core/job.js";
import type { Flow, Node, Performer, Work } from "../core/model.js";
import { FaultError, Refusal } from "../ports/errors.js";
import type { House, Loaded } from "../ports/house.js";
import type { EngineReport, Sandbox } from "../ports/sandbox.js";
import type { Frozen, Start } from "../ports/store.js";
import { runId } from "./ids.js";
import { type Taken, takeRun } from "./open.js";

export interface StartOptions {
  /** A loop of the base branch that finds no ticket begins in a pending job of its own instead. */
  job: string;
  ticket: string | null;
  inputs: Record<string, string>;
  by: string;
  /** For a run that a command of another run makes; as a step of it, it began where its parent began. */
  child?: { id: string; parent: string; start?: Start };
}
/** Paths kept of a tree that was not clean at the start: they are shown, and any of them means "no commit". */
const DIRTY_KEPT_MAX = 1_000;
/** Ids tried when another run of the loop started in the same second. */
const IDS_TRIED_MAX = 100;

/** Where a loop may not start at all, whoever starts it. Throws a Refusal. */
export function refuseStart(house: House, { flow, requireBranch }: Loaded): void {
  const { kind, workspace, branch } = house.where;
  if (workspace === "/" || workspace === house.userFolder) {
    const what = workspace === "/" ? "the root of the disk" : "your home folder";
    throw new Refusal("bad-workspace", `"${workspace}" is ${what}, no place for a run`, "go to a project folder");
  }
  if (kind === "no-commit" && commits(flow)) {
    throw new Refusal(
      "no-commit",
      `"${workspace}" has no commit yet, so "${flow.name}" could not commit`,
      "make one: git commit --allow-empty -m start",
    );
  }
  if (requireBranch && kind !== "no-git" && (branch === undefined || !requireBranch.includes(branch))) {
    const base = requireBranch.length === 1 ? `"${requireBranch[0]}"` : `the base branch (${requireBranch.join(", ")})`;
    throw new Refusal(
      "wrong-branch",
      `loop "${flow.name}" starts on ${base} only, and ${branch === undefined ? "no branch" : `"${branch}"`} is checked out`,
      `git switch ${requireBranch[0]}; another base is named by branch_base in .pawl/config.yaml`,
    );
  }
}

export const commits = (flow: Flow): boolean =>
  Object.values(flow.nodes).some(({ work }) => work.kind === "action" && work.action === "commit");

/** P9: a missing engine, agent or key stops here, before any state exists. Throws a FaultError. `host` is who works in the place of
 *  the host's agent: a performer, or the agent itself ("there"). */
export async function readyFor(
  house: House,
  flow: Flow,
  signal: AbortSignal,
  host?: Performer | "there",
): Promise<{ engine?: Sandbox; report?: EngineReport }> {
  for (const [name, given] of Object.entries(flow.performers)) {
    if (given.use === HOST && host === "there") continue;
    const performer = given.use === HOST && host !== undefined && host !== "there" ? host : given;
    const agent = house.agents.get(performer.use);
    const report = await agent?.probe(performer, signal);
    signal.throwIfAborted(); // a probe that was cut short says "unusable", which is no answer
    if (report?.usable) continue;
    const why = report?.why ?? (performer.use === HOST ? HOSTED : `nothing here drives "${performer.use}"`);
    throw new FaultError({
      code: "agent-missing",
      message: `Agent "${name}" cannot work here: ${why}`,
      ...(report?.mend ? { hint: report.mend } : {}),
    });
  }
  return needsSandbox(house, flow) ? house.engine(flow.isolation, signal) : {};
}

const HOSTED =
  "it is the agent of an IDE, which calls Pawl over MCP; to go on without it: pawl resume RUN --agent NAME";

/** The host's agent is the person's own, and runs where they started it. */
const isConfined = (house: House, use: string): boolean => use !== HOST && (house.agents.get(use)?.confined ?? true);

function needsSandbox(house: House, flow: Flow): boolean {
  const confined = (work: Work): boolean => {
    switch (work.kind) {
      case "command":
      case "check":
        return true;
      case "agent":
        return isConfined(house, flow.performers[work.performer]?.use ?? "");
      case "fan":
        return Object.values(work.branches).some(confined);
      case "action": // the repository's own commit hooks run inside, and there the programs are looked for
        return work.action === "commit" || work.action === "command-check";
      case "none":
      case "ask":
      case "flow":
        return false;
    }
  };
  const chained = (node: Node) => [...node.enter, ...node.exit].some((hook) => hook.hook === "validator");
  return Object.values(flow.nodes).some((node) => confined(node.work) || chained(node));
}

/** Create the run and take it. It is not driven yet. */
export async function startRun(house: House, loaded: Loaded, options: StartOptions): Promise<Taken> {
  const start = options.child?.start ?? (await startOf(house, options.ticket));
  const { goal, name } = loaded.flow;
  const known = {
    ...(start.branch ? { branch: start.branch } : {}),
    ...(options.ticket ? { ticket: options.ticket } : {}),
  };
  const { subject = name } = loaded.context;
  const opening = { inputs: { goal, subject, ...known, ...options.inputs }, by: options.by };
  const taken = await takeRun(house, await create(house, loaded, options, { start, opening }));
  taken.opened.journal.remarks.push(...remarksOn(loaded));
  return taken;
}

/** Which documents the run has, and why those, for its story. */
function remarksOn({ context: { loader, subject, notes } }: Loaded): { about: string; text: string }[] {
  if (loader === undefined) return [];
  return [{ about: "documents", text: [`${loader}: ${subject}`, ...notes].join("; ") }];
}

async function startOf(house: House, ticket: string | null): Promise<Start> {
  const { kind, workspace, branch, head } = await house.git.where(); // now: the run before it may have made the branch
  const tree = await house.git.tree();
  const { text: memory } = house.memory.open();
  return {
    workspace,
    ...(branch ? { branch } : {}),
    ...(head ? { head } : {}),
    ...(ticket ? { ticket } : {}),
    dirty: kind === "no-git" ? [] : (await house.git.dirty(tree)).slice(0, DIRTY_KEPT_MAX), // nothing is committed, so nothing is dirty
    signposts: await house.git.signposts(),
    tree: tree.digest,
    ...(memory ? { memory } : {}),
  };
}

async function create(
  house: House,
  loaded: Loaded,
  { job, ticket, child }: StartOptions,
  { start, opening }: Pick<Frozen, "start"> & { opening: Omit<Frozen["opening"], "job"> },
): Promise<string> {
  const { flow, source, files, stateDir, agent } = loaded;
  const begetsTicket =
    ticket === null && !isPending(job) && !child?.start && (await isToMakeBranch(house, loaded, start));
  const more = {
    ...(child ? { parent: child.parent } : {}),
    ...(agent ? { agent } : {}),
    ...(stateDir ? { elsewhere: stateDir } : {}),
  };
  for (let later = 0; later < IDS_TRIED_MAX; later++) {
    const run = child?.id ?? runId(flow.name, house.clock.seconds(), later);
    const named = { job: begetsTicket ? pendingJob(run) : job, ...opening };
    try {
      await house.store.create({ run, flow, source, files, start, opening: named, ...more });
      return run;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "run-exists" || child) throw error;
    }
  }
  throw new Refusal("run-exists", `${IDS_TRIED_MAX} runs of "${flow.name}" started within seconds`, "wait a minute");
}

async function isToMakeBranch(
  house: House,
  { makesBranch, requireBranch }: Loaded,
  { branch }: Start,
): Promise<boolean> {
  if (!makesBranch || requireBranch !== undefined) return makesBranch;
  return branch !== undefined && (await house.branches()).protected.includes(branch);
}
