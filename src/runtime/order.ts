// An order to stop that another process left for the driver of a run: who, why, and whether for good.
import type { House } from "../ports/house.js";
import type { Holder } from "../ports/store.js";
import type { StopOrder } from "./drive.js";

const orderPath = (house: House, run: string): string => `${house.store.runFolder(run)}/order.json`;

/** For this holder and no later one: an order that came too late must not be obeyed by whoever drives next. */
export async function leaveOrder(house: House, run: string, { fence }: Holder, order: StopOrder): Promise<void> {
  await house.files.write(orderPath(house, run), JSON.stringify({ ...order, fence }));
}

/** The order that waits for us, taken away; undefined when there is none or it is no order. Never throws. */
export async function takeOrder(house: House, run: string): Promise<StopOrder | undefined> {
  try {
    const text = await house.files.text(orderPath(house, run));
    if (text === undefined) return undefined;
    await house.files.remove(orderPath(house, run));
    const order = JSON.parse(text) as (Partial<StopOrder> & { fence?: number }) | null; // looked at next
    if (order?.code !== "paused" || typeof order.reason !== "string" || typeof order.by !== "string") return undefined;
    if (order.fence !== (await house.store.holder(run))?.fence) return undefined;
    return { code: "paused", reason: order.reason, by: order.by, ...(order.abandon === true ? { abandon: true } : {}) };
  } catch {
    return undefined; // it stops all the same, for the reason the signal gives
  }
}
