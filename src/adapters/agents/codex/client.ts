// Codex, as a client whose events are read. Loaded when a turn is to begin: it brings zod.
import type { Host } from "../host.js";
import type { Client } from "../streamed.js";
import { oneLine, printable } from "../text.js";
import { deedOf, eventOf, type Heard, hear, NOTHING_HEARD } from "./events.js";
import { CODEX } from "./known.js";
import { judge } from "./outcome.js";
import { argumentsFor, environmentFor, folderFor, inputFor } from "./recipe.js";

export const codexClient = (host: Host): Client<Heard> => ({
  ...CODEX,
  argv: argumentsFor,
  env: (turn) => environmentFor(turn, host),
  folder: folderFor,
  input: inputFor,
  nothing: NOTHING_HEARD,
  hear,
  session: ({ session }) => session,
  isOver: ({ end }) => end !== undefined,
  wants: ({ deeds, end }, { turnsMax }) =>
    turnsMax !== undefined && deeds > turnsMax && end === undefined ? "turns" : undefined,
  shown,
  judge,
});

function shown(value: unknown): string[] {
  const event = eventOf(value);
  if (event?.type === "error") return [`[the model fails (${oneLine(event.message ?? "")})]`];
  const { item } = event ?? {};
  if (item?.type === "agent_message" && event?.type === "item.completed") return printable(item.text ?? "").split("\n");
  if (event?.type !== "item.started" || item === undefined) return [];
  return [`> ${oneLine(deedOf(item))}`];
}
