// How a run stops and ends: told to, waiting, abandoned, done; and events that move nothing.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import {
  codeNode,
  commandStep,
  doerFile,
  flowOf,
  nodesFile,
  skillsFile,
  stepsFile,
  use,
  validator,
} from "../../testing/files.js";
import { block, isQuestion, pass, Table, wait } from "../../testing/index.js";
import type { Command, Flow } from "./model.js";
import { NotNow } from "./refusal.js";
import { next } from "./run.js";
import { viewOf } from "./view.js";

const two = () => flowOf(stepsFile([commandStep("one"), commandStep("two")]));
const everybody = (command: Command) => (isQuestion(command) ? undefined : pass());

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

  it("in failure after a warning follows on_failure, and a flow without on_complete follows nothing", () => {
    const validators = [validator("tests", true)];
    const flow = flowOf(
      doerFile({ validators, failureHandling: "fail", onComplete: { warning: "tidy", failure: "mend" } }),
    );
    for (const [each, last] of [
      [flow, "chain mend"],
      [unchained(flow), "checkpoint"],
    ] as const) {
      const table = new Table(each, (command) => {
        if (command.do !== "work") return pass();
        if (command.node.name === "reviewer") return pass("approved-with-warnings");
        return command.node.name === ":validators" ? block("red") : pass();
      });
      table.drive();
      expect([table.at, table.run.marks.warning, table.log.at(-1)]).toEqual(["failure", 1, last]);
    }
  });
  const unchained = ({ onEnd: _, ...flow }: Flow): Flow => flow;

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

  it("are new names of the job: what is asked stays asked, and what is done from here on is told the new ones", () => {
    const table = new Table(two(), undefined, { branch: "main", goal: "g" });
    const { cursor } = table.run;
    table.send({ type: "renamed", job: "DM-1", ticket: "DM-1", branch: "feat/x" });
    expect(table.run).toMatchObject({ job: "DM-1", branch: "feat/x", cursor, since: 1 });
    expect(table.run.inputs).toEqual({ branch: "feat/x", ticket: "DM-1", goal: "g" });
    expect(table.asked().ticket).toBe("one@1");
    table.send({ type: "renamed", job: "DM-2" });
    expect([table.run.job, table.run.branch, table.run.inputs.ticket]).toEqual(["DM-2", "feat/x", "DM-1"]);
    expect(table.replay()).toEqual(table.run);
  });

  it("cannot resume what is not parked", () => {
    expect(() => new Table(two()).resume()).toThrow("Cannot resume: the run is not parked but at work:one");
  });
});
