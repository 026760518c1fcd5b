// nodes: hook chains at both boundaries, repairs and who is asked when they are used up, ways back.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { agentNode, codeNode, flowOf, goto, humanNode, nodesFile, use } from "../../testing/files.js";
import { block, isQuestion, type Player, pass, skip, Table, wait } from "../../testing/index.js";
import type { GraphNode } from "../config/schema/file.js";
import type { Verdict } from "./model.js";
import { viewOf } from "./view.js";

type Hooks = Record<string, () => Verdict>;
/** Work passes, questions are a person's, hooks say what `hooks` holds for them or pass. */
const hooked =
  (hooks: Hooks): Player =>
  (command) => {
    if (command.do === "hook") return hooks[command.hook.hook]?.() ?? pass();
    return isQuestion(command) ? undefined : pass();
  };
const graph = (nodes: GraphNode[], hooks: Hooks = {}) => new Table(flowOf(nodesFile(nodes)), hooked(hooks));
const onPass = (name: string) => ({ pass: goto(name) });
const numbered = (text: string) => {
  let i = 0;
  return () => block(`${text} ${++i}`);
};

describe("an exit chain", () => {
  it("is asked in the order written, after the work; the first block decides and the rest is not asked", () => {
    const lint = [block("two findings"), pass()];
    const table = graph([agentNode("a", { entry: [use("ci")], exit: [use("lint"), use("ci")] })], {
      lint: () => lint.shift() ?? pass(),
    });
    table.drive();
    expect(table.log).toEqual([
      "a.enter.ci:pass",
      "a:pass",
      "a.exit.lint:block",
      "a.enter.ci:pass",
      "a:pass",
      "a.exit.lint:pass",
      "a.exit.ci:pass",
      "checkpoint",
    ]);
    expect(table.run.notes).toMatchObject([{ from: "a", outcome: "block", findings: [{ text: "two findings" }] }]);
  });

  it("shows each hook what the work has said", () => {
    const table = graph([agentNode("a", { exit: [use("lint")] })]);
    expect(table.asked()).not.toHaveProperty("answered");
    table.answer({ ...pass(), output: "done" });
    expect(table.asked()).toMatchObject({ do: "hook", boundary: "exit", visit: 1, answered: { output: "done" } });
    expect(table.asked().ticket).toBe("a.exit[0]@2");
  });

  it("that ends in a skip passes: declining to look is no decision", () => {
    const table = graph([agentNode("a", { exit: [use("lint"), use("ci")] })], { ci: skip });
    table.drive();
    expect(table.at).toBe("success");
  });

  const steered = (pass: "success" | "failure") =>
    codeNode("a", {
      exit: [use("classify"), use("lint")],
      on: { pass: { go: pass }, approved: { go: "success" }, "changes-requested": { go: "failure" } },
    });

  it("steers by a hook that may, and a later one without an outcome does not wipe it out", () => {
    const hooks = { classify: () => pass("approved"), lint: () => pass("changes-requested") };
    const table = graph([steered("failure")], hooks);
    table.drive();
    expect(table.at).toBe("success");
  });

  it("blocks by the outcome of a hook that may steer", () => {
    const table = graph([steered("success")], {
      classify: () => ({ ...block("too thin"), outcome: "changes-requested" }),
    });
    table.drive();
    expect([table.at, table.run.notes.at(-1)?.outcome]).toEqual(["failure", "changes-requested"]);
  });

  it("blocks by no other hook's outcome", () => {
    const node = codeNode("a", { exit: [use("lint")] });
    const table = graph([node], { lint: () => ({ ...block("no"), outcome: "pass" }) });
    table.drive();
    expect([table.at, table.run.notes.at(-1)?.outcome]).toEqual(["failure", "block"]);
  });
});

describe("an entry chain", () => {
  it("that blocks keeps the work from beginning and parks; resuming asks that hook again", () => {
    const ci = [block("red build"), pass()];
    const table = graph([agentNode("a", { entry: [use("lint"), use("ci")] })], { ci: () => ci.shift() ?? pass() });
    table.drive();
    expect([table.at, table.log.includes("a:pass")]).toEqual(["parked:entry-refused", false]);
    expect(table.run.cursor).toMatchObject({ reason: 'entry to "a" was refused', findings: [{ text: "red build" }] });
    table.resume();
    expect(table.at).toBe("enter:a[1]");
    table.drive();
    expect([table.at, table.visits("a")]).toEqual(["success", 1]);
  });

  it("that waits is asked again from its first hook at a signal, and its outcome steers nothing", () => {
    let green = false;
    const table = graph([codeNode("a", { entry: [use("classify"), use("ci")] })], {
      classify: () => pass("approved"),
      ci: () => (green ? pass() : wait()),
    });
    table.drive();
    expect([table.at, viewOf(table.flow, table.run).state]).toEqual(["waiting:a.enter", "waiting"]);
    green = true;
    table.send({ type: "signal", name: "check_suite" });
    expect(table.at).toBe("enter:a[0]");
    table.drive();
    expect(table.at).toBe("success");
  });
});

