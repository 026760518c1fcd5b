// The body `nodes`: a graph with hook chains. Hooks are registered code; the file names them and gives parameters, no more.
import { z } from "zod";
import { limits, readLimits } from "./allowance.js";
import { options } from "./common.js";
import { compact } from "./compact.js";
import type { GraphNode, HookUse, NodeWork } from "./file.js";
import { anything, count, keys, list, slug, someOf, stepName, table, text, word } from "./leaf.js";
import { toMs } from "./performer.js";
import { go, produces, readCommand, readGo, readProduces, workKeys } from "./steps.js";

const REPAIRS = 3;

const hook = () =>
  z.union(
    [
      slug("the name of a hook"),
      keys({
        hook: slug("the name of a hook").meta({ description: "The hook's name." }),
        with: anything().default({}).meta({ description: "Its parameters." }),
      }),
    ],
    { error: "must be the name of a hook or {hook, with}" },
  );
const chain = (when: string) =>
  list(hook(), "hooks")
    .default([])
    .meta({ description: `Hooks on the way ${when}. Default none.` });
const maxRepairs = (whose: string) =>
  count()
    .optional()
    .meta({ description: `Times a blocking exit chain sends its findings back, ${whose}. Default 3.` });

const node = () =>
  keys({
    id: stepName("the node's id").meta({ description: "Routes lead to it by this id." }),
    actor: word(["agent", "human", "code"]).meta({ description: "Who does the work." }),
    ...workKeys(),
    question: text("the question a person is asked")
      .optional()
      .meta({ description: "With actor human: the question." }),
    options: options(),
    produces: produces(),
    entry: chain("in"),
    exit: chain("out"),
    session: word(["new", "inherit"])
      .default("new")
      .meta({ description: "inherit: go on in the earlier session. Default new." }),
    on: table(stepName("an outcome"), go(), "outcome: target")
      .default({})
      .meta({ description: "Where each outcome leads." }),
    limits: limits("all visits of this node together")
      .optional()
      .meta({ description: "What this node may use up. Default: what the run may." }),
    max_repairs: maxRepairs("of this node"),
  });

export const nodesKeys = () => ({
  nodes: someOf(node(), "nodes").meta({ description: "A graph: nodes with entry and exit hooks." }),
  start: stepName("a node's id").optional().meta({ description: "Where the run begins. Default the first node." }),
  max_repairs: maxRepairs("of each node"),
});

type ParsedNode = z.output<ReturnType<typeof node>>;

export function readNodes(parsed: ParsedNode[], repairs: number = REPAIRS): GraphNode[] {
  return parsed.map((one) => ({
    id: one.id,
    actor: one.actor,
    work: readWork(one),
    ...(one.limits ? { limits: readLimits(one.limits) } : {}),
    produces: readProduces(one.produces),
    entry: one.entry.map(readHook),
    exit: one.exit.map(readHook),
    session: one.session,
    on: Object.fromEntries(Object.entries(one.on).map(([outcome, target]) => [outcome, readGo(target)])),
    maxRepairs: one.max_repairs ?? repairs,
  }));
}

function readHook(parsed: z.output<ReturnType<typeof hook>>): HookUse {
  return typeof parsed === "string" ? { hook: parsed, with: {} } : parsed;
}

function readWork(one: ParsedNode): NodeWork {
  const timeoutMs = toMs(one.timeout);
  if (one.agent !== undefined) return compact({ kind: "agent" as const, agent: one.agent, timeoutMs });
  if (one.skill !== undefined) return compact({ kind: "skill" as const, skill: one.skill, timeoutMs });
  if (one.command !== undefined) return readCommand(one.command, one);
  if (one.action !== undefined) return { kind: "action", action: one.action, params: one.params ?? {} };
  if (one.loop !== undefined) return { kind: "loop", loop: one.loop };
  // rules.ts has refused a node whose actor has no work.
  return compact({ kind: "ask" as const, question: one.question ?? "", options: one.options });
}
