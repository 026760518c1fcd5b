// Hooks: signals that wake, effects that happen once a visit, and a node that only looks.
import { describe, expect, it } from "vitest";
import { agentNode, codeNode, flowOf, goto, humanNode, nodesFile, use } from "../../testing/files.js";
import { block, isQuestion, type Player, pass, skip, Table, wait } from "../../testing/index.js";
import type { GraphNode } from "../config/schema/file.js";
import type { Verdict } from "./model.js";

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

describe("signals", () => {
  it("heard while a chain is being asked make a wait look once more", () => {
    let looked = 0;
    const table = new Table(flowOf(nodesFile([codeNode("a", { exit: [use("lint"), use("ci")] })])), (command, self) => {
      if (command.do !== "hook" || command.hook.hook !== "ci") return pass();
      if (++looked > 1) return pass();
      self.send({ type: "signal", name: "check_suite" });
      return wait();
    });
    table.drive();
    expect([table.at, looked, table.run.stirred]).toEqual(["success", 2, false]);
    expect(table.log.filter((line) => line === "a.exit.lint:pass")).toHaveLength(2);
  });

  it("heard at the entry make its wait look once more, and carry nothing over from the visit before", () => {
    const flow = flowOf(nodesFile([agentNode("a", { entry: [use("ci")], exit: [use("lint")] })]));
    const table = new Table(flow);
    for (const verdict of [pass(), pass("pass"), block("again")]) table.answer(verdict);
    expect([table.at, table.visits("a")]).toEqual(["enter:a[0]", 2]);
    table.send({ type: "signal", name: "push" });
    table.answer(wait());
    expect(table.run.cursor).toEqual({ at: "enter", node: "a", index: 0 });
    table.answer(wait());
    expect(table.at).toBe("waiting:a.enter");
  });

  it("heard at work wake nobody and change no ticket", () => {
    const table = graph([codeNode("a", { exit: [use("ci")] })], { ci: wait });
    const { ticket } = table.asked();
    table.send({ type: "signal", name: "push" });
    expect([table.asked().ticket, table.run.stirred]).toEqual([ticket, false]);
    table.drive();
    expect(table.at).toBe("waiting:a.exit");
  });

  it("heard in one visit do not stir the next", () => {
    const table = graph(
      [codeNode("a", { exit: [use("lint")], on: onPass("b") }), codeNode("b", { exit: [use("ci")] })],
      {
        ci: wait,
      },
    );
    table.answer(pass());
    table.send({ type: "signal", name: "push" });
    expect(table.run.stirred).toBe(true);
    table.drive();
    expect([table.at, table.log.filter((line) => line === "b.exit.ci:wait")]).toEqual([
      "waiting:b.exit",
      ["b.exit.ci:wait"],
    ]);
  });

  it("asked again, a chain begins with what the work has said, not with a hook's word", () => {
    let green = false;
    const on = {
      pass: { go: "success" },
      approved: { go: "failure" },
      "changes-requested": { go: "failure" },
    } as const;
    const table = graph([codeNode("a", { exit: [use("classify"), use("ci")], on })], {
      classify: () => (green ? skip() : pass("approved")),
      ci: () => (green ? pass() : wait()),
    });
    table.drive();
    green = true;
    table.send({ type: "signal", name: "push" });
    table.drive();
    expect(table.at).toBe("success");
  });
});

describe("effects", () => {
  const told = (green: () => boolean) => {
    let count = 0;
    const tell = () => {
      count++;
      return pass();
    };
    const hooks = { tell, ci: () => (green() ? pass() : wait()) };
    return { hooks, count: () => count };
  };

  it("happen once a visit, however often the chain is asked again; the answer given at the gate survives", () => {
    let green = false;
    const { hooks, count } = told(() => green);
    const on = {
      approved: { go: "success" },
      "approved-with-comments": { go: "failure" },
      "changes-requested": { go: "failure" },
    } as const;
    const table = graph([humanNode("ok", { entry: [use("tell")], exit: [use("tell"), use("ci")], on })], hooks);
    table.drive();
    table.say("approved");
    for (let i = 0; i < 3; i++) {
      table.drive();
      expect([table.at, count()]).toEqual(["waiting:ok.exit", 2]);
      table.send({ type: "signal", name: "push" });
    }
    green = true;
    table.drive();
    expect([table.at, count(), table.run.fired]).toEqual(["success", 2, ["enter[0]", "exit[0]"]]);
    expect(table.replay()).toEqual(table.run);
  });

  it("happen again on the next visit", () => {
    const lint = [block("x"), pass()];
    const { hooks, count } = told(() => true);
    const table = graph([agentNode("a", { entry: [use("tell")], exit: [use("lint")] })], {
      ...hooks,
      lint: () => lint.shift() ?? pass(),
    });
    table.drive();
    expect([table.visits("a"), count()]).toEqual([2, 2]);
  });

  it("that blocked did not happen", () => {
    const table = graph([agentNode("a", { entry: [use("tell")] })], { tell: () => block("no channel") });
    table.drive();
    expect([table.at, table.run.fired]).toEqual(["parked:entry-refused", []]);
  });

  it("are asked again when they could not be carried out", () => {
    const table = new Table(flowOf(nodesFile([agentNode("a", { entry: [use("tell")] })])));
    table.fault("the network is down");
    table.resume();
    expect([table.at, table.run.fired]).toEqual(["enter:a[0]", []]);
  });
});

describe("a node that only looks", () => {
  it("asks its chain as its work, and leaves by the chain's word", () => {
    const flow = flowOf(nodesFile([codeNode("a", { exit: [use("ci")], on: onPass("b") }), codeNode("b")]));
    const looking = { ...flow, nodes: { ...flow.nodes, a: { ...flow.nodes.a!, work: { kind: "none" as const } } } };
    const table = new Table(looking, hooked({}));
    expect(table.at).toBe("exit:a[0]");
    table.drive();
    expect([table.at, table.log, table.run.notes]).toEqual(["success", ["a.exit.ci:pass", "b:pass", "checkpoint"], []]);
  });

  it("waits and is woken without a word of any work", () => {
    let green = false;
    const flow = flowOf(nodesFile([codeNode("a", { exit: [use("ci")] })]));
    const looking = { ...flow, nodes: { ...flow.nodes, a: { ...flow.nodes.a!, work: { kind: "none" as const } } } };
    const table = new Table(looking, hooked({ ci: () => (green ? pass() : wait()) }));
    table.drive();
    green = true;
    table.send({ type: "signal", name: "push" });
    table.drive();
    expect(table.at).toBe("success");
  });
});
