// Which client does an agent's work and what confines it, in plain words: the same in plan, status and record.
import type { Flow, Performer } from "../../../core/model.js";
import { clean } from "./clean.js";

/** Whether the adapter behind `use:` runs its whole process inside the sandbox; unknown counts as outside. */
export type Confined = Record<string, boolean>;
export const CONFINED: Confined = { command: true };

export function agentText(name: string, performer: Performer, confined: Confined = CONFINED): string {
  const model = performer.model ? ` (${performer.model})` : "";
  const program = performer.run ?? performer.command;
  const client = `${performer.use}${model}${program ? `: ${program}` : ""}`;
  return clean(`${name}: ${client}; ${whereText(performer.use, confined)}`);
}

/** Lines for agents that are not confined; none when all are. */
export function openAgents(flow: Flow, confined: Confined = CONFINED): string[] {
  return Object.entries(flow.performers)
    .filter(([, performer]) => !isConfined(performer.use, confined))
    .map(([name, performer]) => clean(`agent "${name}" (${performer.use}) ${whereText(performer.use, confined)}`));
}

const isConfined = (use: string, confined: Confined): boolean => Object.hasOwn(confined, use) && confined[use] === true;

function whereText(use: string, confined: Confined): string {
  return isConfined(use, confined)
    ? "runs inside the sandbox, without network"
    : "runs outside the sandbox with network until egress lands";
}
