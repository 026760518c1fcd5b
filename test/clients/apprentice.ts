// A scripted agent that is told, not timed: a generator that asks for a tool or says something, and is sent what came of it. It keeps
// nothing in between: for each model call it is played again from the conversation, so a client may retry, resume or start anew.
import type { Call, Scenario, Step } from "./fake-models/server.mjs";

export type Deed = Call | { anyOf: Call[] };
/** It yields a deed, and is sent the tool's answer; or a word to the person, which ends its turn, and is sent theirs. */
export type Playing<T = void> = Generator<Deed | string, T, string>;

interface Message {
  role: string;
  parts: { kind: string; text?: string }[];
}

/** Plays in every conversation that begins with a prompt that holds `match`; that prompt is what it is first told. */
export function apprentice(name: string, match: string, play: (prompt: string) => Playing): Scenario {
  const step = ({ prompt, conversation }: { prompt: string; conversation: unknown }): Step => {
    const { messages } = conversation as { messages: Message[] }; // as conversation.mjs describes it
    const from = messages.findIndex(({ role, parts }) => role === "user" && spoken(parts).includes(match));
    const playing = play(from < 0 ? prompt : spoken(messages[from]?.parts ?? []));
    let next = playing.next("");
    for (const told of answersIn(messages.slice(from + 1))) next = playing.next(told);
    if (next.done) return { text: "I have nothing to add." };
    return typeof next.value === "string" ? { text: next.value } : { text: "Next.", calls: [next.value] };
  };
  return { name, match, steps: [step] };
}

/** What came after each thing the agent said: the tool's answer, or the person's words. */
function answersIn(messages: Message[]): string[] {
  const answers: string[] = [];
  let isOwed = false;
  for (const { role, parts } of messages) {
    if (role === "assistant") isOwed = true;
    if (role !== "user" || !isOwed) continue;
    const results = parts.filter(({ kind }) => kind === "result");
    const told = results.length > 0 ? results.map(({ text = "" }) => text).join("\n") : spoken(parts);
    if (told === "") continue;
    answers.push(told);
    isOwed = false;
  }
  return answers;
}

/** Without what the client adds to a person's words. */
function spoken(parts: Message["parts"]): string {
  const words = parts.filter(({ kind }) => kind === "text").map(({ text = "" }) => text);
  return words
    .join("\n")
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
    .trim();
}
