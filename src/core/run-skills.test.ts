// skills: gates between the skills and after the last, and a skill that does not come to its end.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { flowOf, skillsFile, validator } from "../../testing/files.js";
import { block, isQuestion, type Player, pass, Table } from "../../testing/index.js";
import type { SkillsFile } from "../config/schema/file.js";
import type { Verdict } from "./model.js";
import { StaleAnswer } from "./refusal.js";
import { statusOf, viewOf } from "./view.js";

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

describe("gates of a skill loop", () => {
  it("stand after every skill, the last one too, and before the validators", () => {
    verifies("gate.skills.on-and-off", "gate.skills.after-last");
    const table = new Table(judged({ humanGate: true }), validatorsSay(pass));
    for (const skill of SKILLS) {
      expect(table.drive()).toMatchObject({ do: "work", node: { name: `gate-after:${skill}` } });
      expect(statusOf(table.flow, table.run)).toBe("paused");
      table.say("continue");
    }
    expect(table.at).toBe("work::validators");
    table.drive();
    expect(table.at).toBe("success");
  });

  it("do not stand where human_gate is false", () => {
    verifies("gate.skills.on-and-off");
    const table = new Table(judged(), validatorsSay(pass));
    table.drive();
    expect(table.log).toEqual(["plan:pass", "build:pass", "commit:pass", ":validators/tests:pass", "checkpoint"]);
  });

  it("ask the same question again after a pause, and end the run when it is abandoned", () => {
    const table = new Table(loop({ humanGate: true }), validatorsSay(pass));
    table.drive();
    table.say("pause");
    table.drive();
    expect([table.at, table.run.cursor]).toMatchObject(["parked:paused", { findings: [] }]);
    expect(viewOf(table.flow, table.run).reason).toBe('paused at the gate after "plan"');
    table.resume();
    expect(table.at).toBe("work:gate-after:plan");
    table.say("abandon");
    table.drive();
    expect(table.at).toBe("aborted");
  });

  it("refuse the next skill's output while they are open, and nothing is recorded", () => {
    const table = new Table(loop({ humanGate: true }));
    const { ticket } = table.asked();
    table.answer(pass());
    const before = table.run;
    expect(() => table.send({ type: "verdict", ticket, verdict: pass() })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "verdict", ticket: "build@3", verdict: pass() })).toThrow(StaleAnswer);
    expect(table.run).toBe(before);
  });

  it("hand a person's comment on to the skills that follow", () => {
    const table = new Table(loop({ humanGate: true }), validatorsSay(pass));
    table.drive();
    table.say("continue", { findings: [{ text: "mind the time zones", severity: "info" }] });
    expect(table.run.notes).toMatchObject([
      { from: "gate-after:plan", outcome: "continue", findings: [{ text: "mind the time zones" }] },
    ]);
  });
});

describe("a skill that does not come to its end", () => {
  it("parks the run and is asked again on resume", () => {
    const table = new Table(loop());
    table.answer(pass());
    table.answer(block("turn limit"));
    table.drive();
    expect(table.at).toBe("parked:work-failed");
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "turn limit" }] });
    table.resume();
    expect(table.at).toBe("work:build");
    expect([table.visits("plan"), table.visits("build")]).toEqual([1, 2]);
  });

  it("keeps all outputs when it is carried on another day", () => {
    verifies("state.resume-next-day");
    const table = new Table(loop());
    table.answer({ ...pass(), output: "the plan" });
    const later = table.replay();
    expect(later).toEqual(table.run);
    expect(later.results.plan?.output).toBe("the plan");
    expect(table.at).toBe("work:build");
  });
});
