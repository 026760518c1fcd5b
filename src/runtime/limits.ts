// Money, tokens and time of a whole run: asked before a step begins. An unknown cost is unknown, not zero.
import { sum } from "../core/ledger.js";
import type { Flow, Run } from "../core/model.js";

/** Which limit is used up, in words; undefined when the run may go on. */
export function overLimit(flow: Flow, run: Run): string | undefined {
  const { limits } = flow;
  const spent = sum(Object.values(run.spent));
  const tokens = (spent.inputTokens ?? 0) + (spent.outputTokens ?? 0);
  if (limits.ms !== undefined && spent.ms >= limits.ms) {
    return `budget minutes: ${minutes(spent.ms)} of ${minutes(limits.ms)} minutes are used up; raise limits.minutes`;
  }
  if (limits.usd !== undefined && (spent.usd ?? 0) >= limits.usd) {
    return `budget usd: ${(spent.usd ?? 0).toFixed(2)} of ${limits.usd.toFixed(2)} USD are spent; raise limits.usd`;
  }
  if (limits.tokens !== undefined && tokens >= limits.tokens) {
    return `budget tokens: ${tokens} of ${limits.tokens} tokens are used up; raise limits.tokens`;
  }
  return undefined;
}

const minutes = (ms: number): string => (ms / 60_000).toFixed(1).replace(/\.0$/, "");
