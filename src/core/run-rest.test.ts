// What the world and people do to a run: faults, crashes, stops, resumes, doubled and stale answers, ends.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import {
  agentNode,
  codeNode,
  commandStep,
  doerFile,
  flowOf,
  nodesFile,
  skillsFile,
  stepsFile,
  use,
} from "../../testing/files.js";
import { block, isQuestion, pass, Table, wait } from "../../testing/index.js";
import type { Command, Flow } from "./model.js";
import { NotNow, StaleAnswer } from "./refusal.js";
import { next } from "./run.js";
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
    expect(() => table.send({ type: "checkpointed", ticket })).toThrow(NotNow);
    expect(() => table.answer(wait())).toThrow("Cannot wait: at work; only a hook may wait");
    table.answer(block("red"));
    expect(() => table.send({ type: "verdict", ticket: table.asked().ticket, verdict: pass() })).toThrow(NotNow);
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
    expect(() => table.send(started)).toThrow(/has started already/);
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
    expect(table.run.cursor).toMatchObject({ reason: '"somebody" was started 3 times and never answered' });
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

describe("a stop", () => {
  it("by a person or a signal parks where the run stood, and resuming asks the same for nothing", () => {
    for (const code of ["paused", "interrupted", "limit"] as const) {
      const table = new Table(two());
      table.answer(pass());
      table.stop(code);
      expect(table.at).toBe(`parked:${code}`);
      table.resume();
      expect([table.at, table.visits("two"), table.run.purses]).toEqual(["work:two", 1, {}]);
    }
  });

  it("leaves an open question open: it answers no gate and costs no round", () => {
    verifies("cap.never-skipped");
    const table = new Table(flowOf(doerFile({ maxIter: 1 })), (command) => {
      if (isQuestion(command)) return undefined;
      return command.do === "work" && command.node.name === "reviewer" ? block("no") : pass();
    });
    table.drive();
    table.stop();
    table.resume();
    expect([table.at, table.spent("resets"), table.visits("doer")]).toEqual(["work:gate", 0, 1]);
  });

  it("is refused for a run that rests, has ended, or is on its way there", () => {
    const table = new Table(flowOf(doerFile()), everybody);
    table.stop();
    expect(() => table.stop()).toThrow("Cannot stop: the run is parked");
    table.resume();
    const done = (command: Command) =>
      command.do === "work" && command.node.name === "reviewer" ? "approved" : "pass";
    while (table.run.cursor.at !== "checkpoint") table.answer(pass(done(table.asked())));
    expect(table.at).toBe("checkpoint>ended:success");
    expect(() => table.stop()).toThrow(NotNow);
    table.checkpoint();
    expect(() => table.stop()).toThrow("Cannot stop: the run is ended");
    expect(table.at).toBe("success");
  });

  it("while a loop is being chained is refused: the run has ended already", () => {
    const table = new Table(flowOf(skillsFile(["plan"], { onComplete: { success: "validate" } })));
    table.answer(pass());
    table.checkpoint();
    expect(table.at).toBe("chain:validate");
    expect(() => table.stop()).toThrow(NotNow);
    table.drive();
    expect([table.at, table.log.at(-1)]).toEqual(["success", "chain validate"]);
  });
});

describe("waiting", () => {
  const waiting = (see: () => boolean) => {
    const table = new Table(flowOf(nodesFile([codeNode("ci", { exit: [use("ci")] })])), (command) =>
      command.do === "hook" && !see() ? wait("the build") : pass(),
    );
    table.drive();
    return table;
  };

  it("looks again at a signal, and goes on when it sees what it waits for", () => {
    let green = false;
    const table = waiting(() => green);
    expect([table.at, table.open]).toEqual(["waiting:ci.exit", []]);
    expect(table.run.cursor).toMatchObject({ findings: [{ text: "the build" }] });
    table.send({ type: "signal", name: "push" });
    table.drive();
    expect(table.at).toBe("waiting:ci.exit");
    green = true;
    table.send({ type: "signal", name: "push" });
    table.drive();
    expect([table.at, table.visits("ci")]).toEqual(["success", 1]);
  });

  it("looks again after a stop and a resume: what was signalled meanwhile is not lost", () => {
    let green = false;
    const table = waiting(() => green);
    table.stop();
    green = true;
    table.send({ type: "signal", name: "push" });
    expect(table.at).toBe("parked:paused");
    table.resume();
    table.drive();
    expect(table.at).toBe("success");
  });
});

describe("an end", () => {
  it("by abandoning is for good, from work, from a gate, from a park", () => {
    const parked = new Table(two());
    parked.stop();
    for (const table of [new Table(two()), parked]) {
      table.send({ type: "abandoned", reason: "not needed" });
      expect(table.at).toBe("checkpoint>ended:aborted");
      expect(() => table.send({ type: "abandoned", reason: "again" })).toThrow(NotNow);
      table.drive();
      expect(table.at).toBe("aborted");
      expect(() => table.send({ type: "abandoned", reason: "again" })).toThrow("Cannot abandon: the run is ended");
      expect(() => table.resume()).toThrow(NotNow);
      expect(viewOf(table.flow, table.run)).toMatchObject({ status: "failed", outcome: "aborted", exit: 1 });
    }
  });

  it("that was reached cannot be turned into another before its checkpoint is written", () => {
    const table = new Table(two());
    table.answer(pass());
    table.answer(pass());
    expect(() => table.send({ type: "abandoned", reason: "too late" })).toThrow(NotNow);
    table.drive();
    expect(table.at).toBe("success");
  });

  it("of a run on its way to a park may still be an abandoned one", () => {
    const table = new Table(two());
    table.send({ type: "stopped", code: "paused", reason: "x" });
    table.send({ type: "abandoned", reason: "not needed" });
    table.drive();
    expect(table.at).toBe("aborted");
  });

  it("starts the loop that follows once, and its checkpoint names the ending", () => {
    const table = new Table(flowOf(stepsFile([commandStep("one")], { onComplete: { failure: "mend" } })));
    table.answer(block("red"));
    expect(next(table.flow, table.run)).toMatchObject([{ do: "checkpoint", ending: "failure" }]);
    table.checkpoint();
    expect(table.open).toMatchObject([{ do: "chain", loop: "mend" }]);
    table.fault("the job folder is gone");
    table.resume();
    table.drive();
    expect([table.at, table.log]).toEqual(["failure", ["one:block", "checkpoint", "checkpoint", "chain mend"]]);
  });
});

describe("events that move nothing", () => {
  it("are remarks, signals nobody waits for, and changes of people's own", () => {
    const table = new Table(two());
    const { cursor } = table.run;
    table.send({ type: "remark", about: "lock", text: "taken over" });
    table.send({ type: "signal", name: "push" });
    table.send({ type: "foreign", paths: ["b", "a"], accepted: false });
    table.send({ type: "foreign", paths: ["a", "c"], accepted: false });
    expect([table.run.cursor, table.run.stirred, table.run.foreign]).toEqual([cursor, false, ["a", "b", "c"]]);
    table.send({ type: "foreign", paths: [], accepted: true });
    expect(table.run.foreign).toEqual([]);
    expect(table.asked().ticket).toBe("one@1");
  });

  it("cannot resume what is not parked", () => {
    expect(() => new Table(two()).resume()).toThrow("Cannot resume: the run is not parked but at work:one");
  });
});
