// steps: default routes, ways back with notes, unclear verdicts, attempts over the whole graph, laps, extensions.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { agentStep, commandStep, flowOf, goto, judgeStep, retry, stepsFile } from "../../testing/files.js";
import { block, isQuestion, type Player, pass, Table } from "../../testing/index.js";
import type { Step, StepsFile } from "../config/schema/file.js";
import { LAPS_MAX } from "./limits.js";
import type { Verdict } from "./model.js";
import { NotNow } from "./refusal.js";
import { outcomeOf, viewOf } from "./view.js";

const commit: Pick<Step, "name" | "work"> = { name: "commit", work: { kind: "action", action: "commit", params: {} } };
/** dev → test → review → commit; test and review send back to dev, review leaves a verdict. */
const pipeline = (more: Partial<StepsFile> = {}) =>
  flowOf(
    stepsFile(
      [
        agentStep("dev"),
        commandStep("test", { onFail: retry("dev") }),
        judgeStep("review", { onFail: retry("dev") }),
        commit,
      ],
      more,
    ),
  );
const unclear = (): Verdict => block("no verdict line", { outcome: "unclear" });

/** What each step says, visit by visit; then it passes. */
const says =
  (script: Record<string, Verdict[]>): Player =>
  (command) => {
    if (isQuestion(command)) return undefined;
    return (command.do === "work" ? script[command.node.name]?.shift() : undefined) ?? pass();
  };
const always =
  (name: string, verdict: () => Verdict): Player =>
  (command) =>
    command.do === "work" && command.node.name === name ? verdict() : pass();

describe("routes of steps", () => {
  it("are by default the next step, success after the last, failure on a fail", () => {
    verifies("steps.route.defaults", "steps.route.no-hidden-loops");
    const flow = flowOf(stepsFile([commandStep("one"), commandStep("two")]));
    const good = new Table(flow, says({}));
    good.drive();
    expect([good.at, good.log]).toEqual(["success", ["one:pass", "two:pass", "checkpoint"]]);
    const bad = new Table(flow, says({ one: [block("red")] }));
    bad.drive();
    expect([bad.at, bad.log, outcomeOf(bad.run)]).toEqual(["failure", ["one:block", "checkpoint"], "failure"]);
    expect(viewOf(flow, bad.run).reason).toBe('"one" failed: red');
  });

  it("lead exactly where they are written to", () => {
    verifies("steps.route.targets");
    const steps = [
      commandStep("one", { onPass: goto("three"), onFail: { go: "success" } }),
      commandStep("two", { onPass: { go: "failure" } }),
      commandStep("three", { onFail: goto("two") }),
    ];
    // "two" stands before "three": the way back costs a lap
    const table = new Table(flowOf(stepsFile(steps)), says({ three: [block("x")] }));
    table.drive();
    expect([table.at, table.log.slice(0, 3)]).toEqual(["failure", ["one:pass", "three:block", "two:pass"]]);
    const short = new Table(flowOf(stepsFile(steps)), says({ one: [block("x")], three: [block("x")] }));
    short.drive();
    expect([short.at, short.log]).toEqual(["success", ["one:block", "checkpoint"]]);
  });

  it("of a gate lead by the first option to on_pass, by every other to on_fail", () => {
    const gate: Pick<Step, "name" | "work"> = {
      name: "ask",
      work: { kind: "gate", question: "Go on?", options: ["yes", "no", "never"] },
    };
    const flow = flowOf(stepsFile([gate, commandStep("one")]));
    for (const [option, place] of [
      ["yes", "work:one"],
      ["no", "failure"],
      ["never", "failure"],
    ] as const) {
      const table = new Table(flow);
      table.say(option);
      table.checkpoint();
      expect(table.at).toBe(place);
    }
  });

  it("of an action lead the same way whatever it says, and a failed commit is marked", () => {
    const table = new Table(
      pipeline(),
      always("commit", () => pass("not-committed")),
    );
    table.drive();
    expect([table.at, outcomeOf(table.run), viewOf(table.flow, table.run).exit]).toEqual([
      "success",
      "not-committed",
      5,
    ]);
  });
});

