// Answers and what goes wrong with them: doubled, stale, faults, commands that keep dying.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { agentNode, commandStep, flowOf, nodesFile, skillsFile, stepsFile, use } from "../../testing/files.js";
import { block, isQuestion, pass, Table, wait, warning } from "../../testing/index.js";
import type { Command, Flow } from "./model.js";
import { StaleAnswer } from "./refusal.js";
import { viewOf } from "./view.js";

const two = () => flowOf(stepsFile([commandStep("one"), commandStep("two")]));
const unsaved = (flow: Flow): Flow => ({ ...flow, checkpoint: { ...flow.checkpoint, onPark: false } });
const everybody = (command: Command) => (isQuestion(command) ? undefined : pass());

describe("an answer", () => {
  it("that is doubled, late or early is refused with what is asked now, and changes nothing", () => {
    const table = new Table(two());
    const { ticket } = table.asked();
    expect(() => table.send({ type: "verdict", ticket: "two@1", verdict: pass() })).toThrow(/now at one@1/);
    table.answer(pass());
    const before = table.run;
    expect(() => table.send({ type: "verdict", ticket, verdict: pass() })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "begun", ticket, performer: "x" })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "fault", ticket, error: { code: "x", message: "x" } })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "yielded", ticket })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "checkpointed", ticket })).toThrow(StaleAnswer);
    expect(() => table.send({ type: "chained", ticket })).toThrow(StaleAnswer);
    expect([table.run, table.journal.length]).toEqual([before, 2]);
  });

  it("to a run that expects none says so", () => {
    const table = new Table(two());
    table.stop();
    expect(() => table.send({ type: "verdict", ticket: "one@1", verdict: pass() })).toThrow(/expects no answer now/);
  });

  it("of the wrong sort is refused at a checkpoint and at work", () => {
    const table = new Table(two());
    const { ticket } = table.asked();
    expect(() => table.send({ type: "checkpointed", ticket })).toThrow("Cannot record that: work:one");
    expect(() => table.answer(wait())).toThrow("Cannot wait: at work; only a hook may wait");
    table.answer(block("red"));
    expect(table.asked().ticket).toBe("checkpoint@2");
    expect(() => table.send({ type: "verdict", ticket: "checkpoint@2", verdict: pass() })).toThrow(
      "Cannot take a verdict: checkpoint>ended:failure",
    );
  });

  it("that no route takes up is a bug of ours, and nothing is recorded", () => {
    const table = new Table(two());
    expect(() => table.answer(pass("strange"))).toThrow('unreachable: "one" has no route for "strange"');
    expect(table.journal).toHaveLength(1);
  });

  it("that blocks is a note although it says nothing, and its warnings are not those of what passed", () => {
    const table = new Table(two());
    table.answer({ status: "block", findings: [] });
    expect(table.run.notes).toEqual([{ from: "one", visit: 1, outcome: "block", findings: [] }]);
    const warned = new Table(two());
    warned.answer({ ...block("red"), findings: [warning("slow")] });
    expect(warned.run.warnings).toEqual([]);
  });

  it("charges its cost to the step, try after try, and keeps the session", () => {
    const table = new Table(flowOf(skillsFile(["plan"])));
    const answer = (verdict = pass()) =>
      table.send({
        type: "verdict",
        ticket: table.asked().ticket,
        verdict,
        spent: { ms: 5, usd: 0.5 },
        session: "s-1",
      });
    answer(block("limit"));
    table.checkpoint();
    table.resume();
    answer();
    expect(table.run.spent).toEqual({ plan: { ms: 10, usd: 1 } });
    expect(table.run.sessions).toEqual({ plan: "s-1" });
  });

  it("hands values on to the steps that follow, beside what the run was given", () => {
    const table = new Table(two(), undefined, { goal: "g", ticket: "J-1" });
    table.answer({ ...pass(), set: { ticket: "J-2", pr: "7" } });
    expect(table.run.inputs).toEqual({ goal: "g", ticket: "J-2", pr: "7" });
  });

  it("may be a start only once", () => {
    const table = new Table(two());
    const started = { type: "started", run: "r1", job: "J", flow: "x", digest: "d", inputs: {} } as const;
    expect(() => table.send(started)).toThrow("Cannot start: the run has started already");
  });
});

