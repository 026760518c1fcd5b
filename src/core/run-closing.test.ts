// What stands between the last skill and success: validators and their policies, rounds, what follows.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { flowOf, skillsFile, validator } from "../../testing/files.js";
import { block, error, isQuestion, type Player, pass, Table, warning } from "../../testing/index.js";
import type { SkillsFile } from "../config/schema/file.js";
import type { Verdict } from "./model.js";
import { recordOf } from "./record.js";
import { NotNow } from "./refusal.js";
import { outcomeOf, statusOf, viewOf } from "./view.js";

const SKILLS = ["plan", "build", "commit"];
const loop = (more: Partial<SkillsFile> = {}) => flowOf(skillsFile(SKILLS, more));
const judged = (more: Partial<SkillsFile> = {}) => loop({ validators: [validator("tests", true)], ...more });

/** Everybody passes, but a validator says `verdict()`. */
const validatorsSay =
  (verdict: () => Verdict | undefined): Player =>
  (command) => {
    if (isQuestion(command)) return undefined;
    return command.do === "work" && command.node.name === ":validators" ? verdict() : pass();
  };
const optional = () => pass("optional", [error("coverage is 71 %")]);

describe("a required check that fails", () => {
  it("pauses the run with its reason, chains nothing, and is asked again on resume without the skills", () => {
    verifies("policy.required.pause");
    let red = true;
    const flow = judged({ onComplete: { success: "validate", failure: "mend" } });
    const table = new Table(
      flow,
      validatorsSay(() => (red ? block("2 tests failed") : pass())),
    );
    table.drive();
    expect(table.at).toBe("parked:validation-failed");
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "2 tests failed" }] });
    expect(outcomeOf(table.run)).toBe("failure");
    expect(table.log.filter((line) => line.startsWith("chain"))).toEqual([]);
    red = false;
    table.resume();
    table.drive();
    expect(table.at).toBe("success");
    expect([table.visits("commit"), table.visits(":validators")]).toEqual([1, 2]);
  });

  it("with failure_handling fail ends the run for good, and repeat_until cannot bring it back", () => {
    verifies("policy.required.fail");
    const more = {
      failureHandling: "fail",
      repeatUntil: "all_phases_complete",
      onComplete: { failure: "mend" },
    } as const;
    const table = new Table(
      judged(more),
      validatorsSay(() => block("red")),
    );
    table.drive();
    expect(table.at).toBe("failure");
    expect(table.log.slice(-2)).toEqual(["checkpoint", "chain mend"]);
    expect(() => table.resume()).toThrow(NotNow);
    expect(() => table.send({ type: "extended", budget: "attempts", limit: 9, was: 3 })).toThrow(NotNow);
    expect(table.visits(":until")).toBe(0);
  });

  it("with failure_handling retry runs the skills again with the complaint, as often as max_attempts says", () => {
    verifies("policy.required.retry");
    const flow = judged({ failureHandling: "retry", maxAttempts: 3 });
    const table = new Table(
      flow,
      validatorsSay(() => block("red")),
    );
    table.drive();
    expect(table.at).toBe("failure");
    expect([table.visits("plan"), table.visits("commit")]).toEqual([3, 3]);
    expect(table.run.notes.map((note) => note.findings[0]?.text)).toEqual(["red", "red", "red"]);
    expect(outcomeOf(table.run)).toBe("exhausted");
    expect(viewOf(flow, table.run)).toMatchObject({ exit: 1, status: "failed" });
  });
});

describe("optional checks that fail", () => {
  it("are passed over by proceed, which chains as a success", () => {
    verifies("policy.optional.proceed", "chain.on-success");
    const more = { onOptionalFailure: "proceed", onComplete: { success: "validate", warning: "tidy" } } as const;
    const table = new Table(judged(more), validatorsSay(optional));
    table.drive();
    expect([table.at, outcomeOf(table.run), table.log.at(-1)]).toEqual(["success", "success", "chain validate"]);
  });

  it("are a warning by warn, which follows on_warning only", () => {
    verifies("policy.optional.warn", "chain.on-failure-and-warning");
    const table = new Table(judged({ onComplete: { success: "validate", warning: "tidy" } }), validatorsSay(optional));
    table.drive();
    expect([table.at, outcomeOf(table.run), table.log.at(-1)]).toEqual(["success", "warning", "chain tidy"]);
    expect(table.run.notes.at(-1)?.findings[0]?.text).toBe("coverage is 71 %");
    const alone = new Table(judged({ onComplete: { success: "validate" } }), validatorsSay(optional));
    alone.drive();
    expect(alone.log.at(-1)).toBe("checkpoint");
  });

  it("pause the run by pause, with the checks named, until a person goes on with a warning", () => {
    verifies("policy.optional.pause");
    const more = { onOptionalFailure: "pause", onComplete: { success: "validate", warning: "tidy" } } as const;
    const table = new Table(judged(more), validatorsSay(optional));
    table.drive();
    expect(table.at).toBe("parked:optional-failed");
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "coverage is 71 %" }] });
    expect(outcomeOf(table.run)).toBeNull();
    table.resume();
    table.drive();
    expect([table.at, outcomeOf(table.run), table.log.at(-1)]).toEqual(["success", "warning", "chain tidy"]);
    expect(table.visits(":validators")).toBe(1);
  });

  it("do not decide where a required one fails too", () => {
    verifies("policy.required-before-optional");
    const flow = loop({
      validators: [validator("tests", true), validator("docs", false)],
      onOptionalFailure: "proceed",
    });
    const table = new Table(flow, (command) => {
      if (command.do !== "work" || command.node.name !== ":validators") return pass();
      return command.branch === "tests" ? block("red") : optional();
    });
    table.drive();
    expect(table.at).toBe("parked:validation-failed");
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "red" }, { text: "coverage is 71 %" }] });
  });
});