describe("a way back with retry", () => {
  it("spends an attempt and hands on what was wrong, the artifact and the output too", () => {
    verifies("steps.route.retry-feeds-back", "attempts.notes-accumulate");
    const review = {
      ...block("rename it"),
      output: "VERDICT: NEEDS CHANGES",
      artifacts: ["visits/review-1/review.md"],
    };
    const table = new Table(pipeline(), says({ test: [block("1 failed")], review: [review] }));
    table.drive();
    expect([table.at, table.visits("dev"), table.spent("attempts"), table.run.marks.retry]).toEqual([
      "success",
      3,
      2,
      2,
    ]);
    expect(table.run.notes).toEqual([
      { from: "test", visit: 1, outcome: "block", findings: [{ text: "1 failed", severity: "error" }] },
      {
        from: "review",
        visit: 1,
        outcome: "block",
        findings: [{ text: "rename it", severity: "error" }],
        output: "VERDICT: NEEDS CHANGES",
        artifacts: ["visits/review-1/review.md"],
      },
    ]);
  });

  it("is bounded over all steps together, the first attempt counted", () => {
    verifies("attempts.graph-wide", "attempts.exhausted");
    const script = { test: [block("a")], review: [block("b"), block("c")] };
    const table = new Table(pipeline({ maxAttempts: 3 }), says(script));
    table.drive();
    expect([table.at, outcomeOf(table.run), table.visits("dev")]).toEqual(["failure", "exhausted", 3]);
    expect(table.visits("commit")).toBe(0);
    expect(viewOf(table.flow, table.run)).toMatchObject({
      exit: 1,
      reason: 'exhausted: 3 attempts were made and "review" still fails',
      next: "pawl resume r1 --max-attempts 5",
      budgets: [{ name: "attempts", spent: 3, limit: 3, setBy: "max_attempts" }],
    });
  });

  it("with one attempt is none", () => {
    const table = new Table(pipeline({ maxAttempts: 1 }), says({ test: [block("a")] }));
    table.drive();
    expect([table.at, table.visits("dev")]).toEqual(["failure", 1]);
  });

  it("counts by the command line's number where one is given", () => {
    verifies("attempts.flag-overrides");
    const file = stepsFile([agentStep("dev"), commandStep("test", { onFail: retry("dev") })], { maxAttempts: 9 });
    const table = new Table(
      flowOf(file, { maxAttempts: 2 }),
      always("test", () => block("red")),
    );
    table.drive();
    expect([table.at, table.visits("dev")]).toEqual(["failure", 2]);
  });
});

describe("an unclear verdict", () => {
  it("asks the same step again, takes no route and spends an attempt", () => {
    const table = new Table(pipeline(), says({ review: [unclear()] }));
    table.drive();
    expect(table.log).toEqual(["dev:pass", "test:pass", "review:unclear", "review:pass", "commit:pass", "checkpoint"]);
    expect(table.spent("attempts")).toBe(1);
    expect(table.run.notes).toMatchObject([{ from: "review", outcome: "unclear" }]);
  });

  it("with no attempt left ends the run as failure", () => {
    const table = new Table(pipeline({ maxAttempts: 2 }), always("review", unclear));
    table.drive();
    expect([table.at, outcomeOf(table.run), table.visits("review")]).toEqual(["failure", "exhausted", 2]);
  });
});

