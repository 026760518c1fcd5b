// Every name a node can end with. The check demands a route for each; a walk can rely on finding one.
import type { Node, VerdictWord, Work } from "./model.js";

/** What the registries declare for an action or a hook besides "pass" (and "block" for hooks). */
export interface Declared {
  action(name: string): string[];
  hook(name: string): string[];
}

export function outcomesOf(node: Node, declared: Declared): Set<string> {
  const names = new Set(ofWork(node.work, declared));
  if (node.exit.length) names.add("block");
  for (const hook of node.exit) if (hook.mayRoute) for (const outcome of declared.hook(hook.hook)) names.add(outcome);
  return names;
}

function ofWork(work: Work, declared: Declared): string[] {
  switch (work.kind) {
    case "none":
      return ["pass"];
    case "ask":
      return work.options;
    case "agent":
      if (!work.verdict) return ["pass", "block"];
      return [...Object.values(work.verdict.words).flatMap(wordOutcomes), "block", "unclear"];
    case "command":
    case "flow":
      return ["pass", "block"];
    case "action":
      return ["pass", ...declared.action(work.action)];
    case "check":
      return ["pass", "block", ...declared.hook(work.hook)];
    case "fan":
      return Object.values(work.branches).flatMap((branch) => ofWork(branch, declared));
  }
}

const wordOutcomes = ({ outcome, caveat }: VerdictWord): string[] => (caveat ? [outcome, caveat] : [outcome]);
