// fans: several answers at once or in turn, the worst wins, and what was heard is not asked again.
import { describe, expect, it } from "vitest";
import { doerFile, flowOf, skillsFile, validator } from "../../testing/files.js";
import { block, error, pass, Table, warning } from "../../testing/index.js";
import { worstOf } from "./fan.js";
import type { Verdict, Work } from "./model.js";
import { StaleAnswer } from "./refusal.js";

const performers = Object.fromEntries(["ann", "bob", "cy"].map((name) => [name, { use: "command" }]));
const reviewers = () => {
  const table = new Table(
    flowOf(doerFile({ reviewers: ["ann", "bob", "cy"], performers: { ...performers, dev: { use: "command" } } })),
  );
  table.answer(pass());
  table.answer(pass()); // the hook that looks for changes
  return table;
};
const orders = [
  ["ann", "bob", "cy"],
  ["cy", "bob", "ann"],
  ["bob", "ann", "cy"],
];

describe("branches side by side", () => {
  it("are all open at once, each with its own ticket", () => {
    const table = reviewers();
    expect(table.open.map((command) => command.do === "work" && command.branch)).toEqual(["ann", "bob", "cy"]);
    expect(new Set(table.open.map((command) => command.ticket)).size).toBe(3);
  });

  it.each(orders)("give the worst verdict whoever answers first: %s, %s, %s", (...order) => {
    const says: Record<string, Verdict> = {
      ann: pass("approved"),
      bob: block("B"),
      cy: pass("approved-with-warnings"),
    };
    const table = reviewers();
    for (const name of order) table.answer(says[name]!, name);
    expect([table.at, table.run.results.reviewer?.print]).toEqual(["work:doer", "B"]);
    expect(table.run.results["reviewer/cy"]?.outcome).toBe("approved-with-warnings");
  });

  it.each(orders)("approve with warnings when the worst of them does: %s, %s, %s", (...order) => {
    const table = reviewers();
    for (const name of order) table.answer(pass(name === "bob" ? "approved-with-warnings" : "approved"), name);
    table.drive();
    expect([table.at, table.run.marks.warning]).toEqual(["success", 1]);
  });

  it("keep the other tickets good when one has answered, and refuse the one that has", () => {
    const table = reviewers();
    const [ann, bob] = table.open;
    table.answer(pass("approved"), "ann");
    expect(table.at).toBe("work:reviewer+ann");
    expect(table.open.map((command) => command.ticket)).toContain(bob?.ticket);
    expect(() => table.send({ type: "verdict", ticket: ann!.ticket, verdict: pass() })).toThrow(StaleAnswer);
  });

  it("ask after a fault only those that were not heard, and the answer heard still counts", () => {
    const table = reviewers();
    table.answer(block("A"), "ann");
    table.fault("no engine", "bob");
    expect(table.at).toBe("parked:fault");
    table.resume();
    expect(table.open.map((command) => command.do === "work" && command.branch)).toEqual(["bob", "cy"]);
    table.answer(pass("approved"), "cy");
    table.answer(pass("approved"), "bob");
    expect([table.at, table.run.results.reviewer?.status]).toEqual(["work:doer", "block"]);
  });

  it("count the starts of each branch alone", () => {
    const table = reviewers();
    const [ann, bob] = table.open;
    const begin = (ticket: string) => table.send({ type: "begun", ticket, performer: "x" });
    for (let i = 0; i < 3; i++) {
      begin(ann!.ticket);
      begin(bob!.ticket);
    }
    table.answer(pass("approved"), "ann");
    expect(table.run.tries).toEqual({ [bob!.ticket]: 3 });
    begin(bob!.ticket);
    table.checkpoint();
    expect(table.at).toBe("parked:crash-loop");
  });

  it("charge each branch alone, and keep each one's session", () => {
    const table = reviewers();
    for (const [i, command] of table.open.entries()) {
      const told = { ticket: command.ticket, verdict: pass("approved"), spent: { ms: i + 1 }, session: `s${i}` };
      table.send({ type: "verdict", ...told });
    }
    expect(table.run.spent).toMatchObject({
      "reviewer/ann": { ms: 1 },
      "reviewer/bob": { ms: 2 },
      "reviewer/cy": { ms: 3 },
    });
    expect(table.run.sessions).toEqual({ "reviewer/ann": "s0", "reviewer/bob": "s1", "reviewer/cy": "s2" });
  });

  it("begin the next visit with nothing heard", () => {
    const table = reviewers();
    for (const name of ["ann", "bob", "cy"]) table.answer(block(name), name);
    table.answer(pass());
    table.answer(pass());
    expect([table.at, table.open.length]).toEqual(["work:reviewer", 3]);
  });
});