describe("a fault", () => {
  it("parks at the very question and costs nothing; resuming asks it again under a new ticket", () => {
    verifies("resume.checkpoint-each-boundary");
    const table = new Table(two());
    table.answer(pass());
    const { ticket } = table.asked();
    const error = { code: "no-engine", message: "Docker does not answer", hint: "start it" };
    table.send({ type: "fault", ticket, error });
    expect(table.at).toBe("checkpoint>parked:fault");
    table.checkpoint();
    expect(table.run.cursor).toMatchObject({
      reason: "Docker does not answer",
      findings: [{ text: "Docker does not answer; start it", rule: "no-engine", severity: "error" }],
    });
    expect(viewOf(table.flow, table.run)).toMatchObject({ exit: 4, status: "paused" });
    table.resume();
    expect([table.at, table.visits("one"), table.visits("two"), table.run.purses]).toEqual(["work:two", 1, 1, {}]);
    expect(table.asked().ticket).not.toBe(ticket);
  });

  it("of a check parks too: it never passes and never costs an attempt", () => {
    const table = new Table(flowOf(nodesFile([agentNode("a", { exit: [use("lint")] })])), everybody);
    table.answer(pass());
    table.fault("the linter is not installed");
    expect([table.at, table.run.purses]).toEqual(["parked:fault", {}]);
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "the linter is not installed" }] });
    table.resume();
    expect(table.at).toBe("exit:a[0]");
  });

  it("of the checkpoint itself parks without another checkpoint, and the end is kept for the resume", () => {
    const table = new Table(two(), everybody);
    table.answer(pass());
    table.answer(pass());
    expect(table.at).toBe("checkpoint>ended:success");
    table.send({
      type: "fault",
      ticket: table.asked().ticket,
      error: { code: "no-space", message: "the disk is full" },
    });
    expect(table.at).toBe("parked:fault");
    table.resume();
    table.drive();
    expect(table.at).toBe("success");
  });

  it("parks without a checkpoint where the flow wants none", () => {
    const table = new Table(unsaved(two()));
    table.send({ type: "fault", ticket: table.asked().ticket, error: { code: "x", message: "x" } });
    expect(table.at).toBe("parked:fault");
  });
});

describe("a command that keeps dying", () => {
  it("parks the run at the fourth start and is asked again after a resume, with a fresh count", () => {
    const table = new Table(two());
    table.begin(3);
    expect(table.at).toBe("work:one");
    table.begin();
    table.checkpoint();
    expect(table.at).toBe("parked:crash-loop");
    expect(table.run.cursor).toMatchObject({
      reason: '"somebody" was started 3 times and never answered',
      findings: [],
    });
    table.resume();
    table.begin(3);
    expect([table.at, table.visits("one")]).toEqual(["work:one", 1]);
    table.answer(pass());
    expect([table.at, table.run.tries]).toEqual(["work:two", {}]);
  });

  it("is not counted as dying while it goes on elsewhere", () => {
    const table = new Table(two());
    for (let i = 0; i < 9; i++) {
      table.begin();
      table.send({ type: "yielded", ticket: table.asked().ticket });
    }
    expect([table.at, table.run.tries]).toEqual(["work:one", { "one@1": 0 }]);
  });

  it("parks at the checkpoint itself without asking for another", () => {
    const table = new Table(two(), everybody);
    table.answer(pass());
    table.answer(pass());
    table.begin(4);
    expect(table.at).toBe("parked:crash-loop");
    table.resume();
    table.drive();
    expect(table.at).toBe("success");
  });

  it("keeps the session that was chosen before it began", () => {
    const table = new Table(flowOf(skillsFile(["plan"])));
    table.send({ type: "begun", ticket: table.asked().ticket, performer: "dev", session: "s-1" });
    table.begin();
    expect(table.run.sessions).toEqual({ plan: "s-1" });
  });
});
