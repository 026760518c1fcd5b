// LOOP.md of a doer and reviewer loop: where it stands and how it got there, for people. A rendering of the journal, never read back.
import { momentsOf } from "./chronicle.js";
import type { Event, Flow, Node, Run, Verdict } from "./model.js";
import { isJudgement, loopStatusOf, phaseStatusOf, positionOf, reviewerOf, totalResets, wordOf } from "./phase.js";
import { usageOf } from "./ways.js";

/** The text of the file; undefined for a flow that is no such loop. */
export function loopMd(flow: Flow, events: readonly Event[]): string | undefined {
  const { iterations, resets } = flow.budgets;
  const [started] = events;
  if (!iterations || !resets || !started) return undefined;
  const { run, ...told } = toldBy(flow, events);
  if (!run) return undefined;
  const front = {
    phase_slug: scalar(run.job),
    phase_position: positionOf(run) ?? "null",
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

/** Can the front matter of such a file be read? What cannot is put aside before a new one is written. */
export function isReadable(text: string): boolean {
  const block = /^---\n((?:[a-z_]+: [^\n]*\n)+)---\n/.exec(text.replaceAll("\r\n", "\n"));
  const keys = block?.[1]?.split("\n").map((line) => line.slice(0, line.indexOf(":"))) ?? [];
  return ["phase_slug", "iter", "total_resets", "status"].every((key) => keys.includes(key));
}

/** All iterations that were judged, over all rounds. */
export const iterationsOf = (flow: Flow, events: readonly Event[]): number =>
  toldBy(flow, events).history.filter((line) => line.startsWith("- iter ")).length;

function toldBy(flow: Flow, events: readonly Event[]): Told & { run?: Run } {
  const told: Told & { run?: Run } = { iter: 0, history: [] };
  for (const { event, before, after } of momentsOf(flow, events)) {
    if (before) tell(flow, told, before, after, event);
    told.run = after;
  }
  return told;
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

function iterationLine(iter: number, reviewer: Node, verdict: Verdict, at: string): string {
  const commit = verdict.evidence?.inputs?.head?.slice(0, 7) ?? "-";
  return `- iter ${iter}: ${wordOf(reviewer.work, verdict)}, hash=${verdict.print ?? "-"}, commit=${commit}, ts=${at}`;
}

const grew = (mark: string, before: Run, after: Run): boolean => (after.marks[mark] ?? 0) > (before.marks[mark] ?? 0);

/** A job is named by others: plain where YAML reads it as text, else quoted. */
function scalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
