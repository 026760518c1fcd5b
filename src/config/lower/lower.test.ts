// From a checked file to a flow: what each body becomes, what all share, and every complaint at once.
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/harness/verifies.js";
import {
  agentNode,
  agentStep,
  codeNode,
  commandStep,
  doerFile,
  flowOf,
  goto,
  humanNode,
  known,
  lowered,
  nodesFile,
  retry,
  skillsFile,
  stepsFile,
  use,
  validator,
} from "../../../testing/files.js";
import { block, isQuestion, nameOf, type Player, pass, Table } from "../../../testing/index.js";
import type { Step, StepsFile } from "../schema/file.js";

const complaints = (file: Parameters<typeof lowered>[0], more: Parameters<typeof known>[0] = {}) =>
  lowered(file, {}, known(more)).issues.map((issue) => [issue.code, issue.message, issue.hint]);
const commit: Pick<Step, "name" | "work"> = { name: "commit", work: { kind: "action", action: "commit", params: {} } };

describe("human_gate", () => {
  it("puts a gate on every passing way out of a step, whatever the outcome is called", () => {
    const flow = flowOf(stepsFile([commandStep("one"), commit], { humanGate: true }));
    const gated = (name: string) =>
      Object.entries(flow.nodes[name]?.routes ?? {}).map(([outcome, { to }]) => [outcome, to]);
    expect(gated("one")).toEqual([
      ["pass", { node: "gate-after:one" }],
      ["block", { end: "failure" }],
    ]);
    expect(gated("commit")).toEqual([
      ["pass", { node: "gate-after:commit" }],
      ["not-committed", { node: "gate-after:commit:not-committed" }],
    ]);
    const table = new Table(flow, (command) => (isQuestion(command) ? undefined : pass(outcomeAt(nameOf(command)))));
    const outcomeAt = (name: string) => (name === "commit" ? "not-committed" : undefined);
    table.drive();
    table.say("continue");
    table.drive();
    expect(table.at).toBe("work:gate-after:commit:not-committed");
    table.say("continue");
    table.drive();
    expect([table.at, table.run.marks]).toEqual(["success", { "not-committed": 1 }]);
  });

  it("puts one on an approval with warnings too, but none before the question about manual items, and none on a way back", () => {
    const flow = flowOf(doerFile({ humanGate: true }));
    const routes = flow.nodes.reviewer?.routes;
    expect(routes?.approved?.to).toEqual({ node: "gate-after:reviewer:approved" });
    expect(routes?.["approved-with-warnings"]?.to).toEqual({ node: "gate-after:reviewer:approved-with-warnings" });
    expect(routes?.["pending-manual"]?.to).toEqual({ node: "confirm" });
    expect(routes?.block?.to).toEqual({ node: "doer" });
    expect(routes?.unclear?.to).toMatchObject({ park: "no-verdict" });
  });

  it("puts none after a question, and none on the way a failed step takes", () => {
    const gate: Pick<Step, "name" | "work"> = { name: "ask", work: { kind: "gate", question: "Go on?" } };
    const flow = flowOf(stepsFile([gate, commandStep("one", { onFail: { go: "success" } })], { humanGate: true }));
    expect(flow.nodes.ask?.routes).toMatchObject({
      approve: { to: { node: "one" } },
      reject: { to: { end: "failure" } },
    });
    expect(flow.nodes.one?.routes.block?.to).toEqual({ end: "success" });
    expect(Object.keys(flow.nodes)).toEqual(["ask", "one", "gate-after:one"]);
  });
});

