import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText, Tale } from "../../test/harness/tale.js";
import { EXPLAIN_VISITS_MAX, explain } from "./explain.js";

const PIPELINE = exampleFlow("pipeline");
const why = (tale: Tale, step?: string) => explain(tale.flow, tale.run, tale.events, step);

describe("explain", () => {
  it("says at the start that nothing else has happened", () => {
    expect(why(new Tale(PIPELINE))).toMatchObject({
      where: "dev",
      visit: 1,
      since: "2026-11-30T14:00:00.000Z",
      rule: `The run starts at "dev", the loop's first step.`,
      others: [],
      visits: [],
    });
  });

  it("names the route, what it costs, the evidence and the other ways", () => {
    const evidence = { loop: "l".repeat(64), tree: "t".repeat(64) };
    const tale = new Tale(PIPELINE).passes().fails("exit code 1", { evidence, print: "abc" });
    const told = why(tale);
    expect(told.rule).toBe(
      '"test" ends as "block" on visit 1. That outcome leads to "dev". The way spends max_attempts: attempt 2 of 10.',
    );
    expect(told.evidence).toMatchObject({ from: "test", visit: 1, verdict: "block", print: "abc", ...evidence });
    expect(told.others).toEqual([
      { from: "test", outcome: "pass", leads: '"review"', costs: "", taken: false },
      {
        from: "test",
        outcome: "block",
        leads: '"dev"',
        costs: "spends max_attempts",
        instead: "failure when max_attempts is used up",
        taken: true,
      },
    ]);
    expect(told.ahead.map((way) => way.leads)).toEqual(['"test"', "failure"]);
    expect(told.counters).toEqual([{ name: "attempts", spent: 2, limit: 10, setBy: "max_attempts", frozen: false }]);
  });

  it("says of an exhausted run which budget ended it and what to type", () => {
    const flow = flowOfText(
      'name: x\nmax_attempts: 2\nsteps: [{name: t, command: "true", on_fail: {goto: t, retry: true}}]',
    );
    const told = why(new Tale(flow).fails("one").fails("two"));
    expect(told).toMatchObject({ status: "failed", outcome: "exhausted", where: "failure (exhausted)" });
    expect(told.rule).toBe(
      '"t" ends as "block" on visit 2. The way to "t" costs max_attempts, and all 2 are used up: the run goes to failure (exhausted) instead.',
    );
    expect(told.reason).toContain("2 attempts were made");
    expect(told.next).toBe("pawl resume x-1 --max-attempts 4");
    expect(told.visits.map((visit) => [visit.visit, visit.findings[0]?.text])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("says of an oscillation which visits agree", () => {
    const tale = new Tale(exampleFlow("phase")).passes().fails("x", { print: "aaaaaaaaaaaa" });
    tale.passes().fails("x", { print: "aaaaaaaaaaaa" });
    expect(why(tale).rule).toBe(
      '"reviewer" ends as "block" on visit 2. Visit 2 says what visit 1 said, or is about the same tree (hash aaaaaaaaaaaa): the loop goes in circles. The way to "doer" is not taken, the run goes to gate instead.',
    );
  });

  it("keeps the reason while the checkpoint of a park is written, and after it", () => {
    const tale = new Tale(PIPELINE).add({ type: "stopped", code: "paused", reason: "lunch" }, "user-a");
    const before = why(tale);
    tale.add({ type: "checkpointed", ticket: `checkpoint@${tale.run.since}` });
    expect(why(tale)).toEqual(before);
    expect(before).toMatchObject({
      where: "parked (paused): lunch",
      rule: "user-a stops the run (paused): lunch.",
      by: "user-a",
    });
  });

  it("says of a fault what the world could not do", () => {
    const error = { code: "sbx-no-engine", message: "there is no sandbox", hint: "apt-get install bubblewrap" };
    const tale = new Tale(PIPELINE).add({ type: "fault", ticket: "dev@1", error });
    expect(why(tale).rule).toBe(
      "The world cannot do what is asked (sbx-no-engine): there is no sandbox. apt-get install bubblewrap. No attempt is spent; a resume asks again.",
    );
  });

  it("tells every visit of a step that is asked for, with who answered", () => {
    const tale = new Tale(exampleFlow("phase")).passes().fails("x", { print: "a" }).passes().fails("x", { print: "a" });
    tale.answers("continue", "go");
    expect(why(tale, "gate").visits).toMatchObject([{ visit: 1, outcome: "continue", who: "user-a", comment: "go" }]);
    expect(why(tale, "doer").visits.map((visit) => visit.outcome)).toEqual(["pass", "pass", undefined]);
    expect(() => why(tale, "dore")).toThrow('Loop "phase" has no step "dore"');
  });

  it("shows the last visits and counts the others", () => {
    const flow = flowOfText(
      'name: x\nmax_attempts: 200\nsteps: [{name: t, command: "true", on_fail: {goto: t, retry: true}}]',
    );
    const tale = new Tale(flow);
    for (let n = 0; n < EXPLAIN_VISITS_MAX + 3; n++) tale.fails(`finding ${n}`);
    const { visits, visitsLeftOut } = why(tale);
    expect([visits.length, visitsLeftOut, visits[0]?.visit]).toEqual([EXPLAIN_VISITS_MAX, 3, 4]);
  });
});
