// steps: a pipeline with routing. Attempts are bounded over the whole graph; a way back without `retry` pays in hidden laps.
import { LAPS_MAX } from "../../core/limits.js";
import type { Budget, Node, Route, VerdictFile, Work } from "../../core/model.js";
import type { Go, Step, StepsFile } from "../schema/file.js";
import { ATTEMPT, attemptsBudget, type Draft, end, node, parked, to } from "./build.js";
import type { Context } from "./context.js";

export function lowerSteps(file: StepsFile, context: Context): Draft {
  const names = file.steps.map((step) => step.name);
  const nodes = file.steps.map((step, i) => stepNode(step, i, names, context));
  const [start = ""] = names;
  const budgets = { attempts: attemptsBudget(file.maxAttempts), ...lapsBudget(nodes) };
  return { start, steps: names, nodes, budgets, restart: "free" };
}

/** Bounds the ways back that the author left uncounted. */
export function lapsBudget(nodes: Node[]): Record<string, Budget> {
  const used = nodes.some((each) => Object.values(each.routes).some((route) => route.spend?.includes("laps")));
  const onExhausted = parked(
    "exhausted",
    `${LAPS_MAX} uncounted ways back were taken; give one of them retry: true`,
    "way",
  );
  return used ? { laps: { limit: LAPS_MAX, first: 0, setBy: "laps (built in)", frozen: true, onExhausted } } : {};
}

function stepNode(step: Step, i: number, names: string[], context: Context): Node {
  const way = (key: "on_pass" | "on_fail", go: Go): Route => {
    if (go.go !== "step") return end(go.go);
    const target = names.indexOf(go.name);
    if (target < 0) context.unknownStep(["steps", i, key], step.name, go.name, names);
    if (go.retry) return to(go.name, ATTEMPT);
    if (target > i || target < 0) return to(go.name);
    context.unpaidWayBack(["steps", i, key], step.name, go.name);
    return to(go.name, { spend: ["laps"] });
  };
  const pass = way("on_pass", step.onPass);
  const fail = way("on_fail", step.onFail);
  const work = workOf(step, i, context);
  const verdict = work.kind === "agent" ? work.verdict : undefined;
  const produces = "produces" in step.work ? step.work.produces : [];
  return node(step.name, work, routesOf(step, work, pass, fail, context), {
    ...(step.limits ? { limits: step.limits } : {}),
    origin: context.origin(["steps", i], step.name),
    produces: verdict ? [verdict.artifact] : produces,
  });
}

function routesOf(step: Step, work: Work, pass: Route, fail: Route, context: Context): Record<string, Route> {
  switch (work.kind) {
    case "ask":
      return Object.fromEntries(work.options.map((option, i) => [option, i === 0 ? pass : fail]));
    case "action": // an action has no verdict: whatever it says leads the same way, and is marked
      return Object.fromEntries([
        ["pass", pass],
        ...context.actionOutcomes(work.action).map((o) => [o, { ...pass, mark: o }]),
      ]);
    case "agent":
      if (!work.verdict) return { pass, block: fail };
      return { pass, [CONDITIONAL]: { mark: "warning", ...pass }, block: fail, unclear: to(step.name, ATTEMPT) };
    case "command":
    case "flow":
    case "check":
    case "fan":
    case "none":
      return { pass, block: fail };
  }
}

/** It leads where "pass" leads, but the run is no clean success any more. */
const CONDITIONAL = "pass-with-conditions";

function workOf({ work, name }: Step, i: number, context: Context): Work {
  switch (work.kind) {
    case "agent":
    case "skill": {
      const skill = work.kind === "skill";
      const performer = skill
        ? context.fallbackPerformer(["steps", i, "skill"])
        : context.performer(work.agent, ["steps", i, "agent"]);
      const prompt = skill
        ? context.skillText(work.skill, ["steps", i, "skill"])
        : context.roleOf(work.agent, `You do the step "${name}".`);
      return {
        kind: "agent",
        performer,
        prompt,
        access: context.accessOf(performer, "write"),
        session: "new",
        ...(work.verdicts ? { verdict: verdictOf(work.verdicts) } : {}),
        ...(work.timeoutMs ? { timeoutMs: work.timeoutMs } : {}),
        ...(work.maxIterations ? { turnsMax: work.maxIterations } : {}),
      };
    }
    case "command":
      return commandOf(work);
    case "action":
      context.checkAction(work, ["steps", i]);
      return { kind: "action", action: work.action, params: work.params };
    case "gate":
      return { kind: "ask", question: work.question, options: work.options ?? ["approve", "reject"] };
    case "loop":
      context.checkLoop(work.loop, ["steps", i, "loop"]);
      return { kind: "flow", flow: work.loop };
  }
}

export const commandOf = (work: Extract<Step["work"], { kind: "command" }>): Work => ({
  kind: "command",
  run: work.run,
  timeoutMs: work.timeoutMs,
  ...(work.setup ? { setup: work.setup } : {}),
  ...(Object.keys(work.env).length ? { env: work.env } : {}),
});

const verdictOf = (words: { artifact: string; pass: string; fail: string }): VerdictFile => ({
  artifact: words.artifact,
  words: {
    [words.pass]: { status: "pass", outcome: "pass", caveat: CONDITIONAL },
    [words.fail]: { status: "block", outcome: "block" },
  },
  reading: "last",
});
