// The body `steps`: a pipeline with routing. Which keys go with which kind is in rules.ts.
import { z } from "zod";
import { limits, readLimits } from "./allowance.js";
import { options } from "./common.js";
import { compact } from "./compact.js";
import type { AgentKeys, CommandWork, Go, Step, StepWork } from "./file.js";
import {
  anything,
  count,
  flag,
  freeText,
  insidePath,
  keys,
  oneOrMore,
  seconds,
  slug,
  someOf,
  stepName,
  table,
  text,
  variable,
} from "./leaf.js";
import { toMs } from "./performer.js";

const COMMAND_SECONDS = 600;
const ENDS = ["success", "failure"] as const;

/** What a step or a node can do: exactly one of these, and what goes with it. */
export const workKeys = () => ({
  agent: slug("the name of an agent").optional().meta({ description: "An agent does it." }),
  skill: slug("the name of a skill").optional().meta({ description: "An agent does it as the skill says." }),
  command: text("a command line")
    .optional()
    .meta({ description: "A command line, in the sandbox; exit code 0 passes." }),
  action: slug("the name of an action").optional().meta({ description: "A registered action, such as commit." }),
  loop: slug("the name of a loop").optional().meta({ description: "A whole loop as one step." }),
  timeout: seconds().optional().meta({ description: "Seconds of one visit. Default for commands 600." }),
  setup: text("a command line").optional().meta({ description: "A command line that prepares the sandbox." }),
  env: table(variable(), freeText(), "NAME: text; put numbers in quotes")
    .optional()
    .meta({ description: "Variables of this command alone." }),
  params: anything().optional().meta({ description: "What the action is told." }),
});
export const produces = () =>
  oneOrMore(insidePath("a file name"), "file names").optional().meta({ description: "Files the agent must leave." });

const GO = "must be a step's name, success, failure or {goto: STEP, retry: true}";
export const go = () =>
  z.union(
    [
      stepName("a step's name"),
      keys({
        goto: stepName("a step's name").meta({ description: "Where it leads." }),
        retry: flag().default(false).meta({ description: "A way back that spends an attempt. Default false." }),
      }),
    ],
    { error: GO },
  );

const verdictWord = (means: string) =>
  text("a word the verdict is known by")
    .refine((word) => !/[\r\n]/.test(word), { error: "must be one line" })
    .meta({ description: `The word by which the step ${means}.` });
const step = () =>
  keys({
    name: stepName("the step's name").meta({ description: "Routes lead to it by this name." }),
    ...workKeys(),
    gate: text("the question a person is asked").optional().meta({ description: "A person is asked this question." }),
    options: options(),
    produces: produces(),
    artifact: insidePath("a file name").optional().meta({ description: "The file that holds the agent's verdict." }),
    verdicts: keys({ pass: verdictWord("passes"), fail: verdictWord("fails") })
      .optional()
      .meta({ description: "The two words of the verdict." }),
    limits: limits("all visits of this step together")
      .optional()
      .meta({ description: "What this step may use up. Default: what the run may." }),
    max_iterations: count().optional().meta({ description: "The agent's own cap of turns." }),
    on_pass: go()
      .optional()
      .meta({ description: "Where a pass leads. Default the next step; success after the last." }),
    on_fail: go().optional().meta({ description: "Where a failure leads. Default failure." }),
  });

export const stepsKeys = () => ({
  steps: someOf(step(), "steps").meta({ description: "A pipeline: steps with routes." }),
});

type ParsedStep = z.output<ReturnType<typeof step>>;

export function readSteps(parsed: ParsedStep[]): Step[] {
  return parsed.map((one, index) => {
    const next = parsed[index + 1];
    return {
      name: one.name,
      work: readWork(one),
      ...(one.limits ? { limits: readLimits(one.limits) } : {}),
      onPass: readGo(one.on_pass ?? next?.name ?? "success"),
      onFail: readGo(one.on_fail ?? "failure"),
    };
  });
}

export function readGo(parsed: z.output<ReturnType<typeof go>>): Go {
  const { goto, retry } = typeof parsed === "string" ? { goto: parsed, retry: false } : parsed;
  const end = ENDS.find((word) => word === goto);
  return end === undefined ? { go: "step", name: goto, retry } : { go: end };
}

export function readProduces(parsed: string | string[] | undefined): string[] {
  return typeof parsed === "string" ? [parsed] : (parsed ?? []);
}

type ParsedCommand = Pick<ParsedStep, "timeout" | "setup" | "env">;
export function readCommand(run: string, { timeout, setup, env }: ParsedCommand): CommandWork {
  return compact({ kind: "command" as const, run, timeoutMs: toMs(timeout ?? COMMAND_SECONDS), setup, env: env ?? {} });
}

function readWork(one: ParsedStep): StepWork {
  if (one.agent !== undefined) return { kind: "agent", agent: one.agent, ...readAgentKeys(one) };
  if (one.skill !== undefined) return { kind: "skill", skill: one.skill, ...readAgentKeys(one) };
  if (one.command !== undefined) return readCommand(one.command, one);
  if (one.action !== undefined) return { kind: "action", action: one.action, params: one.params ?? {} };
  if (one.loop !== undefined) return { kind: "loop", loop: one.loop };
  // rules.ts has refused a step without any of the six.
  return compact({ kind: "gate" as const, question: one.gate ?? "", options: one.options });
}

function readAgentKeys({ artifact, verdicts, produces, max_iterations, timeout }: ParsedStep): AgentKeys {
  return compact({
    produces: readProduces(produces),
    verdicts: artifact !== undefined && verdicts ? { artifact, ...verdicts } : undefined,
    maxIterations: max_iterations,
    timeoutMs: toMs(timeout),
  });
}
