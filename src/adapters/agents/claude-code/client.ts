// Claude Code, as a client whose events are read. Loaded when a turn is to begin: it brings zod.

import type { Host } from "../host.js";
import type { Client } from "../streamed.js";
import { oneLine, printable } from "../text.js";
import { eventOf, type Heard, hear, NOTHING_HEARD, textOf } from "./events.js";
import { CLAUDE_CODE } from "./known.js";
import { judge, ruleOf } from "./outcome.js";
import { argumentsFor, environmentFor } from "./recipe.js";

/** Calls of its model refused for lack of a sign-in before we stop waiting for an eleventh. */
const REFUSED_MAX = 2;

export const claudeClient = (host: Host): Client<Heard> => ({
  ...CLAUDE_CODE,
  argv: argumentsFor,
  env: (turn) => environmentFor(turn, host),
  nothing: NOTHING_HEARD,
  hear,
  isOver: ({ result, reopened }) => result !== undefined && !reopened,
  // Without a sign-in the client tries for three minutes; that is nobody's gain.
  wants: ({ trouble }) =>
    trouble?.error === "authentication_failed" && trouble.attempt >= REFUSED_MAX ? "hopeless" : undefined,
  shown,
  judge,
});

function shown(value: unknown): string[] {
  const event = eventOf(value);
  if (event?.type === "system" && event.subtype === "api_retry")
    return [`[the model fails (${oneLine(event.error ?? "")}); try ${event.attempt} of ${event.max_retries}]`];
  if (event?.type !== "assistant") return [];
  const said = textOf(event);
  const calls = (event.message?.content ?? []).filter((part) => part.type === "tool_use");
  return [
    ...(said === "" ? [] : printable(said).split("\n")),
    ...calls.map((call) => `> ${ruleOf(call.name ?? "tool", call.input)}`),
  ];
}
