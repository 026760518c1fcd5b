// Several answers made one: the worst wins.
import type { Evidence, Verdict, Work } from "./model.js";

type Fan = Extract<Work, { kind: "fan" }>;

/** One verdict of all branches, in the fan's own order of branches. Every finding is kept; the worst branch decides. */
export function worstOf(fan: Fan, answers: Record<string, Verdict>): Verdict {
  const names = Object.keys(fan.branches);
  const heard = names.flatMap((name) => answers[name] ?? []);
  const worst = heard.reduce((a, b) => (badness(fan, b) > badness(fan, a) ? b : a));
  const prints = heard.filter((v) => v.status === "block").flatMap((v) => v.print ?? []);
  const outputs = names.flatMap((name) => (answers[name]?.output ? [`${name}: ${answers[name].output}`] : []));
  return {
    ...worst,
    ...(fan.inTurn && worst.evidence ? { evidence: throughout(worst.evidence, heard) } : {}),
    findings: heard.flatMap((v) => v.findings),
    ...(prints.length ? { print: prints.sort().join("+") } : {}),
    ...(outputs.length ? { output: outputs.join("\n") } : {}),
    artifacts: heard.flatMap((v) => v.artifacts ?? []),
  };
}

/** Of several that worked one after another: from the tree the first began with to the one the last left. */
function throughout(evidence: Evidence, heard: Verdict[]): Evidence {
  const all = heard.flatMap((verdict) => verdict.evidence ?? []);
  const before = all[0]?.inputs?.treeBefore;
  const { tree = evidence.tree } = all.at(-1) ?? {};
  return {
    ...evidence,
    ...(tree === undefined ? {} : { tree }),
    ...(before === undefined ? {} : { inputs: { ...evidence.inputs, treeBefore: before } }),
  };
}

/** An outcome that `order` does not name is worse than all it names; among those a block is worse than a pass. */
function badness(fan: Fan, verdict: Verdict): number {
  const place = fan.order.indexOf(verdict.outcome ?? verdict.status);
  if (place >= 0) return place;
  return fan.order.length + (verdict.status === "block" ? 1 : 0);
}
