// What the host's agent hands in: the output of its step, and the word to go on. Refused where it is not its turn.
import { HOST, isHosts } from "../core/hosts.js";
import type { EventBody, Flow, ParkCode, Run } from "../core/model.js";
import { Refusal } from "../core/refusal.js";
import { next } from "../core/run.js";
import { answerEvent } from "./answer.js";
import { askedOf, begunOnce, type Caller, onward, type Standing, standingOf } from "./hosted.js";

/** Characters of an output that are taken in; of the rest the end is kept, where agents sum up. */
export const OUTPUT_TAKEN_MAX = 100_000;

export interface HandedIn {
  skill: string;
  output: string;
  /** As the instruction named it: tells a second call apart from the next round's first. */
  ticket?: string;
}

/** Records the output of the current step and goes on. Refusal ("not-your-turn", "wrong-skill", "already-recorded"): nothing is recorded. */
export async function handIn(caller: Caller, id: string, given: HandedIn): Promise<Standing> {
  const { house } = caller;
  const before = await standingOf(house, id);
  if (before.turn.of !== "host") throw notYours(before);
  refuseOther(before.flow, before.run, given);
  return onward(caller, id, {
    by: HOST,
    move: async (taken, world): Promise<EventBody> => {
      const { flow, run } = taken.opened;
      const [command] = next(flow, run);
      if (command?.do !== "work" || !isHosts(command, flow)) throw notYours(await standingOf(house, id)); // moved meanwhile
      refuseOther(flow, run, given);
      await begunOnce(taken, world, command);
      const verdict = await world.host.takeIn(command, taken.opened.run, bounded(given.output));
      return { type: "verdict", ticket: command.ticket, verdict };
    },
  });
}

function refuseOther(flow: Flow, run: Run, { skill, output, ticket }: HandedIn): void {
  const [command] = next(flow, run);
  if (command?.do !== "work") return;
  const { name } = command.node;
  const hint = `the current skill is "${name}": do it, then call loop_advance with skill "${name}"`;
  if (skill !== name) {
    const what = run.results[skill] ? `"${skill}" is recorded already` : `"${skill}" is not the current skill`;
    throw new Refusal("wrong-skill", `nothing was recorded: ${what}`, hint, 3);
  }
  const isAgain = ticket === undefined && run.results[name]?.output === bounded(output) && output !== "";
  if (!isAgain && (ticket === undefined || ticket === command.ticket)) return;
  throw new Refusal(
    "already-recorded",
    `nothing was recorded: this output of "${name}" was recorded in an earlier round`,
    hint,
    3,
  );
}

function bounded(output: string): string {
  const text = output;
  if (text.length <= OUTPUT_TAKEN_MAX) return text;
  return `[${text.length - OUTPUT_TAKEN_MAX} characters left out]\n${text.slice(-OUTPUT_TAKEN_MAX)}`;
}

/** Why it is not the agent's turn, and what to do instead. */
export function notYours({ id, turn, run }: Standing): Refusal {
  switch (turn.of) {
    case "person":
      return new Refusal(
        "paused",
        `run ${id} is paused, nothing was recorded: ${turn.question.question}`,
        "stop here and ask the person; it goes on with their answer (loop_continue, or pawl answer)",
        3,
      );
    case "pawl":
      return new Refusal(
        "at-work",
        `run ${id} is being checked since ${turn.holder.since}; nothing was recorded`,
        "wait for it with loop_status",
        3,
      );
    case "nobody":
      return new Refusal(
        "cut-off",
        `the checks of run ${id} were interrupted; nothing was recorded`,
        "run them again with loop_continue",
        3,
      );
    case "rest": {
      const isOver = run.cursor.at === "ended";
      return new Refusal(
        isOver ? "has-ended" : "paused",
        `run ${id} ${isOver ? "has ended" : "is paused"}; nothing was recorded`,
        isOver ? "start the next with run_loop" : "see why with loop_status; it goes on with loop_continue",
        isOver ? 1 : 3,
      );
    }
    case "host":
      return new Refusal(
        "moved-on",
        `run ${id} moved on meanwhile; nothing was recorded`,
        "see where it stands with loop_status",
        3,
      );
  }
}

export interface Reply {
  option?: string;
  comment?: string;
}

/** Parks that only ask for another look; the others are a person's word. */
const LOOK_AGAIN: ParkCode[] = ["validation-failed", "fault", "interrupted", "work-failed", "no-verdict"];

/** The agent says that the person says to go on. Where the loop wants a person (`gate_channel: person`) that is no answer. */
export async function goOn(caller: Caller, id: string, reply: Reply): Promise<Standing> {
  const { house } = caller;
  const before = await standingOf(house, id);
  const { turn, flow, run } = before;
  if (turn.of === "host" && turn.text !== undefined && run.tries[turn.command.ticket]) return before;
  if (turn.of === "host" || turn.of === "nobody") return onward(caller, id);
  if (turn.of === "pawl") return before;
  if (turn.of === "rest") {
    const { cursor } = run;
    if (cursor.at !== "parked") return before;
    if (flow.gateChannel === "person" && !LOOK_AGAIN.includes(cursor.code)) throw needsPerson(id, `pawl resume ${id}`);
    return onward(caller, id, { resume: true, by: "chat" });
  }
  if (flow.gateChannel === "person") throw needsPerson(id, `pawl answer ${id} [${turn.question.options.join("|")}]`);
  return answer(caller, id, reply, { channel: "chat", who: "chat", by: "chat" });
}

const needsPerson = (id: string, command: string): Refusal =>
  new Refusal(
    "needs-a-person",
    `run ${id} is still paused: this loop takes the word of a person, not of an agent (gate_channel: person)`,
    `ask the person to type: ${command}`,
    3,
  );

/** An answer to the open gate. `expected` is what it was asked for: neither a later gate nor another tree is answered by it. */
export async function answer(
  caller: Caller,
  id: string,
  { option, comment }: Reply,
  from: { channel: "chat" | "elicitation"; by: string; who?: string; expected?: { ticket: string; tree: string } },
): Promise<Standing> {
  const { house } = caller;
  return onward(caller, id, {
    by: from.by,
    move: async ({ opened }) => {
      const { flow, run } = opened;
      const turn = await askedOf(house, flow, run);
      if (
        turn === undefined ||
        (from.expected !== undefined && (turn.ticket !== from.expected.ticket || turn.tree !== from.expected.tree))
      )
        throw new Refusal(
          "stale-answer",
          `run ${id} asks something else now; nothing was recorded`,
          "see what with loop_status",
          3,
        );
      const chosen = option ?? (turn.question.options.includes("continue") ? "continue" : undefined);
      if (chosen === undefined)
        throw new Refusal(
          "which-option",
          `run ${id} asks: ${turn.question.question}`,
          `ask the person, then call loop_continue with option: one of ${turn.question.options.join(", ")}`,
          3,
        );
      const reply = { option: chosen, ...(comment ? { comment } : {}) };
      const more = from.who === undefined ? {} : { who: from.who };
      return answerEvent(
        house,
        { flow, run },
        { question: turn.question, reply, tree: turn.tree, channel: from.channel, ...more },
      );
    },
  });
}
