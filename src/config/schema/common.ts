// The keys of every loop file.
import type { z } from "zod";
import { limits, readLimits } from "./allowance.js";
import { compact } from "./compact.js";
import type { CommonKeys } from "./file.js";
import { isolation, readIsolation } from "./isolation.js";
import {
  count,
  flag,
  freeText,
  insidePath,
  keys,
  list,
  seconds,
  slug,
  someOf,
  stepName,
  text,
  variable,
  word,
} from "./leaf.js";
import { performers, readPerformers, toMs } from "./performer.js";

const VALIDATOR_SECONDS = 600;

const validator = () =>
  keys({
    tool: slug("the name of a validator").meta({ description: "Name of a file in `validators/`, without its ending." }),
    checks: list(
      keys({
        name: stepName("the name of a check").meta({ description: "The check, as the validator reports it." }),
        required: flag().default(true).meta({ description: "Does its failure fail the loop? Default true." }),
      }),
      "checks {name, required}",
    )
      .default([])
      .meta({ description: "Checks it must report. Default none: its own `pass` decides." }),
    timeout_seconds: seconds().default(VALIDATOR_SECONDS).meta({ description: "Seconds. Default 600." }),
  });

const trigger = (end: string) => {
  const loop = slug("the name of a loop").meta({ description: "The loop that is started then." });
  return keys({ trigger_loop: loop })
    .optional()
    .meta({ description: `After ${end}: the loop that follows.` });
};

const who = {
  name: slug("the loop's name").meta({ description: "The loop's name: that of its file, without the ending." }),
  description: freeText().optional().meta({ description: "For people: what the loop does." }),
  goal_state: freeText()
    .default("")
    .meta({ description: "What is true when the loop is done; every agent is told. Default none." }),
  trigger: keys({
    type: word(["manual", "on_complete", "notify_and_wait", "auto"]).default("manual").meta({
      description: "How it starts. Default manual; notify_and_wait and auto are not acted upon.",
    }),
  })
    .prefault({})
    .meta({ description: "What starts the loop." }),
  require_branch: word(["base"]).optional().meta({ description: "base: start only on the base branch." }),
  makes_branch: flag().default(false).meta({
    description:
      "It makes its ticket and branch: started on the base or production branch, its job is pending until its spec names them. Default false; true with require_branch.",
  }),
  agents: performers().default({}).meta({ description: "What the names of agents stand for." }),
  agents_dir: insidePath("a folder of the repository").optional().meta({
    description:
      "Folder of the agent files NAME.agent.md: every agent a step names has one. Default: those of `.pawl/agents` that are there.",
  }),
  llm: keys({
    model: text("the name of a model").meta({ description: "The model." }),
    base_url: text("an address").optional().meta({ description: "Address of the service." }),
    api_key_env: variable().optional().meta({ description: "Name of the variable that holds the key." }),
    api: word(["openai", "anthropic"]).optional().meta({ description: "What the service speaks. Default openai." }),
    timeout: seconds().nullish().meta({ description: "Seconds of one call. Default: no limit of its own." }),
  })
    .optional()
    .meta({ description: "Settings of the built-in agent." }),
  additional_files: list(text("a path"), "paths").default([]).meta({
    description:
      "Documents every agent is shown: paths from the loop file's folder, else from the top of the repository. Default none.",
  }),
  extensions: list(text("a module"), "modules").default([]).meta({
    description:
      "Modules (FILE.mjs, FILE.mjs:Class or a package) that register actions, hooks, tools, loaders and performers. Default none.",
  }),
  isolation: isolation().prefault({}).meta({ description: "How steps are confined." }),
  state_dir: insidePath("a folder of the repository").optional().meta({ description: "Where artifacts are kept." }),
};

const policies = {
  human_gate: flag()
    .optional()
    .meta({ description: "Ask a person after each step. Default true for skills, else false." }),
  gate_channel: word(["chat", "person"]).default("chat").meta({
    description: "Whose word opens a gate: chat takes what the agent passes on, person does not. Default chat.",
  }),
  validators: list(validator(), "validators {tool, checks}")
    .default([])
    .meta({ description: "What judges the work at the end. Default none." }),
  on_optional_failure: word(["proceed", "warn", "pause"], ["ignore"]).default("warn").meta({
    description: "When a check that is not required fails. Default warn; ignore is read as proceed.",
  }),
  failure_handling: word(["retry", "pause", "fail"])
    .default("pause")
    .meta({ description: "When a required check fails. Default pause." }),
  repeat_until: slug("the name of a condition")
    .optional()
    .meta({ description: "Go round until this condition holds. Default: once." }),
  max_repeats: count().default(20).meta({ description: "Rounds of repeat_until. Default 20." }),
  max_attempts: count().default(3).meta({ description: "Tries of the whole loop, the first one counted. Default 3." }),
  on_complete: keys({
    on_success: trigger("a success"),
    on_warning: trigger("a success with warnings"),
    on_failure: trigger("a failure"),
  })
    .prefault({})
    .meta({ description: "Loops that are started at the end." }),
  limits: limits("the whole run")
    .prefault({})
    .meta({ description: "What a run may use up. Default: no limit besides the counts of tries." }),
};

export const COMMON = { ...who, ...policies };
export const options = () =>
  someOf(stepName("a choice"), "choices", 20).optional().meta({ description: "The choices of the gate." });

type Parsed = z.output<z.ZodObject<typeof COMMON>>;

export function readCommon(parsed: Parsed, humanGate: boolean): CommonKeys {
  const { on_complete, llm } = parsed;
  return compact({
    name: parsed.name,
    description: parsed.description?.trim() === "" ? undefined : parsed.description,
    goalState: parsed.goal_state,
    trigger: parsed.trigger.type,
    humanGate: parsed.human_gate ?? humanGate,
    validators: parsed.validators.map(({ tool, checks, timeout_seconds }) => ({
      tool,
      checks,
      timeoutMs: toMs(timeout_seconds),
    })),
    onOptionalFailure: parsed.on_optional_failure === "ignore" ? ("proceed" as const) : parsed.on_optional_failure,
    failureHandling: parsed.failure_handling,
    repeatUntil: parsed.repeat_until,
    maxRepeats: parsed.max_repeats,
    maxAttempts: parsed.max_attempts,
    onComplete: compact({
      success: on_complete.on_success?.trigger_loop,
      warning: on_complete.on_warning?.trigger_loop,
      failure: on_complete.on_failure?.trigger_loop,
    }),
    requireBranch: parsed.require_branch,
    makesBranch: parsed.makes_branch,
    gateChannel: parsed.gate_channel,
    limits: readLimits(parsed.limits),
    performers: readPerformers(parsed.agents),
    agentsDir: parsed.agents_dir,
    llm:
      llm &&
      compact({
        model: llm.model,
        baseUrl: llm.base_url,
        apiKeyEnv: llm.api_key_env,
        api: llm.api,
        timeoutMs: toMs(llm.timeout ?? undefined),
      }),
    additionalFiles: parsed.additional_files,
    extensions: parsed.extensions,
    isolation: readIsolation(parsed.isolation),
    stateDir: parsed.state_dir,
  });
}