describe("what stands before success", () => {
  const judged = { validators: [validator("tests", true)] };

  it("is reached from every body, and from nowhere round it", () => {
    const on = {
      approved: { go: "success" },
      "approved-with-comments": { go: "success" },
      "changes-requested": { go: "success" },
    } as const;
    const files = [
      skillsFile(["plan"], { ...judged, humanGate: true }),
      stepsFile([commandStep("one", { onFail: { go: "success" } })], judged),
      doerFile(judged),
      nodesFile([humanNode("ok", { on })], judged),
      nodesFile(
        [agentNode("a", { exit: [use("lint")], on: { pass: { go: "success" }, block: { go: "success" } } })],
        judged,
      ),
    ];
    for (const file of files) {
      const table = new Table(flowOf(file), everybody);
      const [first] = Object.values(table.flow.nodes);
      if (first && "pass" in first.routes && file.body !== "steps") table.answer(pass());
      table.drive();
      expect([file.body, table.at]).toEqual([file.body, "parked:validation-failed"]);
    }
  });
  /** People and reviewers say yes, other work and every check say no, each time with other words. */
  const everybody: Player = (command, { run }) => {
    if (command.do === "hook") return command.hook.hook === "lint" ? block(`finding at ${run.seq}`) : pass();
    if (command.do !== "work") return undefined;
    if (command.work.kind === "ask") return pass(command.work.options[0]);
    return command.node.name === "reviewer" ? pass("approved") : block("red");
  };

  it("is nothing where nobody judges and no condition holds the run", () => {
    expect(Object.keys(flowOf(skillsFile(["plan"])).nodes)).toEqual(["plan"]);
    expect(flowOf(skillsFile(["plan"])).nodes.plan?.routes.pass).toEqual({ to: { end: "success" } });
  });

  it("tells each validator its checks and its time, and a second use of one by its place", () => {
    const flow = flowOf(skillsFile(["plan"], { validators: [validator("tests", true, false), validator("tests")] }));
    expect(flow.nodes[":validators"]?.work).toMatchObject({
      kind: "fan",
      inTurn: true,
      branches: {
        tests: {
          kind: "check",
          hook: "validator",
          params: {
            tool: "tests",
            timeout_seconds: 600,
            checks: [
              { name: "check-1", required: true },
              { name: "check-2", required: false },
            ],
          },
        },
        "tests#2": { params: { checks: [] } },
      },
    });
  });
});

describe("the same thing twice", () => {
  it("as a skill is told apart by its place", () => {
    expect(flowOf(skillsFile(["plan", "build", "plan"])).steps).toEqual(["plan", "build", "plan#3"]);
  });
  it("as a name of a generated node is refused", () => {
    const file = stepsFile([commandStep("gate-after:one"), commandStep("one")], { humanGate: true });
    expect(complaints(file)).toContainEqual([
      "duplicate-name",
      'the name "gate-after:one" is needed by a generated node',
      undefined,
    ]);
  });
});

