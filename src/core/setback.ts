// What a fault does to a run: the same command again after a pause, or by the next performer, or parked until a time or a person.
// It never costs an attempt (R4), and every way of trying again is counted, so a run is finite between two human acts (R2).
import type { FailureClass } from "./failure.js";
import type { Event, Finding, Flow, Run } from "./model.js";
import { later, msOf } from "./moment.js";
import { nodeAt, nodeOf, ownerOf } from "./place.js";

/** Faults in a row of one node or branch. */
export interface Setback {
  class: FailureClass;
  count: number;
  /** When the first of them was told, and before when none is to begin again: ISO time. */
  first: string;
  until?: string;
}

/** Pauses before a further try; as many tries as there are pauses. What is not here is not tried again by itself. */
const PAUSES_MS: Partial<Record<FailureClass, number[]>> = {
  overloaded: [5_000, 20_000, 60_000],
  idle: [1_000],
  crash: [1_000, 5_000],
};
/** A limit without a time: pauses that grow from meeting to meeting, the last one for ever. */
const UNTOLD_MS = [5, 15, 60, 180].map((minutes) => minutes * 60_000);
/** A row of crashes as quick as this is a matter of how it is set up. */
const QUICK_MS = 60_000;
/** The next performer may do better; for the others it would be the same. */
const PASSED_ON: FailureClass[] = [
  "limit",
  "overloaded",
  "auth",
  "billing",
  "context",
  "refusal",
  "idle",
  "crash",
  "configuration",
];

export type SetBack = { again: Run } | { run: Run; reason: string; findings: Finding[]; until?: string };

export function setBack(flow: Flow, run: Run, { ticket, error, at }: Event & { type: "fault" }): SetBack {
  const owner = ownerOf(ticket);
  const before = run.setbacks?.[owner];
  const { class: what } = error;
  const isSame = before !== undefined && before.class === what;
  const count = isSame ? before.count + 1 : 1;
  const first = isSame ? before.first : at;
  const pause = what && PAUSES_MS[what]?.[count - 1];
  if (what && pause !== undefined)
    return { again: tried(run, ticket, { class: what, count, first, until: later(at, pause) }) };
  const next = what && PASSED_ON.includes(what) ? nextPerformer(flow, run, owner) : undefined;
  if (next) return { again: passedOn(run, ticket, next) };
  const until =
    what === "limit" ? (error.until ?? later(at, UNTOLD_MS[Math.min(count, UNTOLD_MS.length) - 1] ?? 0)) : error.until;
  const kept = what === "limit" ? { class: what, count, first } : undefined; // a limit that is met again is waited for longer
  return {
    run: noted(run, owner, kept),
    ...told(error, until, quickly(what, first, at, count)),
    ...(until ? { until } : {}),
  };
}

/** It has answered: what went wrong before is over. */
export const recovered = (run: Run, ticket: string): Run =>
  run.setbacks?.[ownerOf(ticket)] ? noted(run, ownerOf(ticket), undefined) : run;

/** Who works in the place of this performer since it failed. */
export function standInFor(run: Run, performer: string): string {
  const seen = [performer];
  for (let name = run.standIns?.[performer]; name !== undefined && !seen.includes(name); name = run.standIns?.[name])
    seen.push(name);
  return seen.at(-1) ?? performer;
}

/** Milliseconds to wait before any of these tickets may begin. */
export function pauseMs(run: Run, tickets: string[], now: string): number {
  const untils = tickets.flatMap((ticket) => run.setbacks?.[ownerOf(ticket)]?.until ?? []);
  return Math.max(0, ...untils.map((until) => Math.min(msOf(until) - msOf(now), LONGEST_PAUSE_MS)));
}
/** Whatever the clock of the machine has done meanwhile. */
const LONGEST_PAUSE_MS = 60_000;

function tried(run: Run, ticket: string, setback: Setback): Run {
  const { [ticket]: _, ...tries } = run.tries; // it answered: no crash of ours
  return { ...noted(run, ownerOf(ticket), setback), tries };
}

function passedOn(run: Run, ticket: string, { from, to }: { from: string; to: string }): Run {
  const { [ownerOf(ticket)]: _, ...sessions } = run.sessions; // another client's conversation
  const { [ticket]: __, ...tries } = run.tries;
  return { ...noted(run, ownerOf(ticket), undefined), tries, sessions, standIns: { ...run.standIns, [from]: to } };
}

function noted(run: Run, owner: string, setback: Setback | undefined): Run {
  const { [owner]: _, ...others } = run.setbacks ?? {};
  return { ...run, setbacks: { ...others, ...(setback ? { [owner]: setback } : {}) } };
}

function nextPerformer(flow: Flow, run: Run, owner: string): { from: string; to: string } | undefined {
  const name = nodeAt(run.cursor);
  const work = name === undefined ? undefined : nodeOf(flow, name).work;
  const part = work?.kind === "fan" && name !== undefined ? work.branches[owner.slice(name.length + 1)] : work;
  if (part?.kind !== "agent") return undefined;
  const from = standInFor(run, part.performer);
  const to = flow.performers[from]?.fallback;
  const isNew = to !== undefined && to !== part.performer && !run.standIns?.[to] && flow.performers[to] !== undefined;
  return isNew ? { from, to } : undefined;
}

function quickly(what: FailureClass | undefined, first: string, at: string, count: number): string | undefined {
  const ms = msOf(at) - msOf(first);
  if (what !== "crash" || count < 3 || ms > QUICK_MS) return undefined;
  return `${count} times within ${Math.ceil(ms / 1000)} seconds, so it is how it is set up and not its work: `;
}

function told(
  { message, hint, code }: (Event & { type: "fault" })["error"],
  until: string | undefined,
  quick = "",
): { reason: string; findings: Finding[] } {
  const when = until === undefined ? "" : `; until ${until}`;
  const finding: Finding = { text: hint ? `${message}; ${hint}` : message, rule: code, severity: "error" };
  return { reason: `${quick}${message}${when}`, findings: [finding] };
}
