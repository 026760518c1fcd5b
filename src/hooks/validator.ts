// Asks a validator of the repository; what its answer means is the contract's business (`workers/contract.ts`).
import { z } from "zod";
import { defineHook } from "./hook.js";

const TIMEOUT_SECONDS = 600;
/** A day: longer than any suite, shorter than what a timer can count. */
const TIMEOUT_SECONDS_MAX = 86_400;

export const validator = defineHook({
  name: "validator",
  params: z.strictObject({
    tool: z.string().min(1),
    checks: z.array(z.strictObject({ name: z.string().min(1), required: z.boolean().default(true) })).default([]),
    timeout_seconds: z.number().positive().max(TIMEOUT_SECONDS_MAX).default(TIMEOUT_SECONDS),
  }),
  effect: false,
  does: "runs",
  outcomes: ["optional"],
  look: (context, { tool, checks, timeout_seconds }) => context.validate(tool, checks, timeout_seconds * 1_000),
});
