// nodes: a graph with hook chains. A blocking exit chain sends its findings back to the same agent, then to a person.
import type { Budget, Hook, Node, Route, Work } from "../../core/model.js";
import type { Go, GraphNode, HookUse, NodesFile } from "../schema/file.js";
import { type Draft, end, node, to } from "./build.js";
import { optionalWay } from "./closing.js";
import type { Context } from "./context.js";
import { commandOf, lapsBudget } from "./steps.js";

/** Fresh fills of repairs a person may grant one node before its block ends the run. */
const ROUNDS = 3;
const HUMAN_OUTCOMES = ["approved", "approved-with-comments", "changes-requested"];

export function lowerNodes(file: NodesFile, context: Context): Draft {
  const names = file.nodes.map((each) => each.id);
  if (!names.includes(file.start)) context.unknownStep(["start"], "start", file.start, names);
  const repairs = file.nodes.filter((each) => each.actor === "agent").map((each) => `repairs:${each.id}`);
  const optional = (onward: Route) => optionalWay(file.onOptionalFailure, onward);
  const nodes = file.nodes.flatMap((each, i) => graphNode(each, i, { names, repairs, optional }, context));
  const budgets = Object.assign({}, ...file.nodes.map(repairBudgets), lapsBudget(nodes)) as Record<string, Budget>;
  return { start: file.start, steps: names, nodes, budgets, restart: "free" };
}

interface Graph {
  names: string[];
  repairs: string[];
  optional(onward: Route): Route;
}

function graphNode(each: GraphNode, i: number, { names, repairs, optional }: Graph, context: Context): Node[] {
  const way = (outcome: string, go: Go): Route => {
    if (go.go !== "step") return end(go.go);
    const target = names.indexOf(go.name);
    if (target < 0) context.unknownStep(["nodes", i, "on", outcome], each.id, go.name, names);
    // a way back is a round of its own: it pays a lap and gives every node its repairs again
    return target > i || target < 0 ? to(go.name) : to(go.name, { spend: ["laps"], refill: repairs });
  };
  const written = Object.fromEntries(Object.entries(each.on).map(([outcome, go]) => [outcome, way(outcome, go)]));
  const work = workOf(each, i, context);
  const exit = each.exit.map((use, k) => chainHook(use, ["nodes", i, "exit", k], context));
  const steered = exit.flatMap(({ hook, mayRoute }) => (mayRoute ? context.hookOutcomes(hook) : []));
  // what a person or an action said is not overruled by a chain: it may stop them, and warn
  const speaks = work.kind === "ask" || work.kind === "action";
  const extra = written.pass && !speaks && steered.includes("optional") ? { optional: optional(written.pass) } : {};
  const made = node(
    each.id,
    work,
    { ...defaultRoutes(each, work, written, context), ...extra, ...written },
    {
      ...(each.limits ? { limits: each.limits } : {}),
      origin: context.origin(["nodes", i], each.id),
      enter: each.entry.map((use, k) => chainHook(use, ["nodes", i, "entry", k], context)),
      exit: speaks ? exit.map((hook) => ({ ...hook, mayRoute: false })) : exit,
      produces: each.produces,
    },
  );
  if (each.actor !== "agent") return [made];
  const repaired = {
    ...made,
    routes: { ...made.routes, block: to(each.id, { spend: [`repairs:${each.id}`], mark: "repair" }) },
  };
  return written.block ? [repaired] : [repaired, stuckNode(each)];
}

function defaultRoutes(
  each: GraphNode,
  work: Work,
  written: Record<string, Route>,
  context: Context,
): Record<string, Route> {
  const extra = work.kind === "action" ? context.actionOutcomes(work.action) : [];
  const onward = written.pass;
  const marked = onward ? Object.fromEntries(extra.map((outcome) => [outcome, { ...onward, mark: outcome }])) : {};
  const canBlock = work.kind === "command" || work.kind === "flow" || each.exit.length > 0;
  return { ...marked, ...(canBlock ? { block: end("failure") } : {}) };
}

function workOf({ work, id, session, actor }: GraphNode, i: number, context: Context): Work {
  switch (work.kind) {
    case "agent":
    case "skill": {
      const skill = work.kind === "skill";
      const performer = skill
        ? context.fallbackPerformer(["nodes", i, "skill"])
        : context.performer(work.agent, ["nodes", i, "agent"]);
      const prompt = skill
        ? context.skillText(work.skill, ["nodes", i, "skill"])
        : context.roleOf(work.agent, `You do the step "${id}".`);
      const timeout = work.timeoutMs ? { timeoutMs: work.timeoutMs } : {};
      return { kind: "agent", performer, prompt, access: context.accessOf(performer, "write"), session, ...timeout };
    }
    case "ask":
      return { kind: "ask", question: work.question, options: work.options ?? HUMAN_OUTCOMES };
    case "command":
      return commandOf(work);
    case "action":
      context.checkAction(work, ["nodes", i]);
      return { kind: "action", action: work.action, params: work.params };
    case "loop":
      context.checkLoop(work.loop, ["nodes", i, "loop"]);
      return { kind: "flow", flow: work.loop };
  }
  throw new Error(`unreachable: ${actor} has no work`);
}

function chainHook(use: HookUse, path: (string | number)[], context: Context): Hook {
  const facts = context.checkHook(use.hook, use.with, path);
  return {
    hook: use.hook,
    params: use.with,
    mayRoute: (facts?.outcomes.length ?? 0) > 0,
    effect: facts?.effect ?? false,
  };
}

/** Asked when the repairs of a node are used up, or when it is told the very same thing again. */
const stuckNode = (each: GraphNode): Node =>
  node(
    `stuck:${each.id}`,
    {
      kind: "ask",
      question: `"${each.id}" does not get through its checks. Try again?`,
      options: ["try-again", "abandon"],
    },
    {
      "try-again": to(each.id, { spend: [`rounds:${each.id}`], refill: [`repairs:${each.id}`] }),
      abandon: end("aborted"),
    },
  );

function repairBudgets(each: GraphNode): Record<string, Budget> {
  if (each.actor !== "agent") return {};
  const block = each.on.block;
  const onExhausted = block ? targetOf(block) : { node: `stuck:${each.id}` };
  const repairs: Budget = {
    limit: each.maxRepairs,
    first: 0,
    setBy: "max_repairs",
    frozen: true,
    onExhausted,
    onRepeat: onExhausted,
    ...(each.produces.length ? { treeMayRest: true } : {}),
  };
  const rounds: Budget = {
    limit: ROUNDS,
    first: 0,
    setBy: "rounds (built in)",
    frozen: true,
    onExhausted: { end: "failure" },
  };
  return { [`repairs:${each.id}`]: repairs, ...(block ? {} : { [`rounds:${each.id}`]: rounds }) };
}

const targetOf = (go: Go) => (go.go === "step" ? { node: go.name } : { end: go.go });