describe("branches in turn", () => {
  it("are asked one after another in the author's order, the next ticket only then", () => {
    const flow = flowOf(skillsFile(["plan"], { validators: [validator("tests", true), validator("docs", true)] }));
    const table = new Table(flow);
    table.answer(pass());
    expect(table.open).toMatchObject([{ branch: "tests" }]);
    expect(() => table.send({ type: "verdict", ticket: ":validators/docs@2", verdict: pass() })).toThrow(StaleAnswer);
    table.answer(block("red"));
    expect(table.open).toMatchObject([{ branch: "docs" }]);
  });
});

describe("the worst of several verdicts", () => {
  const branch = { kind: "check", hook: "h", params: null } as const;
  const fan = (order: string[], ...names: string[]): Extract<Work, { kind: "fan" }> => ({
    kind: "fan",
    branches: Object.fromEntries(names.map((name) => [name, branch])),
    inTurn: false,
    order,
  });
  const order = ["pass", "optional", "block"];

  it("keeps every finding, output and artifact in the order of the branches, and the prints of the blocks sorted", () => {
    const answers = {
      c: { ...block("x"), output: "c says", artifacts: ["c.md"] },
      a: { ...pass(undefined, [warning("w")]), output: "a says", print: "never" },
      b: block("y"),
    };
    expect(worstOf(fan(order, "a", "b", "c"), answers)).toEqual({
      status: "block",
      findings: [warning("w"), error("y"), error("x")],
      print: "x+y",
      output: "a: a says\nc: c says",
      artifacts: ["c.md"],
    });
  });

  it("has no print and no output where none of them has", () => {
    const worst = worstOf(fan(order, "a", "b"), { a: pass(), b: pass("optional") });
    expect(worst).toEqual({ status: "pass", outcome: "optional", findings: [], artifacts: [] });
    const silent: Verdict = { status: "block", findings: [] };
    expect(worstOf(fan(order, "a", "b"), { a: silent, b: block("y") }).print).toBe("y");
    expect(worstOf(fan(order, "a", "b"), { a: silent, b: pass() })).not.toHaveProperty("print");
  });

  it("takes an outcome nobody ordered for worse than all, a block for worse than a pass", () => {
    const two = fan(order, "a", "b");
    expect(worstOf(two, { a: block("x"), b: pass("strange") }).outcome).toBe("strange");
    expect(worstOf(two, { a: pass("strange"), b: { ...block("x"), outcome: "odd" } }).outcome).toBe("odd");
    expect(worstOf(two, { a: { ...block("x"), outcome: "odd" }, b: pass("strange") }).outcome).toBe("odd");
  });

  it("is the first of several that are equally bad", () => {
    const two = fan(order, "a", "b");
    const evidence = (tree: string) => ({ evidence: { loop: "l", tree } });
    expect(worstOf(two, { b: block("x", evidence("2")), a: block("x", evidence("1")) }).evidence?.tree).toBe("1");
  });

  it("passes over branches that were not heard", () => {
    expect(worstOf(fan(order, "a", "b"), { b: pass("optional") }).outcome).toBe("optional");
  });
});
