import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/harness/verifies.js";
import { formatIssue } from "../issues.js";
import { parseLoop } from "../parse.js";
import type { StepsFile } from "./file.js";

function load(text: string) {
  const parsed = parseLoop(text, "l.yaml");
  if ("issues" in parsed) throw new Error(parsed.issues.map(formatIssue).join("\n"));
  return parsed;
}
const complaints = (text: string): string[] => {
  const parsed = parseLoop(text, "l.yaml");
  return "issues" in parsed ? parsed.issues.map(formatIssue) : [];
};
const codes = (text: string): string[] => {
  const parsed = parseLoop(text, "l.yaml");
  return "issues" in parsed ? parsed.issues.map((issue) => issue.code) : [];
};
const step = (keys: string) => `name: l\nsteps:\n  - {name: s, ${keys}}`;
const node = (keys: string) => `name: l\nnodes:\n  - {id: n, ${keys}}`;

describe("steps", () => {
  it.each([
    ["", 'step "s" must have exactly one of agent, skill, command, action, gate and loop, not none'],
    ["agent: a, command: b", "not agent and command"],
    ["agent: a, command: b, action: c", "not agent, command and action"],
    ['command: ""', '"command" of step "s" must be a command line, not blank text'],
    ["agent: null", '"agent" of step "s" must be the name of an agent'],
  ])("do exactly one thing: {%s}", (keys, part) => {
    verifies("steps.schema.kind");
    expect(complaints(step(keys)).join("\n")).toContain(part);
  });

  it("are not told apart by their names", () => {
    verifies("steps.schema.kind");
    expect(complaints("name: l\nsteps: [{name: test}, {name: commit}]")).toHaveLength(2);
    expect((load("name: l\nsteps: [{name: commit, command: x}]").file as StepsFile).steps[0]?.work.kind).toBe(
      "command",
    );
  });

  it("have names of their own that are no ends", () => {
    verifies("steps.schema.names");
    const text =
      "name: l\nsteps:\n  - {name: a, command: x}\n  - {name: a, command: x}\n  - {name: success, command: x}\n  - {name: failure, command: x}";
    expect(complaints(text)).toEqual([
      'l.yaml:4:6 step "a" has the name of entry 1; names are used once',
      'l.yaml:5:6 step "success" has the name of an end of the run; success and failure are no names',
      'l.yaml:6:6 step "failure" has the name of an end of the run; success and failure are no names',
    ]);
    for (const name of ["a/b", '"a\\u0007"', "constructor", "__proto__", "x".repeat(201)])
      expect(codes(`name: l\nsteps: [{name: ${name}, command: x}]`).length, name).toBe(1);
    expect(codes(`name: l\nsteps: [{name: ${"x".repeat(200)}, command: x}]`)).toEqual([]);
  });

  it.each(["produces: a", "artifact: a", "verdicts: {pass: a, fail: b}", "max_iterations: 3", "params: {a: 1}"])(
    "with a command have no %s",
    (key) => {
      verifies("steps.schema.command-fields");
      const [line] = complaints(step(`command: x, ${key}`));
      expect(line).toBe(
        `l.yaml:3:27 "${key.split(":")[0]}" of step "s" does not go with "command"; it may have on_pass, on_fail, timeout, setup and env`,
      );
      expect(complaints(step("command: x, timeout: 3, setup: y, env: {A: b}"))).toEqual([]);
    },
  );

  it("have artifact and verdicts together, without produces", () => {
    verifies("steps.schema.artifact-with-verdicts");
    const both = "artifact: a, verdicts: {pass: A, fail: B}";
    expect(complaints(step(`agent: x, ${both}`))).toEqual([]);
    expect(complaints(step("agent: x, verdicts: {pass: A, fail: B}")).join()).toContain(
      'has "verdicts" but no "artifact"',
    );
    expect(complaints(step(`agent: x, ${both}, produces: b`)).join()).toContain('has both "produces" and "artifact"');
    expect(complaints(step("agent: x, artifact: a, verdicts: {pass: A}")).join()).toContain(
      '"fail" of "verdicts" of step "s" is missing',
    );
    expect(complaints(step("agent: x, artifact: a, verdicts: {pass: A, fail: ' '}")).join()).toContain(
      "not blank text",
    );
    expect(complaints(step("agent: x, artifact: a, verdicts: {pass: A, fail: a}")).join()).toContain(
      "for both pass and fail",
    );
  });

  it("lead where the route says, and know where it stood", () => {
    const { file, at } = load(
      "name: l\nsteps:\n  - name: a\n    gate: Ship?\n    options: [yes, no]\n    on_pass: failure\n    on_fail: {goto: success, retry: true}",
    );
    expect((file as StepsFile).steps[0]).toEqual({
      name: "a",
      work: { kind: "gate", question: "Ship?", options: ["yes", "no"] },
      onPass: { go: "failure" },
      onFail: { go: "success" },
    });
    expect(at(["steps", 0, "on_fail", "goto"])).toEqual({ line: 7, col: 15 });
    expect(at(["steps", 0, "on_pass", "goto"])).toEqual({ line: 6, col: 5 });
    expect(at(["steps", 0])).toEqual({ line: 3, col: 5 });
  });
});

describe("nodes", () => {
  it.each([
    ["actor: agent, agent: a, exitt: [x]", '"exitt" in node "n" is not known (did you mean "exit"?)'],
    ["actor: agent, command: a", 'node "n" with actor agent must have exactly one of agent and skill, not command'],
    ["actor: human", 'node "n" with actor human must have the key question, not none'],
    [
      "actor: code, action: a, timeout: 3",
      '"timeout" of node "n" does not go with "action"; it may have params and produces',
    ],
    ["actor: robot, agent: a", '"actor" of node "n" must be agent, human or code, not "robot"'],
    ["actor: code, command: x, exit: [{hook: h, shell: rm}]", "hooks are registered code"],
    ["actor: code, command: x, exit: [{argv: [rm]}]", "hooks are registered code"],
    ["actor: code, command: x, exit: ['npm test']", 'entry 1 of "exit" of node "n" must be the name of a hook'],
    ["actor: agent, agent: a, session: old", '"session" of node "n" must be new or inherit, not "old"'],
    ["actor: code, command: x, on: {pass: {goto: 3}}", '"goto" of "pass" of "on" of node "n" must be a step\'s name'],
    ["actor: code, command: x, max_repairs: 0", '"max_repairs" of node "n" must be a whole number'],
  ])("refuse {%s}", (keys, part) => expect(complaints(node(keys)).join("\n")).toContain(part));

  it("may be called on and no, which are text", () => {
    const { file } = load("name: l\nnodes:\n  - {id: no, actor: code, command: x, on: {on: no, pass: success}}");
    expect(file).toMatchObject({
      start: "no",
      nodes: [{ id: "no", on: { on: { go: "step", name: "no" }, pass: { go: "success" } } }],
    });
  });
});
