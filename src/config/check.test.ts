// What a lowered flow must satisfy: a route for every outcome, every node reached, every cycle paid for.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import {
  agentStep,
  commandStep,
  doerFile,
  flowOf,
  humanNode,
  known,
  nodesFile,
  retry,
  skillsFile,
  stepsFile,
  use,
  validator,
} from "../../testing/files.js";
import type { Budget, Flow, Node, Route } from "../core/model.js";
import { checkFlow } from "./check.js";
import type { Issue } from "./issues.js";

const issuesOf = (flow: Flow): Issue[] => {
  const issues: Issue[] = [];
  checkFlow(flow, "loop.yaml", known(), issues);
  return issues;
};
const pipeline = () => flowOf(stepsFile([agentStep("dev"), commandStep("test", { onFail: retry("dev") })]));
/** `flow` with one route of one node written anew. */
const rerouted = (flow: Flow, name: string, outcome: string, route: Route | undefined): Flow => {
  const node = flow.nodes[name]!;
  const { [outcome]: _, ...rest } = node.routes;
  return {
    ...flow,
    nodes: { ...flow.nodes, [name]: { ...node, routes: { ...rest, ...(route ? { [outcome]: route } : {}) } } },
  };
};
const to = (node: string, more: Omit<Route, "to"> = {}): Route => ({ to: { node }, ...more });
const budget = (more: Partial<Budget> = {}): Budget => ({
  limit: 1,
  first: 0,
  setBy: "a test",
  frozen: false,
  onExhausted: { end: "failure" },
  ...more,
});

describe("all four bodies", () => {
  it("lower to flows without a complaint", () => {
    const files = [
      skillsFile(["plan"], {
        validators: [validator("tests", true)],
        repeatUntil: "all_phases_complete",
        humanGate: true,
      }),
      stepsFile([agentStep("dev"), commandStep("test", { onFail: retry("dev") })]),
      doerFile(),
      nodesFile([humanNode("ok", { exit: [use("classify")], on: humanOn() })]),
    ];
    for (const file of files) expect(issuesOf(flowOf(file))).toEqual([]);
  });
  const humanOn = () =>
    Object.fromEntries(
      ["approved", "approved-with-comments", "changes-requested", "block"].map((o) => [o, { go: "success" as const }]),
    );
});

describe("an outcome", () => {
  it("without a route is named, with the node, its line and the mend", () => {
    expect(issuesOf(rerouted(pipeline(), "test", "block", undefined))).toEqual([
      {
        code: "no-way-out",
        path: "loop.yaml",
        line: 1,
        col: 1,
        message: '"test" can end as "block" but nothing says where that leads',
        hint: "write block: under its routes",
        severity: "error",
      },
    ]);
  });

  it("that nothing produces makes its route a dead one", () => {
    const [issue] = issuesOf(rerouted(pipeline(), "test", "approved", to("dev", { spend: ["attempts"] })));
    expect(issue).toMatchObject({
      code: "dead-route",
      message: '"test" has a route for "approved", which it never ends as',
      hint: "it can end as pass, block",
    });
  });
});

describe("a node", () => {
  const alone: Node = { ...pipeline().nodes.dev!, name: "alone", routes: { pass: to("dev"), block: to("dev") } };

  it("that no route leads to is named", () => {
    const flow = pipeline();
    const issues = issuesOf({ ...flow, nodes: { ...flow.nodes, alone } });
    expect(issues.map((issue) => [issue.code, issue.message])).toEqual([
      ["unreachable", '"alone" can never be reached: no route leads to it'],
    ]);
  });

  it("is reached by a budget that is used up or repeats, and by a person who resumes", () => {
    const flow = pipeline();
    const nodes = {
      ...flow.nodes,
      alone: {
        ...alone,
        routes: { pass: { to: { end: "failure" } }, block: { to: { end: "failure" } } } as Node["routes"],
      },
    };
    const resume = { park: "exhausted" as const, reason: "x", resume: to("alone") };
    for (const attempts of [
      budget({ onExhausted: { node: "alone" } }),
      budget({ onRepeat: { node: "alone" } }),
      budget({ onExhausted: resume }),
    ])
      expect(issuesOf({ ...flow, nodes, budgets: { attempts } })).toEqual([]);
    expect(issuesOf(rerouted({ ...flow, nodes }, "dev", "block", { to: resume }))).toEqual([]);
  });
});

