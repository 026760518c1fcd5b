import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText } from "../../test/harness/tale.js";
import { verifies } from "../../test/harness/verifies.js";
import { BOUND_MAX, gatesBefore, gatesBeforeSuccess, stepsOnCycle, visitsAtMost } from "./bounds.js";
import type { Flow } from "./model.js";

const steps = (count: number, onFail = "failure"): string =>
  [
    "name: x",
    "max_attempts: 4",
    "steps:",
    ...Array.from({ length: count }, (_, i) => `  - {name: s${i}, command: "true", on_fail: ${onFail}}`),
  ].join("\n");

describe("most visits", () => {
  it("are the attempts for the steps on the way back, and 1 for the others", () => {
    expect(visitsAtMost(exampleFlow("pipeline"))).toEqual({ dev: 10, test: 10, review: 10, qa: 10, commit: 1 });
  });

  it("are max_iter × max_resets for a doer", () => {
    verifies("cap.hard");
    expect(visitsAtMost(exampleFlow("phase"))).toMatchObject({ doer: 15, reviewer: 15 });
    const short =
      'name: x\nagents: {a: {use: command, run: "true"}}\ndoer: a\nreviewer: a\nmax_iter: 2\nmax_resets: 2\n';
    expect(visitsAtMost(flowOfText(short))).toMatchObject({ doer: 4, reviewer: 4 });
  });

  it("count the first round and each repeat of a condition", () => {
    expect(visitsAtMost(exampleFlow("dev"))).toMatchObject({ commit: 21, ":validators": 21 });
  });

  it("are given for every node, and are finite", () => {
    for (const name of ["dev", "phase", "pipeline", "design", "validate"]) {
      const flow = exampleFlow(name);
      const bounds = visitsAtMost(flow);
      expect(Object.keys(bounds)).toEqual(Object.keys(flow.nodes));
      for (const bound of Object.values(bounds)) expect(bound).toBeLessThan(BOUND_MAX);
    }
  });

  it("count the refills of repairs by laps and by a person", () => {
    // 100 laps, 3 rounds, repairs 3 × (1 + 100 + 3), and the first visit
    expect(visitsAtMost(exampleFlow("design")).design).toBe(1 + 100 + 3 + 312);
  });

  it("stop at a limit where budgets refill each other", () => {
    const flow = circular();
    expect(visitsAtMost(flow).dev).toBe(BOUND_MAX);
  });

  it("are found for a thousand steps in a row, and for a thousand on one cycle", () => {
    expect(visitsAtMost(flowOfText(steps(1000))).s999).toBe(1);
    expect(visitsAtMost(flowOfText(steps(1000, "{goto: s0, retry: true}"))).s500).toBe(4);
  });
});

describe("steps on a cycle", () => {
  it("are those that can come again", () => {
    expect(stepsOnCycle(exampleFlow("pipeline"))).toEqual(["dev", "test", "review", "qa"]);
    expect(stepsOnCycle(exampleFlow("validate"))).toEqual([]);
  });
});

describe("gates on every path", () => {
  it("to a commit are all that judge before it", () => {
    expect(gatesBefore(exampleFlow("pipeline"), "commit")).toEqual(["test", "review", "qa"]);
  });

  it("to success count people, validators and conditions", () => {
    expect(gatesBeforeSuccess(exampleFlow("dev"))).toEqual([
      "gate-after:implement-next-phase",
      "gate-after:commit",
      ":validators",
      ":until",
    ]);
    expect(gatesBeforeSuccess(exampleFlow("phase"))).toEqual(["reviewer"]);
    expect(gatesBeforeSuccess(exampleFlow("design"))).toEqual(["approve-design", "build"]);
  });

  it("leave out a step whose failure goes on all the same, and one that a way goes round", () => {
    const flow = flowOfText(`name: x
agents: {a: {use: command, run: "true"}}
steps:
  - {name: lint, command: "true", on_pass: test, on_fail: test}
  - {name: test, command: "true", on_pass: ask, on_fail: mend}
  - {name: mend, agent: a, on_pass: ship}
  - {name: ask, gate: "Ship it?"}
  - {name: ship, action: commit, params: {message: "x"}}
`);
    expect(gatesBefore(flow, "ship")).toEqual([]);
  });

  it("are found among a thousand steps", () => {
    expect(gatesBefore(flowOfText(steps(1000)), "s999")).toHaveLength(999);
  });
});

/** a pays for b, b pays for a: no file can say it. */
function circular(): Flow {
  const flow = structuredClone(exampleFlow("pipeline"));
  const budget = { limit: 3, first: 0 as const, setBy: "x", frozen: true, onExhausted: { end: "failure" as const } };
  flow.budgets = { ...flow.budgets, a: budget, b: budget };
  if (flow.nodes.test) flow.nodes.test.routes.block = { to: { node: "dev" }, spend: ["a"], refill: ["b"] };
  if (flow.nodes.qa) flow.nodes.qa.routes.block = { to: { node: "dev" }, spend: ["b"], refill: ["a"] };
  return flow;
}
