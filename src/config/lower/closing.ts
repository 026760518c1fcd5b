// What stands between the last step and success: the validators, then the condition that sends the run round once more.
import type { Budget, Node, Route, Target } from "../../core/model.js";
import type { LoopFile } from "../schema/file.js";
import { ATTEMPT, attemptsBudget, type Draft, end, node, park, parked, to } from "./build.js";

const VALIDATORS = ":validators";
const UNTIL = ":until";

/** Policies become routes here (DESIGN §2, idea 2); after this nobody knows the words. */
export function close(file: LoopFile, draft: Draft): Draft {
  const until = file.repeatUntil ? untilNode(file.repeatUntil, draft) : undefined;
  const done: Route = until ? to(UNTIL) : end("success");
  const validators = file.validators.length ? validatorsNode(file, draft, done) : undefined;
  const straight = draft.nodes.some((each) => each.done !== undefined) ? { done: draft.steps.length } : {};
  const closing = [...(validators ? [validators] : []), ...(until ? [until] : [])].map((each) => ({
    ...each,
    ...straight,
  }));
  const [first] = closing;
  if (!first) return draft;
  const budgets: Record<string, Budget> = { ...draft.budgets };
  if (until) budgets.repeats = repeatsBudget(file.maxRepeats);
  if (validators && file.failureHandling === "retry") budgets.attempts ??= attemptsBudget(file.maxAttempts);
  const turn = turnTo(first.name);
  const turned = Object.entries(budgets).map(([name, budget]) => [name, budgetBy(turn, budget)] as const);
  return {
    ...draft,
    nodes: [...draft.nodes.map((each) => nodeBy(turn, each)), ...closing],
    budgets: Object.fromEntries(turned),
  };
}

function validatorsNode(file: LoopFile, draft: Draft, done: Route): Node {
  const branches = Object.fromEntries(
    file.validators.map((use, i) => {
      const twice = file.validators.findIndex((other) => other.tool === use.tool) !== i;
      const params = { tool: use.tool, checks: use.checks, timeout_seconds: use.timeoutMs / 1000 };
      return [twice ? `${use.tool}#${i + 1}` : use.tool, { kind: "check" as const, hook: "validator", params }];
    }),
  );
  const failed = {
    retry: again(draft, ATTEMPT),
    pause: park("validation-failed", "required checks failed", to(VALIDATORS)),
    fail: end("failure"),
  }[file.failureHandling];
  return node(
    VALIDATORS,
    { kind: "fan", branches, inTurn: true, order: ["pass", "optional", "block"] },
    { pass: done, optional: optionalWay(file.onOptionalFailure, done), block: failed },
    { phase: "validating" },
  );
}

/** Where optional checks that failed lead, by the author's policy; `onward` is where they would have led had they passed. */
export function optionalWay(policy: LoopFile["onOptionalFailure"], onward: Route): Route {
  const warned: Route = { ...onward, mark: "warning" };
  return { proceed: onward, warn: warned, pause: park("optional-failed", "optional checks failed", warned) }[policy];
}

function untilNode(condition: string, draft: Draft): Node {
  const round = again(draft, { spend: ["repeats"], mark: "iterating", unmark: ["warning"] });
  return node(
    UNTIL,
    { kind: "check", hook: condition, params: {} },
    { pass: end("success"), block: round },
    { phase: "validating" },
  );
}

const again = ({ start, everyTry = [] }: Draft, way: Omit<Route, "to">): Route =>
  to(start, { ...way, spend: [...(way.spend ?? []), ...everyTry] });

const repeatsBudget = (maxRepeats: number): Budget => ({
  limit: maxRepeats,
  first: 0,
  setBy: "max_repeats",
  frozen: false,
  onExhausted: parked("exhausted", `the condition is still not met after ${maxRepeats} repeats`, to(UNTIL)),
});

type Turn = (target: Target) => Target;

/** Success is reached through the closing nodes only. */
function turnTo(first: string): Turn {
  const turn: Turn = (target) => {
    if ("end" in target) return target.end === "success" ? { node: first } : target;
    if ("node" in target || target.resume === "way") return target;
    return { ...target, resume: { ...target.resume, to: turn(target.resume.to) } };
  };
  return turn;
}

const nodeBy = (turn: Turn, each: Node): Node => ({
  ...each,
  routes: Object.fromEntries(Object.entries(each.routes).map(([o, r]) => [o, { ...r, to: turn(r.to) }])),
});
const budgetBy = (turn: Turn, budget: Budget): Budget => ({
  ...budget,
  onExhausted: turn(budget.onExhausted),
  ...(budget.onRepeat ? { onRepeat: turn(budget.onRepeat) } : {}),
});
