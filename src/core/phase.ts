// What a doer and reviewer loop is about: a phase, where it stands and what comes next. Told in LOOP.md, STATE.md, commits and at the end.
import type { Flow, Node, Run, Saved, Verdict, Work } from "./model.js";
import { nodeAt, settled } from "./place.js";
import { usageOf } from "./ways.js";

export type LoopStatus = "running" | "converged" | "killed" | "escalated" | "paused";
/** The phase itself: what the rest of the project may build on. */
export type PhaseStatus = "running" | "verified" | "pending_manual_dod" | "blocked" | "paused";

export interface Phase {
  slug: string;
  /** Where it stands among the phases of the project, if it says so. */
  position?: number;
  /** Of the repository. */
  folder: string;
  /** Iteration of this round, and how many a round has. */
  iter: number;
  iterMax: number;
  /** The reset that killed the loop counts too, though no round came of it. */
  resets: number;
  resetsMax: number;
  /** The reviewer's own word for the last judgement. */
  verdict?: string;
  loop: LoopStatus;
  status: PhaseStatus;
  /** For a person; ends with the command to type where there is one. */
  next: string;
}

/** Undefined for a flow that is no such loop. */
export function phaseOf(flow: Flow, run: Run): Phase | undefined {
  const { iterations, resets } = flow.budgets;
  if (!iterations || !resets) return undefined;
  const iter = usageOf(flow, run, "iterations");
  const loop = loopStatusOf(flow, run);
  const status = statusOf(flow, run, loop);
  const verdict = verdictOf(flow, run);
  const position = positionOf(run);
  return {
    slug: run.job,
    ...(position === undefined ? {} : { position }),
    folder: folderOfJob(run.job),
    iter: iter.spent,
    iterMax: iter.limit,
    resets: totalResets(flow, run),
    resetsMax: resets.limit + resets.first,
    ...(verdict ? { verdict } : {}),
    loop,
    status,
    next: nextOf(run, loop, status),
  };
}

