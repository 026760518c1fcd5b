// doer and reviewer: two nested budgets, one gate that is never skipped, one kill switch, and what counts as going in circles.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { doerFile, flowOf, validator } from "../../testing/files.js";
import { block, isQuestion, pass, Table, warning } from "../../testing/index.js";
import type { Overrides } from "../config/known.js";
import type { DoerFile } from "../config/schema/file.js";
import type { Command, Verdict } from "./model.js";
import { NotNow } from "./refusal.js";
import { next } from "./run.js";
import { gateOf, outcomeOf, viewOf } from "./view.js";

/** The reviewer's verdicts in order, the last one for ever after; questions are left to a person. */
const reviewed = (more: Partial<DoerFile>, ...verdicts: Verdict[]) =>
  new Table(flowOf(doerFile(more)), (command: Command) => {
    if (isQuestion(command)) return undefined;
    if (command.do !== "work" || command.node.name !== "reviewer") return pass();
    return verdicts.length > 1 ? verdicts.shift() : verdicts[0];
  });
const numbered = (more: Partial<DoerFile> = {}, overrides: Overrides = {}) => {
  let i = 0;
  return new Table(flowOf(doerFile(more), overrides), (command) => {
    if (isQuestion(command)) return undefined;
    return command.do === "work" && command.node.name === "reviewer" ? block(`finding ${i++}`) : pass();
  });
};
const about = (text: string, tree: string) => block(text, { evidence: { tree, loop: "l" } });

describe("caps", () => {
  it("are 5 iterations in 3 rounds by default: 15, two continues, and the third kills", () => {
    verifies("cap.hard", "reset.continue", "reset.kills-at-max", "cap.never-skipped");
    const table = numbered();
    for (const round of [1, 2]) {
      table.drive();
      expect([table.at, table.visits("doer")]).toEqual(["work:gate", 5 * round]);
      table.say("continue");
      expect([table.at, table.spent("resets"), table.spent("iterations")]).toEqual(["work:doer", round, 0]);
    }
    table.drive();
    table.say("continue");
    expect(table.asked()).toMatchObject({ do: "checkpoint", ending: "killed" });
    table.drive();
    expect([table.at, table.visits("doer"), table.visits("gate")]).toEqual(["killed", 15, 3]);
    expect(viewOf(table.flow, table.run)).toMatchObject({ outcome: "killed", status: "failed", exit: 1 });
    expect(viewOf(table.flow, table.run).next).toBe("review the plan, then: pawl reset-loop r1");
  });

  it("are 4 for 2 by 2, from the command line too", () => {
    verifies("cap.hard");
    for (const table of [numbered({ maxIter: 2, maxResets: 2 }), numbered({}, { maxIter: 2, maxResets: 2 })]) {
      table.drive();
      table.say("continue");
      table.drive();
      table.say("continue");
      table.drive();
      expect([table.at, table.visits("doer")]).toEqual(["killed", 4]);
    }
  });

  it("cannot be raised in the middle of a run", () => {
    verifies("cap.hard");
    const table = numbered();
    for (const budget of ["iterations", "resets"])
      expect(() => table.send({ type: "extended", budget, limit: 99, was: 4 })).toThrow(
        `Cannot change max_${budget === "resets" ? "resets" : "iter"}: the caps of this run were fixed when it was made`,
      );
  });

  it("of 1 by 1 ask after the first block, and continue kills", () => {
    const table = numbered({ maxIter: 1, maxResets: 1 });
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 1]);
    table.say("continue");
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["killed", 1]);
  });

  it("hold through validators that send the work back", () => {
    verifies("cap.hard");
    const more = { maxIter: 2, maxResets: 1, maxAttempts: 9, validators: [validator("tests", true)] };
    const table = new Table(flowOf(doerFile({ ...more, failureHandling: "retry" })), (command) => {
      if (isQuestion(command)) return undefined;
      if (command.do !== "work") return pass();
      if (command.node.name === "reviewer") return pass("approved");
      return command.node.name === ":validators" ? block("red") : pass();
    });
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 2]);
  });
});