describe("a way round", () => {
  const endless = (flow: Flow) => issuesOf(flow).filter((issue) => issue.code === "endless");

  it("that nobody pays is refused with its whole round and the mend", () => {
    verifies("budget.every-cycle-bounded");
    expect(endless(rerouted(pipeline(), "test", "block", to("dev")))).toMatchObject([
      {
        message: "the loop can go round dev → test → dev for ever",
        hint: "let one of these ways back spend an attempt: {goto: …, retry: true}",
      },
    ]);
  });

  it("of one node to itself is one too", () => {
    expect(endless(rerouted(pipeline(), "test", "block", to("test")))).toMatchObject([
      { message: "the loop can go round test → test for ever" },
    ]);
  });

  it("that is free only once its budget is used up is refused as well", () => {
    for (const more of [{ onExhausted: { node: "dev" } }, { onRepeat: { node: "dev" } }])
      expect(endless({ ...pipeline(), budgets: { attempts: budget(more) } })).toHaveLength(1);
  });

  it("may lead through a park: a person stands between", () => {
    const parked: Route = { to: { park: "paused", reason: "x", resume: to("dev") } };
    expect(endless(rerouted(pipeline(), "test", "block", parked))).toEqual([]);
  });

  it("is found behind nodes that were looked at before", () => {
    const flow = rerouted(pipeline(), "test", "block", to("dev"));
    expect(endless({ ...flow, start: "test" })).toHaveLength(1);
  });

  it("is looked for in a thousand steps in a row without exhausting the stack", () => {
    expect(endless(flowOf(stepsFile(Array.from({ length: 1_000 }, (_, i) => commandStep(`s${i}`)))))).toEqual([]);
  });
});

describe("a refill", () => {
  const refilling = (...ways: [string, Omit<Route, "to">][]) => {
    const flow = { ...pipeline(), budgets: { x: budget(), y: budget(), z: budget() } };
    const spent = rerouted(flow, "test", "block", to("dev", { spend: ["z"] }));
    return issuesOf(ways.reduce((made, [name, way]) => rerouted(made, name, "block", to("dev", way)), spent)).map(
      (each) => each.message,
    );
  };

  it("must be paid with another budget", () => {
    verifies("budget.every-cycle-bounded");
    const message = '"test" refills "x" without spending another budget, so it could go on for ever';
    expect(refilling(["test", { spend: ["x"], refill: ["x"] }], ["dev", { spend: ["z"] }])).toEqual([message]);
    expect(refilling(["test", { spend: ["x", "y"], refill: ["x"] }], ["dev", { spend: ["z"] }])).toEqual([]);
  });

  it("may be paid with a budget that is refilled by a third", () => {
    expect(refilling(["test", { spend: ["y"], refill: ["x"] }], ["dev", { spend: ["z"], refill: ["y"] }])).toEqual([]);
  });

  it("may not go round: two budgets that pay for each other pay nothing", () => {
    verifies("budget.every-cycle-bounded");
    const ways: [string, Omit<Route, "to">][] = [
      ["test", { spend: ["y"], refill: ["x"] }],
      ["dev", { spend: ["x"], refill: ["y"] }],
    ];
    expect(refilling(...ways)).toEqual([
      '"dev" refills "y" for "x", which it pays for in turn, so it could go on for ever',
      '"test" refills "x" for "y", which it pays for in turn, so it could go on for ever',
    ]);
  });
});
