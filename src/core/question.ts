// What a person is asked at a gate, and their answer as a verdict. An answer is bound to the digest of what was shown (P4).
import type { Flow, Run, Verdict } from "./model.js";
import { ORACLE } from "./oracle.js";
import { gateOf } from "./view.js";

export interface Question {
  question: string;
  options: string[];
  /** Everything the person is shown, the tree it is about included; its sha256 goes into the answer. */
  shown: string;
}
/** Notes shown beside the question: the latest ones, which led here. */
const NOTES_SHOWN = 3;

/** The open question of a run at a gate; undefined elsewhere. `tree` is the product tree at this moment. */
export function questionOf(flow: Flow, run: Run, tree: string): Question | undefined {
  const gate = gateOf(flow, run);
  if (!gate) return undefined;
  const lately = run.notes
    .slice(-NOTES_SHOWN)
    .flatMap(({ from, visit, findings }) =>
      findings.map(({ text, where }) => `- ${from} (visit ${visit}): ${where ? `${where}: ` : ""}${text}`),
    );
  const judges = run.warnings.flatMap(({ rule, text }) => (rule === ORACLE ? [`- ${text}`] : []));
  return {
    question: gate.question,
    options: gate.options,
    shown: [gate.question, ...lately, ...new Set(judges), `tree ${tree}`].join("\n"),
  };
}

/** The option is the outcome; a comment is a finding that whoever works next reads. */
export function verdictOfReply(flow: Flow, reply: { option: string; comment?: string }, tree: string): Verdict {
  const findings = reply.comment
    ? [{ text: reply.comment, rule: "a person's comment", severity: "info" as const }]
    : [];
  return { status: "pass", outcome: reply.option, findings, evidence: { tree, loop: flow.digest } };
}