describe("the gate", () => {
  it("asks with its three choices, says what is used up, and accepts no further iteration", () => {
    verifies("cap.gate", "cap.never-skipped");
    const table = numbered({ maxIter: 2 });
    table.drive();
    const gate = gateOf(table.flow, table.run);
    expect(gate?.options).toEqual(["continue", "abort", "adjust"]);
    expect(gate?.question).toContain('"reviewer" (job J-1) has used up max_iter: 2 in this round, visit 2.');
    expect(() => table.send({ type: "resumed" })).toThrow(NotNow);
    expect(() => table.send({ type: "verdict", ticket: "doer@1", verdict: pass() })).toThrow(/now at gate@/);
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 2]);
  });

  it("forgets why it was asked once the next visit is paid", () => {
    const table = numbered({ maxIter: 1 });
    table.drive();
    expect(table.run.diverted).toMatchObject({
      budget: "iterations",
      because: "exhausted",
      from: "reviewer",
      visit: 1,
    });
    table.say("continue");
    expect(table.run).not.toHaveProperty("diverted");
  });

  it.each([
    ["abort", "escalated"],
    ["adjust", "paused"],
  ] as const)("answered with %s parks, and resuming costs a reset; a crash costs none", (answer, code) => {
    verifies("doer.resume.parked-costs-reset", "doer.resume.running-is-free");
    const table = numbered({ maxIter: 2 });
    table.drive();
    table.say(answer);
    table.drive();
    expect([table.at, table.spent("resets")]).toEqual([`parked:${code}`, 0]);
    table.resume();
    expect([table.at, table.spent("resets"), table.run.marks.resumed]).toEqual(["work:doer", 1, 1]);
    expect(table.run.purses.iterations).toEqual({ spent: 0, seen: [] });
    table.begin();
    const reborn = table.replay();
    expect(next(table.flow, reborn)).toEqual(table.open);
    table.begin(); // killed and started again, in the middle of the doer
    expect([table.spent("resets"), table.visits("doer")]).toEqual([1, 3]);
  });

  it("resumed at the last round kills without an iteration, and a killed run stays killed", () => {
    verifies("doer.resume.parked-costs-reset", "doer.resume.ended-is-refused", "reset.never-lowered");
    const table = numbered({ maxIter: 1, maxResets: 2 });
    for (const spent of [1, 1]) {
      table.drive();
      table.say("adjust");
      table.drive();
      table.resume();
      expect(table.spent("resets")).toBe(spent);
    }
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["killed", 2]);
    expect(() => table.resume()).toThrow(NotNow);
    expect(table.spent("resets")).toBe(1);
  });
});

describe("a stop by a person", () => {
  it("costs a reset when it is resumed; a crash, a Ctrl-C and a fault cost none", () => {
    verifies("doer.resume.parked-costs-reset", "doer.resume.running-is-free");
    const table = numbered();
    table.answer(pass());
    for (const free of [() => table.stop("interrupted"), () => table.stop("limit"), () => table.fault()]) {
      free();
      table.resume();
      expect(table.spent("resets")).toBe(0);
    }
    for (const spent of [1, 2]) {
      table.stop("paused"); // after the doer, then while it works
      expect(table.run.cursor).toMatchObject({ findings: [] });
      table.resume();
      expect([table.at, table.spent("resets"), table.run.marks.resumed]).toEqual(["work:doer", spent, spent]);
    }
  });
});

