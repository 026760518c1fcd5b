// Time, money and tokens: at the limit, just below it, and where the next visit could pass it.
import { describe, expect, it } from "vitest";
import { flowOfText, Tale } from "../../test/harness/tale.js";
import { allowancesOf, limitNamed, overLimit } from "./allowance.js";
import type { Spent } from "./model.js";
import { next } from "./run.js";

const loop = (limits: string, step = ""): string =>
  `name: x\nlimits: ${limits}\nsteps:\n  - {name: one, command: "true"${step}, on_fail: {goto: one, retry: true}}\n  - {name: two, command: "true"}`;
/** What keeps `owner` from beginning once these visits of "one" are over; each but the last fails, so that it goes round. */
function over(text: string, costs: Spent[], owner = "one", set: Record<string, number> = {}): string | undefined {
  const tale = new Tale(flowOfText(text));
  for (const spent of costs) tale.works({ status: "block", findings: [] }, { spent });
  for (const [limit, to] of Object.entries(set)) tale.add({ type: "limited", limit, to });
  return overLimit(tale.run, allowancesOf(tale.flow, tale.run, [owner]), [owner]);
}

describe("a limit", () => {
  it("is used up when it is reached, summed over all visits, and says how to go on", () => {
    expect(over(loop("{minutes: 1.5}"), [{ ms: 60_000 }, { ms: 30_000 }])).toBe(
      "budget minutes: 1.5 of 1.5 minutes are used up; to go on: pawl resume x-1 --limit minutes=N",
    );
    expect(
      over(loop("{usd: 2}"), [
        { ms: 1, usd: 1.5 },
        { ms: 1, usd: 0.75 },
      ]),
    ).toMatch(/^budget usd: 2.25 of 2.00 USD are spent; to go on/);
    expect(
      over(loop("{tokens: 10}"), [
        { ms: 1, inputTokens: 6 },
        { ms: 1, outputTokens: 4 },
      ]),
    ).toMatch(/^budget tokens: 10 of 10 tokens are used up; to go on/);
  });

  it("keeps a visit from beginning that could pass it, by the dearest visit of that step so far", () => {
    const costs = [
      { ms: 1, usd: 0.75 },
      { ms: 1, usd: 0.5 },
    ];
    expect(over(loop("{usd: 1.99}"), costs)).toBe(
      'budget usd: 1.25 of 1.99 USD are spent, and "one" has used up to 0.75 in one visit; to go on: pawl resume x-1 --limit usd=N',
    );
    expect(over(loop("{usd: 2}"), costs)).toBeUndefined();
  });

  it("says nothing about a step that has no visit yet", () => {
    expect(over(loop("{usd: 1}"), [{ ms: 1, usd: 0.9 }], "two")).toBeUndefined();
  });

  it("of a step counts that step alone", () => {
    const text = loop("{}", ", limits: {usd: 1}");
    expect(over(text, [{ ms: 1, usd: 1 }])).toBe(
      'budget usd of step "one": 1.00 of 1.00 USD are spent; to go on: pawl resume x-1 --limit one.usd=N',
    );
    expect(over(text, [{ ms: 1, usd: 1 }], "two")).toBeUndefined();
  });

  it("is what a person set it to", () => {
    expect(over(loop("{usd: 1}"), [{ ms: 1, usd: 1 }], "one", { usd: 5 })).toBeUndefined();
    expect(over(loop("{}"), [{ ms: 60_000 }], "one", { "one.minutes": 1 })).toMatch(/^budget minutes of step "one"/);
  });

  it("takes a cost that nobody knows for unknown: what is known counts, the rest is not made up", () => {
    expect(over(loop("{usd: 1, tokens: 1}"), [{ ms: 1 }, { ms: 1 }])).toBeUndefined();
    expect(over(loop("{usd: 1}"), [{ ms: 1 }, { ms: 1, usd: 1 }])).toMatch(/^budget usd: 1.00 of 1.00/);
  });

  it("holds nothing where there is none", () => {
    expect(over(loop("{}"), [{ ms: 1e9, usd: 1e6, inputTokens: 1e12 }])).toBeUndefined();
  });

  it("has a name of a figure, or of a step and a figure", () => {
    const { flow, run } = new Tale(flowOfText(loop("{usd: 1}")));
    expect([limitNamed(flow, run, "usd"), limitNamed(flow, run, "one.usd")]).toEqual([{ value: 1 }, {}]);
    expect(() => limitNamed(flow, run, "euros")).toThrow('"euros" is no limit of this run');
    expect(() => limitNamed(flow, run, "three.usd")).toThrow('"three.usd" is no limit of this run');
  });
});

it("what a fault cost is charged too", () => {
  const tale = new Tale(flowOfText(loop("{}")));
  const error = { code: "model", message: "overloaded" };
  tale.add({ type: "begun", ticket: ticketOf(tale), performer: "sh" });
  tale.add({ type: "fault", ticket: ticketOf(tale), error, spent: { ms: 5, usd: 0.25 } });
  expect(tale.run.spent.one).toEqual({ ms: 5, usd: 0.25 });
});

function ticketOf(tale: Tale): string {
  const [command] = next(tale.flow, tale.run);
  return command?.ticket ?? "";
}