describe("complaints", () => {
  it("come all at once: unknown step, agent, skill, action, loop, condition, document, variable", () => {
    verifies("steps.route.targets");
    const steps: Parameters<typeof stepsFile>[0] = [
      agentStep("one", { onPass: goto("tow"), work: { kind: "agent", agent: "nobody", produces: [] } }),
      commandStep("two"),
      { name: "three", work: { kind: "skill", skill: "fly", produces: [] } },
      { name: "four", work: { kind: "action", action: "comit", params: {} } },
      { name: "five", work: { kind: "loop", loop: "valdate" } },
    ];
    const isolation = { ...stepsFile([]).isolation, env: { TOKEN: { from: "HOST_TOKEN" } } };
    const more: Partial<StepsFile> = {
      onComplete: { success: "nowhere" },
      additionalFiles: ["NONE.md"],
      repeatUntil: "moon",
      isolation,
    };
    const found = complaints(stepsFile(steps, more), { fallback: "other", isSet: () => false });
    expect(found.map(([code]) => code).sort()).toEqual([
      "missing-document",
      "missing-variable",
      "unknown-action",
      "unknown-agent",
      "unknown-agent",
      "unknown-condition",
      "unknown-loop",
      "unknown-loop",
      "unknown-skill",
      "unknown-step",
    ]);
    expect(found.find(([code]) => code === "unknown-step")?.slice(1)).toEqual([
      '"one" leads to "tow", which is no step; there are: one, two, three, four, five',
      'did you mean "two"?',
    ]);
  });

  it("warn of a way back that nobody counts, with the mend", () => {
    const { flow, issues } = lowered(stepsFile([agentStep("dev"), commandStep("test", { onFail: goto("dev") })]));
    expect(flow).toBeDefined();
    expect(issues).toMatchObject([
      {
        code: "unpaid-way-back",
        severity: "warning",
        message: 'the way back from "test" to "dev" is bounded only by 100 hidden laps',
        hint: "write {goto: dev, retry: true} to count it as an attempt",
      },
    ]);
  });

  it("name both files of an ambiguous validator, and only warn of one that is not there yet", () => {
    const two = [
      { path: "validators/tests.py", digest: "1" },
      { path: "validators/tests.sh", digest: "2" },
    ];
    const file = skillsFile(["plan"], { validators: [validator("tests", true), validator("later", true)] });
    expect(complaints(file, { validators: { tests: two } }).map(([code, message]) => [code, message])).toEqual([
      ["unknown-validator", 'validator "tests" is ambiguous: validators/tests.py and validators/tests.sh'],
      ["unknown-validator", 'validator "later" is not found yet'],
    ]);
    expect(lowered(file).flow).toBeDefined();
  });

  it("refuse an agent that this release does not drive, and a default agent that is not known", () => {
    const strange = stepsFile([agentStep("one")], { performers: { dev: { use: "typewriter" } } });
    expect(complaints(strange)).toEqual([
      [
        "not-in-release",
        'agent "dev" uses "typewriter", which this release does not drive',
        "this release drives command, claude-code, host",
      ],
    ]);
    expect(complaints(skillsFile(["plan"], { performers: {} }), { fallback: "somebody" })[0]?.[0]).toBe(
      "unknown-agent",
    );
    const { fallback: _, ...nobody } = known();
    expect(lowered(skillsFile(["plan"]), {}, nobody).issues[0]?.message).toBe("there is no agent to do this step");
  });

  it("refuse hooks that are not registered and a plan that is not there", () => {
    expect(complaints(nodesFile([codeNode("a", { exit: [use("lnit")] })]))[0]).toEqual([
      "unknown-hook",
      expect.stringContaining('hook "lnit" is not registered'),
      'did you mean "lint"?',
    ]);
    expect(complaints(doerFile({ plan: "NO.md" }))[0]?.[0]).toBe("missing-document");
    expect(flowOf(doerFile({ plan: "PLAN.md" })).named).toEqual({ "document PLAN.md": "d1" });
  });

  it("refuse a start that is no node", () => {
    expect(complaints(nodesFile([codeNode("a")], { start: "b" }))[0]?.[0]).toBe("unknown-step");
  });
});

describe("a flow", () => {
  it("has one digest for one file and another for any change that counts", () => {
    const digest = (more: Partial<StepsFile>) => flowOf(stepsFile([commandStep("one")], more)).digest;
    expect(digest({})).toBe(digest({}));
    expect(new Set([digest({}), digest({ maxAttempts: 4 }), digest({ goalState: "more" })]).size).toBe(3);
    expect(digest({})).toMatch(/^[0-9a-f]{64}$/);
  });

  it("carries the caps of the command line", () => {
    verifies("attempts.flag-overrides");
    const steps = flowOf(stepsFile([commandStep("one", { onFail: retry("one") })]), { maxAttempts: 7, maxIter: 99 });
    expect(steps.budgets).toMatchObject({ attempts: { limit: 6, first: 1 } });
    const doer = flowOf(doerFile(), { maxIter: 2, maxResets: 4 });
    expect(doer.budgets).toMatchObject({ iterations: { limit: 1 }, resets: { limit: 3 } });
  });

  it("reads the words of a verdict: pass and fail of a step, worst of a review", () => {
    const verdicts = { artifact: "r.md", pass: "OK", fail: "NO" };
    const step: Pick<Step, "name" | "work"> = {
      name: "r",
      work: { kind: "agent", agent: "dev", produces: [], verdicts },
    };
    expect(flowOf(stepsFile([step])).nodes.r).toMatchObject({
      produces: ["r.md"],
      work: { verdict: { reading: "last", words: { OK: { status: "pass" }, NO: { status: "block" } } } },
    });
    expect(flowOf(doerFile()).nodes.reviewer).toMatchObject({
      produces: ["REVIEW.md"],
      work: { access: "read", verdict: { reading: "worst" } },
    });
  });
});
