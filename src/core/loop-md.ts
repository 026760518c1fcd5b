// LOOP.md of a doer and reviewer loop: where it stands and how it got there, for people. A rendering of the journal, never read back.
import { momentsOf } from "./chronicle.js";
import type { Event, Flow, Node, Run, Verdict, Work } from "./model.js";
import { nodeAt } from "./place.js";
import { settled } from "./view.js";
import { usageOf } from "./ways.js";

export type LoopStatus = "running" | "converged" | "killed" | "escalated" | "paused";

/** The text of the file; undefined for a flow that is no such loop. */
export function loopMd(flow: Flow, events: readonly Event[]): string | undefined {
  const { iterations, resets } = flow.budgets;
  const [started] = events;
  if (!iterations || !resets || !started) return undefined;
  const told: Told = { iter: 0, history: [] };
  let run: Run | undefined;
  for (const { event, before, after } of momentsOf(flow, events)) {
    if (before) tell(flow, told, before, after, event);
    run = after;
  }
  if (!run) return undefined;
  const front = {
    phase_slug: scalar(run.job),
    iter: told.iter,
    total_resets: totalResets(flow, run),
    status: loopStatusOf(flow, run),
    max_iter_per_round: iterations.limit + iterations.first,
    max_resets: resets.limit + resets.first,
    created_at: started.at,
  };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${value}`);
  const phase = phaseStatusOf(flow, run);
  const open = phase ? [`Phase: ${phase}; a person is to confirm the manual items`, ""] : [];
  return ["---", ...lines, "---", "", ...open, "## History", "", ...told.history, ""].join("\n");
}

/** The phase itself, where the word of the loop is not enough: it has converged and a person is still to look. */
export function phaseStatusOf(flow: Flow, run: Run): "pending_manual_dod" | undefined {
  const here = nodeAt(run.cursor);
  return here !== undefined && flow.nodes[here]?.phase === "confirming" ? "pending_manual_dod" : undefined;
}

export function loopStatusOf(flow: Flow, run: Run): LoopStatus {
  return phaseStatusOf(flow, run) ? "converged" : loopStatus(run);
}

interface Told {
  /** Of this round; 0 while none has been reviewed. */
  iter: number;
  history: string[];
}

function tell(flow: Flow, told: Told, before: Run, after: Run, event: Event): void {
  const reviewer = reviewerOf(flow);
  const verdict = reviewer && after.results[reviewer.name];
  if (reviewer && verdict && verdict !== before.results[reviewer.name] && isJudgement(verdict)) {
    // the purse as it was: the way back that this verdict may take is the next iteration's
    told.iter = usageOf(flow, before, "iterations").spent;
    told.history.push(iterationLine(told.iter, reviewer, verdict, event.at));
  }
  if (grew("reset", before, after)) {
    told.iter = 0;
    told.history.push(`--- RESET ${totalResets(flow, after)} at ${event.at} ---`);
  }
  if (grew("resumed", before, after)) {
    told.iter = 0;
    const { limit } = usageOf(flow, after, "resets");
    const from = loopStatusOf(flow, before);
    told.history.push(`--- RESUMED from ${from} at ${event.at} (reset ${totalResets(flow, after)}/${limit}) ---`);
  }
}

/** Who judges an iteration: the node whose block pays for the next one. */
function reviewerOf(flow: Flow): Node | undefined {
  return Object.values(flow.nodes).find((node) => node.routes.block?.spend?.includes("iterations"));
}
/** No verdict is no iteration: nothing was judged. */
const isJudgement = (verdict: Verdict): boolean => verdict.outcome !== "unclear";

function iterationLine(iter: number, reviewer: Node, verdict: Verdict, at: string): string {
  const commit = verdict.evidence?.inputs?.head?.slice(0, 7) ?? "-";
  return `- iter ${iter}: ${wordOf(reviewer.work, verdict)}, hash=${verdict.print ?? "-"}, commit=${commit}, ts=${at}`;
}

/** The reviewer's own word for an outcome. */
function wordOf(work: Work, { outcome, status }: Verdict): string {
  const said = outcome ?? status;
  const works = work.kind === "fan" ? Object.values(work.branches) : [work];
  const words = works.flatMap((part) => (part.kind === "agent" ? Object.entries(part.verdict?.words ?? {}) : []));
  const found = words.find(([, meaning]) => meaning.outcome === said);
  return found?.[0] ?? said.toUpperCase().replaceAll("-", "_");
}

/** The reset that killed the run counts too, though no round came of it. */
function totalResets(flow: Flow, run: Run): number {
  const { spent, limit } = usageOf(flow, run, "resets");
  const cursor = settled(run.cursor);
  return cursor.at === "ended" && cursor.ending === "killed" ? limit : spent - (flow.budgets.resets?.first ?? 0);
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

const grew = (mark: string, before: Run, after: Run): boolean => (after.marks[mark] ?? 0) > (before.marks[mark] ?? 0);

/** A job is named by others: plain where YAML reads it as text, else quoted. */
function scalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
