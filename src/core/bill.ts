// What each visit cost, who worked and with which model: the ledger of a run, read from its journal.
import { momentsOf } from "./chronicle.js";
import { sum } from "./ledger.js";
import type { Event, Flow, Spent } from "./model.js";
import { nodeAt, ownerOf, visitsOf } from "./place.js";

export interface Charge extends Spent {
  /** A node, or a branch of one: `node/branch`. */
  step: string;
  visit: number;
  performer: string;
}

/** One for each answer that cost something, and for each fault that did; the oldest first. */
export function chargesOf(flow: Flow, events: readonly Event[]): Charge[] {
  const performers = new Map<string, string>();
  const charges: Charge[] = [];
  for (const { event, before } of momentsOf(flow, events)) {
    if (event.type === "begun") performers.set(event.ticket, event.performer);
    if ((event.type !== "verdict" && event.type !== "fault") || !event.spent || !before) continue;
    const node = nodeAt(before.cursor);
    const visit = node === undefined ? 0 : visitsOf(before, node);
    const performer = performers.get(event.ticket) ?? "";
    charges.push({ step: ownerOf(event.ticket), visit, performer, ...event.spent });
  }
  return charges;
}

/** Added up by step, performer and model. */
export function addedUp(charges: Charge[]): (Charge & { visits: number })[] {
  const groups = new Map<string, Charge[]>();
  for (const charge of charges) {
    const key = JSON.stringify([charge.step, charge.performer, charge.model]);
    groups.set(key, [...(groups.get(key) ?? []), charge]);
  }
  return [...groups.values()].map((group) => {
    const [{ step, performer } = { step: "", performer: "" }] = group; // a group has one
    const visit = Math.max(...group.map((each) => each.visit));
    return { step, performer, visit, visits: new Set(group.map((each) => each.visit)).size, ...sum(group) };
  });
}
