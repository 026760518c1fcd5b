// Params of an action as somebody wrote them: which keys there are, and which should not be.
import type { Json } from "../../core/model.js";
import type { Action } from "../../ports/action.js";

type Complaints = ReturnType<Action["check"]>;

/** Its keys; none where it is no map. */
export const keysOf = (params: Json): { [key: string]: Json } =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? params : {};

export function strangersTo(action: string, params: Json, known: readonly string[]): Complaints {
  return Object.keys(keysOf(params))
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: [key],
      message: `"${key}" is no parameter of ${action}`,
      hint: `it has: ${known.join(", ")}`,
    }));
}
