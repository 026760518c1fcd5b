// The tools: what each takes and does. They answer with a standing or plain words; how that is said is told elsewhere.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { explain } from "../../core/explain.js";
import { Refusal } from "../../core/refusal.js";
import { goOn, handIn } from "../../runtime/hand-in.js";
import {
  active,
  activeOrRefuse,
  begin,
  type Caller,
  followedBy,
  noneActive,
  type Standing,
  standingOf,
} from "../../runtime/hosted.js";
import { lookAt } from "../../runtime/open.js";
import { silent } from "../../runtime/silent.js";
import { stopRun } from "../../runtime/stop.js";
import type { McpHouse } from "./desk.js";

/** Milliseconds one call may wait: clients cut a call off at a minute, some earlier. */
export const WAIT_MS = 25_000;
const LOOK_MS = 250;

export type Said = { standing: Standing } | { text: string; data: Record<string, unknown> };
export interface Call {
  house: McpHouse;
  caller: Caller;
}
export interface ToolDef<Input extends z.ZodRawShape = z.ZodRawShape> {
  title: string;
  description: string;
  input: Input;
  /** It writes nothing. */
  looks: boolean;
  act(call: Call, input: z.output<z.ZodObject<Input>>): Promise<Said>;
}
const tool = <Input extends z.ZodRawShape>(def: ToolDef<Input>): ToolDef => def as unknown as ToolDef; // each is called with its own input only

const LOOP_NAME_MAX = 200;
/** Bytes of an output are bounded by the transport; of these characters the runtime keeps the end. */
const text = (what: string) => z.string().describe(what);

export const TOOLS: Record<string, ToolDef> = {
  run_loop: tool({
    title: "Run a loop",
    description:
      "Start a loop in the current job and get the instruction for its first skill. Loops are processes with checks: list_loops names them.",
    input: {
      name: text('Name of the loop, for instance "dev".').max(LOOP_NAME_MAX),
      description: text("What this run is about, in the person's words.").max(10_000).optional(),
    },
    looks: false,
    act: async ({ caller }, { name, description }) => ({
      standing: await begin(caller, name, description ? { subject: description } : {}),
    }),
  }),
  loop_advance: tool({
    title: "Hand in a skill's output",
    description:
      "Report that the current skill is done. Answers with the next instruction, with a pause to wait for the person, or with the start of the checks.",
    input: {
      output: text("A short report: what was done, what is left."),
      skill: text("The skill that was done, as the instruction names it.").max(LOOP_NAME_MAX),
      ticket: text("The ticket of the instruction, if it named one.").max(1_000).optional(),
    },
    looks: false,
    act: async ({ caller }, { output, skill, ticket }) => {
      const id = await activeOrRefuse(caller.house);
      return { standing: await handIn(caller, id, { skill, output, ...(ticket ? { ticket } : {}) }) };
    },
  }),
  loop_continue: tool({
    title: "Go on after a pause",
    description:
      "Go on with a paused run: after the person has answered (with their option), or when the cause of failed checks is mended. Never call it to skip a person.",
    input: {
      option: text('The option the person chose; "continue" where it is one.').max(LOOP_NAME_MAX).optional(),
      comment: text("What the person said besides, in their words.").max(10_000).optional(),
    },
    looks: false,
    act: async ({ caller }, { option, comment }) => {
      const id = await activeOrRefuse(caller.house);
      const reply = { ...(option ? { option } : {}), ...(comment ? { comment } : {}) };
      return { standing: await goOn(caller, id, reply) };
    },
  }),
  loop_status: tool({
    title: "Where the run stands",
    description:
      "The job, its active run, which skills have run and which is next. While checks run it waits for their outcome, at most 25 seconds. Changes nothing.",
    input: {},
    looks: true,
    act: async (call) => status(call),
  }),
  loop_stop: tool({
    title: "Pause the run",
    description: "Pause the active run. It goes on with loop_continue, or with pawl resume.",
    input: { reason: text("Why, in one sentence.").max(1_000) },
    looks: false,
    act: async ({ caller }, { reason }) => {
      const { house, signal } = caller;
      const id = await activeOrRefuse(house);
      await stopRun(house, id, { reason, abandon: false, by: "chat", signal, notifier: silent() });
      return { standing: await standingOf(house, id) };
    },
  }),
  loop_explain: tool({
    title: "Why the run is where it is",
    description:
      "What led here: each visit, each verdict, what was spent, and what is to be done next. Changes nothing.",
    input: {},
    looks: true,
    act: async ({ house }) => {
      const id = (await active(house)) ?? (await house.store.list()).at(-1);
      if (id === undefined) throw new Refusal("no-run", "no run has been started here", "start one with run_loop", 1);
      const { flow, run, events } = await lookAt(house, id);
      const told = explain(flow, run, events);
      return { text: JSON.stringify(told, null, 1), data: { run: id, explanation: told } };
    },
  }),
  list_loops: tool({
    title: "The loops there are",
    description: "Names of the loops of this repository and of those shipped with Pawl. Changes nothing.",
    input: {},
    looks: true,
    act: async ({ house }) => {
      const loops = await house.library.loops();
      return {
        text: loops.map(({ name, origin }) => `${name} (${origin})`).join("\n") || "there are none",
        data: { loops },
      };
    },
  }),
  list_skills: tool({
    title: "The skills there are",
    description:
      "Names and descriptions of the skills of this repository and of those shipped with Pawl. Changes nothing.",
    input: {},
    looks: true,
    act: async ({ house }) => {
      const skills = await house.library.skills();
      return {
        text: skills.map(({ name, description }) => `${name}: ${description}`).join("\n") || "there are none",
        data: { skills },
      };
    },
  }),
  get_skill: tool({
    title: "One skill's text",
    description: "The whole text of a skill, with the folder its files are relative to. Changes nothing.",
    input: { name: text("Name of the skill.").max(LOOP_NAME_MAX) },
    looks: true,
    act: async ({ house }, { name }) => {
      const skill = await house.library.skill(name);
      if (skill === undefined)
        throw new Refusal("unknown-skill", `there is no skill "${name}"`, "list_skills names them");
      return { text: skill.text, data: { skill } };
    },
  }),
};

async function status({ house, caller }: Call): Promise<Said> {
  const id = (await active(house)) ?? (await latestOf(house));
  if (id === undefined) {
    const { message, hint } = await noneActive(house);
    return { text: `${message}\n${hint}`, data: { job: (await house.job()).job, run: null } };
  }
  return { standing: await settled(house, id, caller.signal) };
}

/** How the latest run of this job ended; undefined when there was none. */
async function latestOf(house: McpHouse): Promise<string | undefined> {
  const { job } = await house.job();
  const known = await house.store.list();
  return house
    .recordsOf(job)
    .records.map(({ run }) => run)
    .filter((run) => known.includes(run))
    .at(-1);
}

/** Waits while somebody is at work on it. Only the lock is looked at: a journal is read when there is news. */
async function settled(house: McpHouse, id: string, signal: AbortSignal): Promise<Standing> {
  for (let waitedMs = 0; waitedMs < WAIT_MS - LOOK_MS && !signal.aborted; waitedMs += LOOK_MS) {
    if (!(await house.store.holder(id))) break;
    await sleep(LOOK_MS);
  }
  const standing = await standingOf(house, id);
  const next = standing.run.cursor.at === "ended" ? await active(house) : undefined;
  return next === undefined || next === id ? standing : followedBy(standing, await standingOf(house, next));
}
