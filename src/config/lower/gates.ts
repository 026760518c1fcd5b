// human_gate: after every step that is not a question itself, a person decides whether the run goes on.
import type { Node, Route } from "../../core/model.js";
import { end, node, park, to } from "./build.js";

/** Every passing way out of the author's own steps leads through a gate of its own. */
export function insertGates(nodes: Node[]): Node[] {
  const questions = new Set(nodes.filter(({ work }) => work.kind === "ask").map(({ name }) => name));
  return nodes.flatMap((step) => {
    if (!step.origin || step.work.kind === "ask") return [step];
    const passing = Object.entries(step.routes).filter(([outcome, route]) => passes(outcome, route, questions));
    const gates = passing.map(([outcome, route]) => gateAfter(step, outcome, route));
    const routes = Object.fromEntries(
      passing.map(([outcome, { saves }], i) => [
        outcome,
        to(gates[i]?.name ?? step.name, saves ? { saves } : {}), // before the person looks
      ]),
    );
    return [{ ...step, routes: { ...step.routes, ...routes } }, ...gates];
  });
}

/** Other names than pass are passing ways too when they lead on for nothing, and not to a question of their own. */
function passes(outcome: string, { to: target, spend }: Route, questions: Set<string>): boolean {
  if (outcome === "pass" || outcome === "approved") return true;
  if (outcome === "block" || spend?.length) return false;
  return "node" in target ? !questions.has(target.node) : "end" in target && target.end === "success";
}

function gateAfter(step: Node, outcome: string, onward: Route): Node {
  const { saves: _, ...on } = onward;
  const name = `gate-after:${step.name}${outcome === "pass" ? "" : `:${outcome}`}`;
  return node(
    name,
    { kind: "ask", question: `"${step.name}" is done. Go on?`, options: ["continue", "pause", "abandon"] },
    {
      continue: on,
      pause: park("paused", `paused at the gate after "${step.name}"`, to(name)),
      abandon: end("aborted"),
    },
    step.done === undefined ? {} : { done: step.done + 1 },
  );
}
