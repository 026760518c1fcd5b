// Puts a gate to the person at the terminal. Loaded only when a question is asked; an answer is theirs, leaving is none.
import * as prompts from "@clack/prompts";
import type { Question } from "../../core/question.js";
import { clean } from "./render/clean.js";

export interface Reply {
  option: string;
  comment?: string;
}

export async function confirm(message: string): Promise<boolean> {
  return (await prompts.confirm({ message: clean(message), initialValue: false })) === true;
}

/** Undefined when the person leaves without an answer (Ctrl-C): the gate stays open. */
export async function askAtTerminal(question: Question): Promise<Reply | undefined> {
  prompts.note(question.shown.split("\n").map(clean).join("\n"), "Pawl asks");
  const option = await prompts.select({
    message: clean(question.question),
    options: question.options.map((value) => ({ value, label: value })),
  });
  if (prompts.isCancel(option)) return undefined;
  const comment = await prompts.text({
    message: "A comment for whoever works next (may stay empty)",
    defaultValue: "",
  });
  if (prompts.isCancel(comment)) return undefined;
  return { option, ...(comment.trim() ? { comment: comment.trim() } : {}) };
}
