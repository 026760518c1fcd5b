// A person's answer to the gate a run stands at, as the event it becomes.
import type { EventBody, Flow, Answer as PersonsAnswer, Run } from "../core/model.js";
import { ticketsOf } from "../core/place.js";
import { type Question, verdictOfReply } from "../core/question.js";
import { Refusal } from "../core/refusal.js";
import type { House } from "../ports/house.js";

export interface Given {
  question: Question;
  reply: { option: string; comment?: string };
  /** Digest of the tree the question was shown about. */
  tree: string;
  channel: PersonsAnswer["channel"];
  /** Who says so; the person at this machine by default. */
  who?: string;
}

/** Refusal ("unknown-option") where the answer is none of the options. */
export function answerEvent(
  house: House,
  { flow, run }: { flow: Flow; run: Run },
  { question, reply, tree, channel, who = house.user }: Given,
): EventBody {
  const [ticket = ""] = ticketsOf(flow, run);
  if (!question.options.includes(reply.option)) {
    const hint = `the options are: ${question.options.join(", ")}`;
    throw new Refusal("unknown-option", `"${reply.option}" is no answer to: ${question.question}`, hint);
  }
  const comment = reply.comment ? { comment: reply.comment } : {};
  const answer = { who, channel, shown: house.sha256(question.shown), ...comment };
  return { type: "verdict", ticket, verdict: verdictOfReply(flow, reply, tree), answer };
}
