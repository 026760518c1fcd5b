// What a hook is: registered code at a boundary of a node that answers with a verdict. It sees the context it is handed
// and nothing else, so the same context gives the same verdict.
import { z } from "zod";
import type { Finding, Verdict } from "../core/model.js";
import type { HookContext, Looker } from "../ports/hook.js";

export interface HookDef<P = unknown> {
  name: string;
  params: z.ZodType<P>;
  /** True: done once a visit; false: a look at the world, repeatable at will. */
  effect: boolean;
  /** looks: reads only. runs: starts a program of the repository. speaks: tells somebody outside. */
  does: "looks" | "runs" | "speaks";
  /** Besides "pass" and "block". */
  outcomes: string[];
  /** May stand behind `repeat_until`. */
  condition?: true;
  /** Must throw a FaultError when it cannot look; that parks the run and costs nothing. */
  look(context: HookContext, params: P): Promise<Verdict>;
}

/** A hook as the registry keeps it: it takes params as they stand in the file and checks them itself. */
export interface RegisteredHook extends Omit<HookDef, "params" | "look">, Looker {
  check(params: unknown): Complaint[];
}
export interface Complaint {
  path: (string | number)[];
  message: string;
}

export function defineHook<P>({ params, look, ...facts }: HookDef<P>): RegisteredHook {
  return {
    ...facts,
    check: (given) => (params.safeParse(given ?? {}).error?.issues ?? []).map(complaintOf),
    // a flow is frozen after its params were checked: what does not parse here is a bug and throws
    look: async (context, given) => look(context, params.parse(given ?? {})),
  };
}

const complaintOf = (issue: z.core.$ZodIssue): Complaint => ({
  path: issue.path.filter((step) => typeof step !== "symbol"),
  message: issue.message,
});

/** The schema of a hook that takes nothing. */
export const noParams = z.strictObject({});

/** Blocks when there is anything to mend. */
export const complain = (findings: Finding[]): Verdict => ({
  status: findings.some((each) => each.severity === "error") ? "block" : "pass",
  findings,
});
export const error = (where: string, text: string, rule?: string): Finding => ({
  text,
  where,
  ...(rule ? { rule } : {}),
  severity: "error",
});
