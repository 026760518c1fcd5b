// Money, tokens and time of a whole run, at the limit and just below it.
import { describe, expect, it } from "vitest";
import { commandStep, flowOf, stepsFile } from "../../testing/files.js";
import { Table } from "../../testing/index.js";
import type { Flow, Spent } from "../core/model.js";
import { overLimit } from "./limits.js";

const over = (limits: Flow["limits"], ...spent: Spent[]): string | undefined => {
  const flow = { ...flowOf(stepsFile([commandStep("one")])), limits };
  const { run } = new Table(flow);
  return overLimit(flow, { ...run, spent: Object.fromEntries(spent.map((cost, i) => [`s${i}`, cost])) });
};

describe("a limit", () => {
  it("is used up when it is reached, summed over all steps, and says how much of it is", () => {
    expect(over({ ms: 90_000 }, { ms: 60_000 }, { ms: 30_000 })).toBe(
      "budget minutes: 1.5 of 1.5 minutes are used up; raise limits.minutes",
    );
    expect(over({ usd: 2 }, { ms: 1, usd: 1.5 }, { ms: 1, usd: 0.75 })).toBe(
      "budget usd: 2.25 of 2.00 USD are spent; raise limits.usd",
    );
    expect(over({ tokens: 10 }, { ms: 1, inputTokens: 6 }, { ms: 1, outputTokens: 4 })).toBe(
      "budget tokens: 10 of 10 tokens are used up; raise limits.tokens",
    );
  });

  it("is not used up just below it", () => {
    expect(over({ ms: 60_000, usd: 1, tokens: 10 }, { ms: 59_999, usd: 0.99, inputTokens: 9 })).toBeUndefined();
  });

  it("holds nothing where there is none", () => {
    expect(over({}, { ms: 1e9, usd: 1e6, inputTokens: 1e12 })).toBeUndefined();
  });

  it("takes a cost that nobody knows for unknown: what is known counts, the rest is not made up", () => {
    expect(over({ usd: 1, tokens: 1 }, { ms: 1 }, { ms: 1 })).toBeUndefined();
    expect(over({ usd: 1 }, { ms: 1 }, { ms: 1, usd: 1 })).toMatch(/^budget usd: 1.00 of 1.00/);
  });

  it("of whole minutes is written without a fraction", () => {
    expect(over({ ms: 600_000 }, { ms: 660_000 })).toMatch("11 of 10 minutes");
  });
});
