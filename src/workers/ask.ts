// A gate: asks the person at the terminal where there is one; elsewhere the question is handed out and the answer comes later.
import type { Flow, Run, Verdict } from "../core/model.js";
import { gateOf } from "../core/view.js";
import type { Answer, Task, Worker } from "../ports/worker.js";
import type { Question, Workshop } from "../ports/workshop.js";
import { evidenceOf } from "./visit.js";

export const askWorker = (shop: Workshop): Worker => ({
  name: "ask",
  here: () => shop.asker !== undefined,
  begin: () => ({ performer: "person" }),
  carryOut: async (task, signal) => {
    const question = questionOf(task.flow, task.run);
    const reply = question && (await shop.asker?.(question, signal));
    if (!reply || !question) return { cancelled: true };
    const answer = {
      who: reply.who,
      channel: "terminal" as const,
      shown: shop.sha256(question.shown),
      ...(reply.comment ? { comment: reply.comment } : {}),
    };
    return { verdict: await verdictOfReply(shop, task, reply), answer } satisfies Answer;
  },
});

/** The open question with what the person is shown: the findings and outputs that led here. The answer is bound to its digest (P4). */
export function questionOf(flow: Flow, run: Run): Question | undefined {
  const gate = gateOf(flow, run);
  if (!gate) return undefined;
  const lately = run.notes
    .slice(-NOTES_SHOWN)
    .flatMap((note) =>
      note.findings.map((f) => `- ${note.from} (visit ${note.visit}): ${f.where ? `${f.where}: ` : ""}${f.text}`),
    );
  const trees = Object.values(run.results).flatMap((verdict) => verdict.evidence?.tree ?? []);
  const shown = [gate.question, ...lately, `tree ${trees.at(-1) ?? "unknown"}`].join("\n");
  return { question: gate.question, options: gate.options, shown };
}
const NOTES_SHOWN = 3;

/** A person's word as a verdict: the option is the outcome, the comment is a finding for whoever works next. */
export async function verdictOfReply(
  shop: Workshop,
  task: Task,
  reply: { option: string; comment?: string },
): Promise<Verdict> {
  const findings = reply.comment
    ? [{ text: reply.comment, rule: "a person's comment", severity: "info" as const }]
    : [];
  return { status: "pass", outcome: reply.option, findings, evidence: await evidenceOf(shop, task) };
}