describe("validators", () => {
  it("are asked in turn, all of them, although the first has failed", () => {
    const flow = loop({ validators: [validator("tests", true), validator("docs", true), validator("tests", true)] });
    const table = new Table(
      flow,
      validatorsSay(() => block("no")),
    );
    table.drive();
    expect(table.log.slice(3)).toEqual([
      ":validators/tests:block",
      ":validators/docs:block",
      ":validators/tests#3:block",
      "checkpoint",
    ]);
  });

  it("decide by status and outcome alone, whatever else they print", () => {
    verifies("policy.loop-and-checks-decide");
    const noisy = () => ({ ...pass(), output: "FAILED! VERDICT: BLOCKED", report: { pass: false, message: "no" } });
    const table = new Table(judged(), validatorsSay(noisy));
    table.drive();
    expect([table.at, outcomeOf(table.run)]).toEqual(["success", "success"]);
  });

  it("keep the warnings of what passed", () => {
    const table = new Table(
      judged(),
      validatorsSay(() => pass(undefined, [warning("slow"), error("never kept")])),
    );
    table.drive();
    expect(table.run.warnings).toEqual([warning("slow")]);
  });
});

describe("repeat_until", () => {
  const rounds = (left: number, more: Partial<SkillsFile> = {}) => {
    const flow = judged({ repeatUntil: "all_phases_complete", ...more });
    return new Table(flow, (command) =>
      command.do === "work" && command.node.name === ":until" && left-- > 0 ? block(`phase ${left} is left`) : pass(),
    );
  };

  it("goes back to the first skill while the condition is not met, and counts the round", () => {
    verifies("iterate.unmet", "iterate.met", "task.field.iteration-count");
    const table = rounds(2);
    const words = new Set<string>();
    while (table.at !== "success") {
      words.add(statusOf(table.flow, table.run));
      table.drive(1000);
    }
    expect([table.visits("plan"), table.visits(":validators"), table.run.marks.iterating]).toEqual([3, 3, 2]);
    const record = recordOf(table.flow, table.replay(), { started: "", now: "", head: "" });
    expect(record).toMatchObject({ iteration_count: 2, status: "complete", outcome: "success" });
  });

  it("passes through iterating, at the first skill with none completed", () => {
    verifies("iterate.unmet", "state.transitions");
    const table = new Table(judged({ repeatUntil: "all_phases_complete" }));
    const seen = [statusOf(table.flow, table.run)];
    const act = (step: () => void) => {
      step();
      const word = statusOf(table.flow, table.run);
      if (seen.at(-1) !== word) seen.push(word);
    };
    for (let i = 0; i < 4; i++) act(() => table.answer(pass()));
    act(() => table.answer(block("one phase is left")));
    const record = recordOf(table.flow, table.run, { started: "", now: "", head: "" });
    expect(record).toMatchObject({ status: "iterating", current_skill_index: 0, skills_completed: [], outcome: null });
    act(() => table.begin());
    for (let i = 0; i < 5; i++) act(() => table.answer(pass()));
    act(() => table.checkpoint());
    expect(seen).toEqual(["pending", "running", "validating", "iterating", "running", "validating", "complete"]);
  });

  it("parks after max_repeats, asks the condition again on resume, and goes on once more rounds are granted", () => {
    const table = rounds(99, { maxRepeats: 2 });
    table.drive();
    expect(table.at).toBe("parked:exhausted");
    expect(table.visits("plan")).toBe(3);
    table.resume();
    table.drive();
    expect([table.at, table.visits("plan")]).toEqual(["parked:exhausted", 3]);
    table.send({ type: "extended", budget: "repeats", limit: 3, was: 2 });
    table.resume();
    table.drive();
    expect([table.at, table.visits("plan")]).toEqual(["parked:exhausted", 4]);
  });

  it("begins a round without the warning of the round before", () => {
    let first = true;
    const table = new Table(judged({ repeatUntil: "all_phases_complete" }), (command) => {
      if (command.do !== "work") return pass();
      if (command.node.name === ":until" && first) {
        first = false;
        return block("one phase is left");
      }
      return command.node.name === ":validators" && first ? optional() : pass();
    });
    table.drive();
    expect([table.visits("plan"), outcomeOf(table.run)]).toEqual([2, "success"]);
  });
});
