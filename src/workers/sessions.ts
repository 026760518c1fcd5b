// Sessions that an agent names itself: written down the moment they are known, for Pawl may be killed before the turn ends.
import type { Total } from "../ports/agent.js";
import type { Workshop } from "../ports/workshop.js";

export interface KeptSession {
  /** Of the command whose turn it was. */
  ticket: string;
  session: string;
  /** What the whole conversation has come to; absent: not known. */
  total?: Total;
}

/** `owner`: the node, or node/branch. */
export async function keptSession(shop: Workshop, run: string, owner: string): Promise<KeptSession | undefined> {
  try {
    const kept = JSON.parse((await shop.files.text(pathOf(shop, run, owner))) ?? "null") as Partial<KeptSession> | null; // looked at next
    return typeof kept?.ticket === "string" && typeof kept.session === "string" ? (kept as KeptSession) : undefined; // whole
  } catch {
    return undefined; // half written: the step begins a fresh session
  }
}

export const keepSession = (shop: Workshop, run: string, owner: string, kept: KeptSession): Promise<void> =>
  shop.files.write(pathOf(shop, run, owner), JSON.stringify(kept));

const pathOf = (shop: Workshop, run: string, owner: string): string =>
  `${shop.store.runFolder(run)}/sessions/${shop.sha256(owner).slice(0, 16)}.json`;
