// What a way costs: all it names or nothing, refills after payment, repeats before emptiness, limits people raised.
import { describe, expect, it } from "vitest";
import { commandStep, flowOf, stepsFile } from "../../testing/files.js";
import { Table } from "../../testing/index.js";
import type { Budget, Flow, Route, Run, Verdict } from "./model.js";
import { limitOf, pay } from "./pay.js";

const budget = (limit: number, more: Partial<Budget> = {}): Budget => ({
  limit,
  first: 0,
  setBy: "a test",
  frozen: false,
  onExhausted: { end: "failure" },
  ...more,
});
const flowWith = (budgets: Record<string, Budget>): Flow => ({ ...flowOf(stepsFile([commandStep("a")])), budgets });
const start = (flow: Flow, more: Partial<Run> = {}): Run => ({ ...new Table(flow).run, ...more });
const way = (spend: string[], refill: string[] = []): Route => ({ to: { node: "a" }, spend, refill });
const said = (print?: string, tree?: string): Verdict => ({
  status: "block",
  findings: [],
  ...(print ? { print } : {}),
  ...(tree ? { evidence: { loop: "l", tree } } : {}),
});
const paid = (flow: Flow, run: Run, route: Route, verdict?: Verdict): Run => {
  const bill = pay(flow, run, route, verdict, "a");
  if (!bill.paid) throw new Error(`not paid: ${bill.diversion.because}`);
  return bill.run;
};

describe("paying", () => {
  it("costs nothing where nothing is named", () => {
    const flow = flowWith({});
    const run = start(flow);
    expect(pay(flow, run, { to: { node: "a" } }, undefined, "a")).toEqual({ paid: true, run });
  });

  it("notes what was said, about which tree, in which visit", () => {
    const flow = flowWith({ x: budget(9) });
    const run = paid(flow, paid(flow, start(flow), way(["x"]), said("p", "t")), way(["x"]));
    expect(run.purses.x).toEqual({ spent: 2, seen: [{ print: "p", tree: "t", visit: 1 }, { visit: 1 }] });
  });

  it("takes all it names or nothing, and says which was empty", () => {
    const flow = flowWith({ x: budget(9), y: budget(0, { onExhausted: { node: "b" } }) });
    const run = start(flow);
    const bill = pay(flow, run, way(["x", "y"]), said("p"), "a");
    expect(bill).toEqual({
      paid: false,
      to: { node: "b" },
      diversion: { budget: "y", because: "exhausted", from: "a", visit: 1 },
    });
    expect(run.purses).toEqual({});
  });

  it("refills after it has paid", () => {
    const flow = flowWith({ x: budget(1), y: budget(5) });
    const run = start(flow, { purses: { y: { spent: 5, seen: [{ print: "p", visit: 1 }] } } });
    expect(paid(flow, run, way(["x"], ["y"])).purses).toMatchObject({ x: { spent: 1 }, y: { spent: 0, seen: [] } });
  });

  it("forgets why the run was diverted before", () => {
    const flow = flowWith({ x: budget(1) });
    const diverted = { budget: "x", because: "repeat", from: "a", visit: 1 } as const;
    expect(paid(flow, start(flow, { diverted }), way(["x"]))).not.toHaveProperty("diverted");
  });

  it("never spends from a budget that does not exist", () => {
    const flow = flowWith({});
    expect(() => pay(flow, start(flow), way(["x"]), undefined, "a")).toThrow('unreachable: no budget "x"');
  });
});

describe("a limit", () => {
  it("is the author's until a person raises it, and nothing where there is no budget", () => {
    const flow = flowWith({ x: budget(2) });
    expect([
      limitOf(flow, start(flow), "x"),
      limitOf(flow, start(flow, { limits: { x: 5 } }), "x"),
      limitOf(flow, start(flow), "z"),
    ]).toEqual([2, 5, 0]);
  });

  it("allows exactly as many ways back", () => {
    const flow = flowWith({ x: budget(2) });
    const twice = paid(flow, paid(flow, start(flow), way(["x"])), way(["x"]));
    expect(pay(flow, twice, way(["x"]), undefined, "a").paid).toBe(false);
    expect(pay(flow, { ...twice, limits: { x: 3 } }, way(["x"]), undefined, "a").paid).toBe(true);
  });
});

describe("a repeat", () => {
  const seen = [
    { print: "p", tree: "t", visit: 4 },
    { print: "q", visit: 6 },
  ];
  const flow = flowWith({ x: budget(9, { onRepeat: { node: "b" } }) });
  const run = () => start(flow, { purses: { x: { spent: 2, seen } } });
  const diversion = (verdict: Verdict | undefined) => {
    const bill = pay(flow, run(), way(["x"]), verdict, "a");
    return bill.paid ? undefined : bill.diversion;
  };

  it("is the same print or the same tree, anywhere in this fill", () => {
    expect(diversion(said("p"))).toEqual({
      budget: "x",
      because: "repeat",
      from: "a",
      visit: 1,
      earlier: 4,
      print: "p",
    });
    expect(diversion(said("q", "u"))).toMatchObject({ earlier: 6, print: "q" });
    expect(diversion(said("new", "t"))).toMatchObject({ earlier: 4, print: "new" });
    expect(diversion(said(undefined, "t"))).toEqual({
      budget: "x",
      because: "repeat",
      from: "a",
      visit: 1,
      earlier: 4,
    });
  });

  it("is nothing new, and nothing that says neither", () => {
    expect(diversion(said("new", "u"))).toBeUndefined();
    expect(diversion(said())).toBeUndefined();
    expect(diversion(undefined)).toBeUndefined();
  });

  it("of nothing with nothing is none", () => {
    const blank = start(flow, { purses: { x: { spent: 1, seen: [{ visit: 1 }] } } });
    expect(pay(flow, blank, way(["x"]), said(), "a").paid).toBe(true);
  });

  it("leads where it says, also from an empty purse", () => {
    const empty = start(flow, { purses: { x: { spent: 9, seen } } });
    expect(pay(flow, empty, way(["x"]), said("p"), "a")).toMatchObject({
      to: { node: "b" },
      diversion: { because: "repeat" },
    });
  });

  it("does not matter to a budget that does not look for it", () => {
    const plain = flowWith({ x: budget(9) });
    expect(pay(plain, start(plain, { purses: { x: { spent: 2, seen } } }), way(["x"]), said("p"), "a").paid).toBe(true);
  });
});