describe("repairs", () => {
  it("are spent by a blocking exit chain; when they are used up a person is asked", () => {
    const table = graph([agentNode("a", { exit: [use("lint")], maxRepairs: 2 })], { lint: numbered("finding") });
    table.drive();
    expect([table.at, table.visits("a"), table.spent("repairs:a")]).toEqual(["work:stuck:a", 3, 2]);
    expect(table.run.diverted).toMatchObject({ because: "exhausted", budget: "repairs:a", from: "a", visit: 3 });
    table.say("abandon");
    table.drive();
    expect(table.at).toBe("aborted");
  });

  it("are not spent on the very same message: a person is asked at once", () => {
    const table = graph([agentNode("a", { exit: [use("lint")], maxRepairs: 9 })], { lint: () => block("same") });
    table.drive();
    expect([table.at, table.visits("a"), table.spent("repairs:a")]).toEqual(["work:stuck:a", 2, 1]);
  });

  it("lead where the author says on the very same message, which is no exhaustion", () => {
    const on = { pass: { go: "success" }, block: { go: "failure" } } as const;
    const table = graph([agentNode("a", { exit: [use("lint")], on })], { lint: () => block("same") });
    table.drive();
    expect([table.at, table.run.cursor]).toEqual(["failure", { at: "ended", ending: "failure" }]);
  });

  it("are filled again by a person three times, then the node has failed", () => {
    const table = graph([agentNode("a", { exit: [use("lint")], maxRepairs: 1 })], { lint: numbered("finding") });
    for (const round of [1, 2, 3]) {
      table.drive();
      table.say("try-again");
      expect([table.at, table.spent("rounds:a"), table.spent("repairs:a")]).toEqual(["work:a", round, 0]);
    }
    table.drive();
    table.say("try-again");
    table.drive();
    expect([table.at, table.visits("a")]).toEqual(["failure", 8]);
  });

  it("lead where the author says when they are used up", () => {
    const nodes = [
      agentNode("a", { exit: [use("lint")], maxRepairs: 1, on: { pass: { go: "success" }, block: goto("tidy") } }),
      codeNode("tidy", { on: { pass: { go: "failure" } } }),
    ];
    const table = graph(nodes, { lint: numbered("finding") });
    table.drive();
    expect([table.at, table.visits("a"), table.visits("tidy")]).toEqual(["failure", 2, 1]);
  });
});

describe("a request for changes", () => {
  const on = {
    approved: { go: "success" },
    "approved-with-comments": { go: "success" },
    "changes-requested": goto("design"),
  } as const;
  const nodes = [
    agentNode("design", { exit: [use("lint")], maxRepairs: 1, on: onPass("ok") }),
    humanNode("ok", { on }),
  ];

  it("goes back with the person's words, pays a lap, and gives every node its repairs again", () => {
    verifies("gate.changes-requested");
    const lint = [block("1"), pass(), block("1"), pass()];
    const table = graph(nodes, { lint: () => lint.shift() ?? pass() });
    table.drive();
    expect(table.spent("repairs:design")).toBe(1);
    table.say("changes-requested", { findings: [{ text: "too thin", severity: "info" }] });
    expect([table.at, table.spent("laps"), table.run.purses["repairs:design"]]).toEqual([
      "work:design",
      1,
      { spent: 0, seen: [] },
    ]);
    expect(table.run.notes.at(-1)).toMatchObject({ from: "ok", findings: [{ text: "too thin" }] });
    table.drive();
    expect([table.at, table.visits("design")]).toEqual(["work:ok", 4]);
    table.say("approved");
    table.drive();
    expect(table.at).toBe("success");
  });

  it("again and again parks the run with all requests in its notes", () => {
    const table = new Table(flowOf(nodesFile(nodes)), (command) =>
      command.do === "work" && command.node.name === "ok" ? pass("changes-requested") : pass(),
    );
    table.drive(2_000);
    expect([table.at, table.visits("design")]).toEqual(["parked:exhausted", 101]);
  });
});
