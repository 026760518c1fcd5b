// Short words for the parts of a flow, so that the lowerings read like the bodies they spell.
import type { Budget, Ending, Hook, Json, Node, ParkCode, Route, Target, Work } from "../../core/model.js";

/** A body on its way to a flow: what its own lowering knows. */
export interface Draft {
  start: string;
  steps: string[];
  nodes: Node[];
  budgets: Record<string, Budget>;
  afterStop?: Route;
  /** Budgets that every way back to the start spends besides its own, so that no policy goes round a cap of the body. */
  everyTry?: string[];
  restart: "free" | "archive";
}
export const node = (name: string, work: Work, routes: Record<string, Route>, more: Partial<Node> = {}): Node => ({
  name,
  work,
  routes,
  enter: [],
  exit: [],
  produces: [],
  ...more,
});
export const hook = (name: string, params: Json = {}, more: Partial<Hook> = {}): Hook => ({
  hook: name,
  params,
  mayRoute: false,
  effect: false,
  ...more,
});
export const to = (name: string, more: Omit<Route, "to"> = {}): Route => ({ to: { node: name }, ...more });
export const end = (ending: Ending, more: Omit<Route, "to"> = {}): Route => ({ to: { end: ending }, ...more });
export const park = (code: ParkCode, reason: string, resume: Route | "way"): Route => ({
  to: parked(code, reason, resume),
});
export const parked = (code: ParkCode, reason: string, resume: Route | "way"): Target => ({
  park: code,
  reason,
  resume,
});

/** The bound that `max_attempts` sets over a whole run; the first try is one of them. */
export const attemptsBudget = (maxAttempts: number): Budget => ({
  limit: maxAttempts - 1,
  first: 1,
  setBy: "max_attempts",
  frozen: false,
  onExhausted: { end: "failure" },
});
/** The way back into another attempt. */
export const ATTEMPT: Omit<Route, "to"> = { spend: ["attempts"], mark: "retry", unmark: ["warning"] };
