// An order to stop that another process left for the driver of a run: who, why, and whether for good.
import type { House } from "../ports/house.js";
import type { StopOrder } from "./drive.js";

export const orderPath = (house: Pick<House, "store">, run: string): string =>
  `${house.store.runFolder(run)}/order.json`;

/** The order that waits, taken away; undefined when there is none or it is no order. */
export async function takeOrder(house: House, run: string): Promise<StopOrder | undefined> {
  const text = await house.files.text(orderPath(house, run));
  if (text === undefined) return undefined;
  await house.files.remove(orderPath(house, run));
  try {
    const order = JSON.parse(text) as Partial<StopOrder> | null; // looked at next
    if (order?.code !== "paused" || typeof order.reason !== "string" || typeof order.by !== "string") return undefined;
    return { code: "paused", reason: order.reason, by: order.by, ...(order.abandon === true ? { abandon: true } : {}) };
  } catch {
    return undefined;
  }
}