describe("more attempts", () => {
  const exhausted = () => {
    const table = new Table(
      pipeline({ maxAttempts: 2 }),
      always("test", () => block("red")),
    );
    table.drive();
    return table;
  };
  const more = (table: Table, limit: number) =>
    table.send({ type: "extended", budget: "attempts", limit, was: 1 }, "ada");

  it("go on along the way that could not be paid, with those already made still counted", () => {
    verifies("resume.after-exhaustion", "resume.notes-intact");
    const table = exhausted();
    more(table, 3);
    expect([table.at, table.spent("attempts"), table.visits("dev")]).toEqual(["work:dev", 2, 3]);
    expect(table.run.notes).toHaveLength(2);
    table.drive();
    expect([table.at, table.visits("dev"), outcomeOf(table.run)]).toEqual(["failure", 4, "exhausted"]);
    expect(table.replay()).toEqual(table.run);
  });

  it("go on also when the end was not saved yet", () => {
    const table = new Table(pipeline({ maxAttempts: 1 }));
    table.answer(pass());
    table.answer(block("red"));
    expect(table.at).toBe("checkpoint>ended:failure");
    more(table, 1);
    expect([table.at, table.visits("dev")]).toEqual(["work:dev", 2]);
  });

  it("may be granted before they are needed", () => {
    const table = new Table(
      pipeline({ maxAttempts: 2 }),
      always("test", () => block("red")),
    );
    more(table, 4);
    table.drive();
    expect([table.at, table.visits("dev")]).toEqual(["failure", 5]);
  });

  it("are never fewer, and only of a budget that there is", () => {
    const table = exhausted();
    expect(() => more(table, 1)).toThrow("Cannot lower max_attempts: it is 2 already");
    expect(() => more(table, 0)).toThrow(NotNow);
    expect(() => table.send({ type: "extended", budget: "patience", limit: 9, was: 0 })).toThrow(
      'Cannot raise "patience": the loop has no such budget',
    );
    expect(table.at).toBe("failure");
  });

  it("do not bring back a run that ended for another reason", () => {
    const table = new Table(flowOf(stepsFile([agentStep("dev", { onFail: { go: "failure" } })])));
    table.answer(block("no"));
    table.checkpoint();
    expect(() => more(table, 9)).toThrow("Cannot raise max_attempts: the run is ended");
    expect(table.at).toBe("failure");
  });
});

describe("a way back without retry", () => {
  const lapping = () => {
    const flow = flowOf(stepsFile([agentStep("dev"), commandStep("test", { onFail: goto("dev") })]));
    const table = new Table(
      flow,
      always("test", () => block("red")),
    );
    table.drive();
    return table;
  };

  it("spends the hidden laps, then the run parks", () => {
    verifies("budget.every-cycle-bounded");
    const table = lapping();
    expect([table.at, table.visits("dev"), table.spent("laps")]).toEqual(["parked:exhausted", LAPS_MAX + 1, LAPS_MAX]);
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "red" }] });
    expect(() => table.send({ type: "extended", budget: "laps", limit: 999, was: 100 })).toThrow(
      /fixed when it was made/,
    );
  });

  it("that says the same again goes to the start where its budget says only to park", () => {
    const flow = flowOf(stepsFile([agentStep("dev"), commandStep("test", { onFail: retry("test") })]));
    const onRepeat = { park: "exhausted", reason: "it goes in circles", resume: "way" } as const;
    const circling = { ...flow, budgets: { attempts: { ...flow.budgets.attempts!, onRepeat } } };
    const table = new Table(
      circling,
      always("test", () => block("same")),
    );
    table.drive();
    expect([table.at, table.visits("test")]).toEqual(["parked:exhausted", 2]);
    table.resume();
    expect([table.at, table.visits("dev")]).toEqual(["work:dev", 2]);
  });

  it("goes on along the same way with fresh laps when a person resumes it", () => {
    const table = lapping();
    table.resume();
    expect([table.at, table.visits("dev"), table.spent("laps")]).toEqual(["work:dev", LAPS_MAX + 2, 0]);
    table.drive();
    expect([table.at, table.visits("dev")]).toEqual(["parked:exhausted", 2 * (LAPS_MAX + 1)]);
  });
});