describe("going in circles", () => {
  it("is the same complaint twice in a round, next to each other or not", () => {
    verifies("oscillation.repeat-escalates");
    for (const [texts, visits] of [
      [["A", "A"], 2],
      [["A", "B", "A"], 3],
    ] as const) {
      const table = reviewed({}, ...texts.map((text) => block(text)), block("never asked"));
      table.drive();
      expect([table.at, table.visits("doer"), table.spent("iterations")]).toEqual(["work:gate", visits, visits - 1]);
      expect(table.run.diverted).toEqual({
        budget: "iterations",
        because: "repeat",
        from: "reviewer",
        visit: visits,
        earlier: 1,
        print: "A",
      });
      expect(gateOf(table.flow, table.run)?.question).toContain(`visit ${visits} says what visit 1 said`);
    }
  });

  it("is any complaint about a tree that was complained about already", () => {
    const table = reviewed({}, about("A", "t1"), about("B", "t2"), about("C", "t1"), block("never asked"));
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 3]);
    expect(table.run.diverted).toMatchObject({ because: "repeat", earlier: 1, visit: 3 });
  });

  it("is looked for before the cap, so that the question names it", () => {
    const table = reviewed({ maxIter: 2 }, block("A"), block("A"));
    table.drive();
    expect(table.run.diverted?.because).toBe("repeat");
  });

  it("is not what was seen only in an earlier round", () => {
    verifies("oscillation.round-only");
    const table = reviewed({}, block("A"), block("B"), block("A"), block("A"), block("B"), block("A"));
    table.drive();
    table.say("continue");
    table.answer(pass());
    table.send({ type: "verdict", ticket: table.asked().ticket, verdict: pass() }); // the hook that looks for changes
    table.drive();
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 6]);
  });

  it("is not known of a complaint without print and tree", () => {
    const silent: Verdict = { status: "block", findings: [] };
    const table = reviewed({ maxIter: 3 }, silent);
    table.drive();
    expect([table.visits("doer"), table.run.diverted?.because]).toEqual([3, "exhausted"]);
  });

  it("keeps what was seen in this round through a crash", () => {
    const table = reviewed({}, block("A"), block("A"));
    for (let i = 0; i < 3; i++) table.answer(i === 2 ? block("A") : pass());
    expect(table.replay().purses.iterations?.seen).toEqual([{ print: "A", visit: 1 }]);
  });
});

describe("reviews", () => {
  it("that approve end the run, with warnings as a warning", () => {
    for (const [outcome, word] of [
      ["approved", "success"],
      ["approved-with-warnings", "warning"],
    ] as const) {
      const table = reviewed({}, pass(outcome, [warning("long file")]));
      table.drive();
      expect([table.at, outcomeOf(table.run)]).toEqual(["success", word]);
    }
  });

  it("without a verdict park the run and keep the count; resuming asks the reviewer again", () => {
    const table = reviewed({}, block("no REVIEW.md", { outcome: "unclear" }), pass("approved"));
    table.drive();
    expect([table.at, table.spent("iterations"), table.spent("resets")]).toEqual(["parked:no-verdict", 0, 0]);
    table.resume();
    table.drive();
    expect([table.at, table.visits("doer"), table.visits("reviewer")]).toEqual(["success", 1, 2]);
  });

  it("that wait for manual items ask a person, and reopen a round when they do not work", () => {
    const table = reviewed({}, pass("pending-manual"), pass("approved"));
    table.drive();
    expect([table.at, gateOf(table.flow, table.run)?.options]).toEqual([
      "work:confirm",
      ["confirmed", "does-not-work"],
    ]);
    table.say("does-not-work");
    expect([table.at, table.spent("resets"), table.run.marks.reset]).toEqual(["work:doer", 1, 1]);
    table.drive();
    expect(table.at).toBe("success");
    const good = reviewed({}, pass("pending-manual"));
    good.drive();
    good.say("confirmed");
    good.drive();
    expect(good.at).toBe("success");
  });

  it("still happen when the doer changed nothing, which is a warning", () => {
    verifies("doer.iter.no-change-warns");
    const table = new Table(flowOf(doerFile()));
    table.answer(pass());
    expect(table.asked()).toMatchObject({ do: "hook", hook: { hook: "tree-changed", params: { otherwise: "warn" } } });
    table.answer(pass(undefined, [warning("the tree is as it was")]));
    expect([table.at, table.run.warnings]).toEqual(["work:reviewer", [warning("the tree is as it was")]]);
  });
});

describe("a doer that does not come to its end", () => {
  it("parks, and resuming spends an iteration of this round", () => {
    const table = new Table(flowOf(doerFile({ maxIter: 2 })));
    const fail = () => {
      table.answer(block("turn limit"));
      table.checkpoint();
    };
    fail();
    expect([table.at, table.spent("iterations")]).toEqual(["parked:work-failed", 0]);
    table.resume();
    expect([table.at, table.spent("iterations")]).toEqual(["work:doer", 1]);
    fail();
    table.resume();
    expect([table.at, table.visits("doer")]).toEqual(["work:gate", 2]);
    expect(gateOf(table.flow, table.run)?.question).toContain('"doer" (job J-1) has used up max_iter: 2');
  });
});
