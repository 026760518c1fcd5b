// Limits of time, money and tokens, as a run, a step and the settings of a repository spell them.
import type { z } from "zod";
import type { Limits } from "../../core/model.js";
import { compact } from "./compact.js";
import { amount, count, keys } from "./leaf.js";
import { toMs } from "./performer.js";

/** Two weeks: a timer of the machine takes no more than 24 days. */
const MINUTES_MAX = 20_160;
const USD_MAX = 100_000;
const TOKENS_MAX = 1_000_000_000_000;

export const limits = (whose: string) =>
  keys({
    minutes: amount(0.01, MINUTES_MAX, "minutes")
      .optional()
      .meta({ description: `Minutes of ${whose}.` }),
    usd: amount(0.01, USD_MAX, "US dollars")
      .optional()
      .meta({ description: `US dollars of ${whose}.` }),
    tokens: count(TOKENS_MAX)
      .optional()
      .meta({ description: `Tokens of ${whose}.` }),
  });

export const readLimits = ({ minutes, usd, tokens }: z.output<ReturnType<typeof limits>>): Limits =>
  compact({ ms: toMs(minutes && minutes * 60), usd, tokens });