export const folderOfJob = (job: string): string => `.pawl/jobs/${job}`;
/** An input of the run, set when it starts. */
export const POSITION = "phase_position";
export function positionOf({ inputs }: Run): number | undefined {
  const text = inputs[POSITION] ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** The phase where the word of the loop is not enough: it has converged and a person is still to look. */
export function phaseStatusOf(flow: Flow, run: Run): "pending_manual_dod" | undefined {
  const here = nodeAt(run.cursor);
  return here !== undefined && flow.nodes[here]?.phase === "confirming" ? "pending_manual_dod" : undefined;
}

export function loopStatusOf(flow: Flow, run: Run): LoopStatus {
  return phaseStatusOf(flow, run) ? "converged" : loopStatus(run);
}

/** Only what a resume has to pay for is paused or escalated; after a crash, a fault or Ctrl-C the loop goes on for nothing. */
function loopStatus(run: Run): LoopStatus {
  const cursor = settled(run.cursor);
  switch (cursor.at) {
    case "ended":
      if (cursor.ending === "success") return "converged";
      return cursor.ending === "killed" ? "killed" : "escalated";
    case "parked":
      return cursor.code === "escalated" || cursor.code === "paused" ? cursor.code : "running";
    case "enter":
    case "work":
    case "exit":
    case "waiting":
      return "running";
  }
}

function statusOf(flow: Flow, run: Run, loop: LoopStatus): PhaseStatus {
  switch (loop) {
    case "converged":
      return phaseStatusOf(flow, run) ?? "verified";
    case "killed":
    case "escalated":
      return "blocked";
    case "paused":
    case "running":
      return loop;
  }
}

function nextOf(run: Run, loop: LoopStatus, status: PhaseStatus): string {
  if (status === "pending_manual_dod")
    return `try the manual items of the review, then: pawl answer ${run.id} confirmed (or does-not-work)`;
  switch (loop) {
    case "converged":
      return "the next phase; after the last one: pawl run release";
    case "killed":
      return `human review of the plan, then: pawl reset-loop ${run.id}`;
    case "escalated":
      if (run.cursor.at === "ended") return "human review of the plan";
      return `human review, then (it costs a round): pawl resume ${run.id}`;
    case "paused":
      return `adjust the plan, then (it costs a round): pawl resume ${run.id}`;
    case "running":
      return `pawl resume ${run.id}`;
  }
}

export function totalResets(flow: Flow, run: Run): number {
  const { spent, limit } = usageOf(flow, run, "resets");
  const cursor = settled(run.cursor);
  return cursor.at === "ended" && cursor.ending === "killed" ? limit : spent - (flow.budgets.resets?.first ?? 0);
}

/** Who judges an iteration: the node whose block pays for the next one. */
export function reviewerOf(flow: Flow): Node | undefined {
  return Object.values(flow.nodes).find((node) => node.routes.block?.spend?.includes("iterations"));
}

/** No verdict is no iteration: nothing was judged. */
export const isJudgement = (verdict: Verdict): boolean => verdict.outcome !== "unclear";

/** What the published reviews of a run are called. */
export function reviewFiles(flow: Flow): string[] {
  const work = reviewerOf(flow)?.work;
  if (work?.kind === "fan") return Object.keys(work.branches).map(reviewFile);
  return work ? [reviewFile()] : [];
}
export const reviewFile = (reviewer?: string): string =>
  reviewer === undefined ? "REVIEW.md" : `REVIEW-${reviewer}.md`;

function verdictOf(flow: Flow, run: Run): string | undefined {
  const reviewer = reviewerOf(flow);
  const verdict = reviewer && run.results[reviewer.name];
  return reviewer && verdict && isJudgement(verdict) ? wordOf(reviewer.work, verdict) : undefined;
}

/** The reviewer's own word for an outcome. */
export function wordOf(work: Work, { outcome, status }: Verdict): string {
  const said = outcome ?? status;
  const works = work.kind === "fan" ? Object.values(work.branches) : [work];
  const words = works.flatMap((part) => (part.kind === "agent" ? Object.entries(part.verdict?.words ?? {}) : []));
  const found = words.find(([, meaning]) => meaning.outcome === said);
  return found?.[0] ?? said.toUpperCase().replaceAll("-", "_");
}

/** The iteration that a save belongs to, for its message. By then a block has paid for the next one. */
export function messageOfSave(flow: Flow, run: Run, { what, node }: Saved): string {
  const isPaid = what === "review" && nodeAt(run.cursor) === flow.start;
  const iter = usageOf(flow, run, "iterations").spent - (isPaid ? 1 : 0);
  const slug = oneLine(run.job);
  if (what === "work") return `feat(${slug}): work of iter ${iter}`;
  const verdict = run.results[node];
  const work = flow.nodes[node]?.work;
  return `chore(${slug}): review of iter ${iter}${verdict && work ? ` (${wordOf(work, verdict)})` : ""}`;
}

export const oneLine = (text: string): string => text.replace(/[\p{C}\s\u2028\u2029]+/gu, " ").trim();

/** What the commit of the loop's own files says where it rests or has ended; undefined where it says nothing of its own. */
export function restMessageOf(flow: Flow, run: Run, iterations: number): string | undefined {
  const phase = phaseOf(flow, run);
  if (!phase) return undefined;
  const cursor = settled(run.cursor);
  const at = `at iter ${phase.iter}`;
  const say = (text: string) => `chore(${oneLine(phase.slug)}): loop ${text}`;
  switch (phase.loop) {
    case "converged":
      if (phase.status === "pending_manual_dod") return say(`converged ${at} (pending manual DoD)`);
      return say(`converged ${at} (${phase.verdict ?? "no verdict"})`);
    case "killed":
      return say(`killed after ${phase.resets} resets and ${iterations} iterations`);
    case "escalated":
      if (cursor.at !== "ended") return say(`aborted ${at} (user escalated)`);
      return say(`${cursor.ending === "aborted" ? "abandoned" : "failed"} ${at}`);
    case "paused":
      return say(
        `paused ${at} (${cursor.at === "parked" && cursor.reason === PLAN_ADJUSTED ? "plan adjustment" : "a person paused it"})`,
      );
    case "running":
      return undefined;
  }
}

/** The reason of the park that the gate's third choice leads to. */
export const PLAN_ADJUSTED = "a person adjusts the plan";
