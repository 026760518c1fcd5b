// May a host's agent end its turn? Only a run that stands at one of its own skills keeps it, and only so many times.
import { HOST } from "./hosts.js";
import type { Flow } from "./model.js";

/** How often an agent is sent back to one skill before it is let go: some clients never give up by themselves. */
export const REMINDERS_MAX = 3;
/** Characters of a name in a reminder: they come from files that agents can write. */
const NAME_SHOWN_MAX = 100;

/** What the published record of a run says, as far as it matters here. */
export interface TurnRecord {
  run: string;
  loop: string;
  status: string;
  /** The step it stands at; undefined when it is past the last one. */
  skill: string | undefined;
  iteration: number;
}
/** How often this run has sent the agent back, and where it stood then. */
export interface Reminders {
  at: string;
  count: number;
}

/** Does the run wait for the host's agent? Not at a gate, not paused, not while checks run, not when Pawl starts the agents. */
export function holdsTurn({ status, skill }: TurnRecord, flow: Pick<Flow, "nodes" | "performers">): boolean {
  if (!["pending", "running", "iterating"].includes(status) || skill === undefined) return false;
  const work = Object.hasOwn(flow.nodes, skill) ? flow.nodes[skill]?.work : undefined;
  if (work?.kind !== "agent" || !Object.hasOwn(flow.performers, work.performer)) return false;
  return flow.performers[work.performer]?.use === HOST;
}

/** Undefined: it was reminded often enough. The count begins anew when the run has moved. */
export function remind(
  record: TurnRecord,
  before: Reminders | undefined,
): { reminders: Reminders; reason: string } | undefined {
  const at = `${record.iteration}/${record.skill ?? ""}`;
  const count = (before?.at === at ? before.count : 0) + 1;
  if (count > REMINDERS_MAX) return undefined;
  const [run, loop, skill] = [record.run, record.loop, record.skill ?? ""].map(shown);
  const reason = `Run ${run} of the Pawl loop "${loop}" is at the skill "${skill}", which is not reported yet. Do that skill only; when it is done call loop_advance with skill "${skill}" and what you did. When you cannot go on, call loop_stop with the reason. Ask loop_status when in doubt. (reminder ${count} of ${REMINDERS_MAX}; after that the turn may end)`;
  return { reminders: { at, count }, reason };
}

/** One line without control characters and quotes. */
const shown = (name: string): string => name.replace(/[\p{C}"\u2028\u2029]/gu, " ").slice(0, NAME_SHOWN_MAX);
