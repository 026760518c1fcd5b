import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { BUDGET_MAX } from "../core/limits.js";
import { formatIssue } from "./issues.js";
import { parseLoop } from "./parse.js";
import type { StepsFile } from "./schema/file.js";

const EXAMPLES = new URL("../../test/examples/loops/", import.meta.url);
const example = (name: string) => readFileSync(new URL(`${name}.yaml`, EXAMPLES), "utf8");

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
const skills = (more: string) => `name: l\nskills: [a]\n${more}`;
const step = (keys: string) => `name: l\nsteps:\n  - {name: s, ${keys}}`;
const ROUNDS = "$".concat("{inputs.rounds}");

describe("the examples", () => {
  it("load, each with its body", () => {
    const bodies = readdirSync(EXAMPLES).map((file) => [
      file,
      load(readFileSync(new URL(file, EXAMPLES), "utf8")).file.body,
    ]);
    expect(Object.fromEntries(bodies)).toEqual({
      "design.yaml": "nodes",
      "dev.yaml": "skills",
      "phase.yaml": "doer",
      "pipeline.yaml": "steps",
      "validate.yaml": "skills",
    });
  });

  it("keep every value of a loop of skills as written", () => {
    verifies("loop.file.example-loads");
    expect(load(example("dev")).file).toMatchObject({
      body: "skills",
      name: "dev",
      skills: ["implement-next-phase", "commit"],
      trigger: "manual",
      goalState: "Every phase of the plan is implemented and committed",
      repeatUntil: "all_phases_complete",
      validators: [
        {
          tool: "run_tests",
          timeoutMs: 600_000,
          checks: [
            { name: "tests_pass", required: true },
            { name: "coverage_threshold", required: false },
          ],
        },
      ],
      onOptionalFailure: "warn",
      failureHandling: "pause",
      humanGate: true,
      onComplete: { success: "validate" },
    });
  });

  it("load a pipeline of five steps with all their keys, in its order", () => {
    verifies("steps.schema.example-loads");
    const text = `extensions: ["./ext.mjs:Ext"]\nagents_dir: sdk_agents\nllm: {model: m, base_url: "http://x", api_key_env: KEY, timeout: 60}\n${example("pipeline").replace("timeout: 600", "timeout: 30\n    setup: npm ci")}`;
    const { file, warnings } = load(text);
    const { steps, maxAttempts, llm, extensions } = file as StepsFile;
    expect(maxAttempts).toBe(10);
    expect(extensions).toEqual(["./ext.mjs:Ext"]);
    expect(llm).toEqual({ model: "m", baseUrl: "http://x", apiKeyEnv: "KEY", timeoutMs: 60_000 });
    expect(steps.map((one) => one.name)).toEqual(["dev", "test", "review", "qa", "commit"]);
    expect(steps[0]).toEqual({
      name: "dev",
      work: { kind: "agent", agent: "dev", produces: ["implementation-summary.md"] },
      onPass: { go: "step", name: "test", retry: false },
      onFail: { go: "failure" },
    });
    expect(steps[1]).toMatchObject({
      work: { kind: "command", run: "node --test", timeoutMs: 30_000, setup: "npm ci", env: {} },
      onFail: { go: "step", name: "dev", retry: true },
    });
    expect(steps[3]?.work).toMatchObject({
      maxIterations: 200,
      verdicts: { artifact: "qa-report.md", pass: "PASS", fail: "FAIL" },
    });
    expect(steps[4]).toMatchObject({ work: { kind: "action", action: "commit" }, onPass: { go: "success" } });
    expect(warnings).toEqual([]);
  });

  it("fill in what a doer loop leaves out", () => {
    const { file, wrote } = load("name: l\ndoer: d\nreviewer: [r, s]");
    expect(file).toMatchObject({
      reviewers: ["r", "s"],
      artifact: "REVIEW.md",
      maxIter: 5,
      maxResets: 3,
      humanGate: false,
    });
    expect("plan" in file).toBe(false);
    expect([wrote(["reviewer", 1]), wrote(["max_iter"])]).toEqual([true, false]);
  });

  it("take the first node as the start, and a hook's name for a hook without parameters", () => {
    expect(load(example("design")).file).toMatchObject({
      start: "design",
      nodes: [
        { exit: [{ hook: "validate-artifacts" }, { hook: "lint-artifacts", with: {} }], maxRepairs: 3 },
        { session: "inherit" },
        {},
      ],
    });
  });
});

describe("complaints", () => {
  it("come all at once, in the order of the file, with line and column", () => {
    verifies("loop.schema.unknown-key", "loop.schema.policy-words");
    const text = `name: dev
human_gates: false
skills: [a, " "]
on_optional_failure: wran
validators:
  - {tool: run_tests, checks: [{name: x, required: yes}]}
max_attempts: 0
`;
    expect(complaints(text)).toEqual([
      'l.yaml:2:1 "human_gates" is not known (did you mean "human_gate"?)',
      'l.yaml:3:13 entry 2 of "skills" must be the name of a skill (letters, digits, ".", "_" and "-", at most 200 characters), not blank text',
      'l.yaml:4:1 "on_optional_failure" must be proceed, warn or pause, not "wran" (did you mean "warn"?)',
      'l.yaml:6:42 "required" of check "x" of validator "run_tests" must be true or false, not "yes" (write true without quotes)',
      'l.yaml:7:1 "max_attempts" must be a whole number from 1 to 10000, not 0',
    ]);
  });

  it.each([
    [
      skills('max_attempts: "3"'),
      'l.yaml:3:1 "max_attempts" must be a whole number from 1 to 10000, not "3" (write it without quotes)',
    ],
    [skills("max_attempts: 2.5"), 'l.yaml:3:1 "max_attempts" must be a whole number from 1 to 10000, not 2.5'],
    [skills("max_repeats: 1e9"), 'l.yaml:3:1 "max_repeats" must be a whole number from 1 to 10000, not 1000000000'],
    [skills("max_attempts: .inf"), 'l.yaml:3:1 "max_attempts" must be a whole number from 1 to 10000, not Infinity'],
    [
      skills('human_gate: "no"'),
      'l.yaml:3:1 "human_gate" must be true or false, not "no" (write false without quotes)',
    ],
    [skills("human_gate: no"), 'l.yaml:3:1 "human_gate" must be true or false, not "no" (write false without quotes)'],
    [skills("goal_state: 3"), 'l.yaml:3:1 "goal_state" must be text, not 3'],
    [skills("goal_state:"), 'l.yaml:3:1 "goal_state" must be text, not empty'],
    [skills("failure_handling: explode"), 'l.yaml:3:1 "failure_handling" must be retry, pause or fail, not "explode"'],
    [skills("max_iter: 3"), 'l.yaml:3:1 "max_iter" belongs to a doer loop, and this is a skills loop'],
    [
      skills("isolation: {workspace: clone}"),
      'l.yaml:3:13 "workspace" in "isolation" is not in this release and nothing acts on it; leave it out',
    ],
    [
      skills("isolation: {memory: 2g}"),
      'l.yaml:3:13 "memory" of "isolation" must be a size from 16 MiB to 1024 GiB, such as "512 MiB", not "2g"',
    ],
    [skills("agents: {x: command}"), 'l.yaml:3:10 agent "x" with use: command needs "run", the program to start'],
    [
      `name: l\ndoer: d\nreviewer: r\nmax_iter: ${ROUNDS}`,
      `l.yaml:4:1 "max_iter" must be a whole number from 1 to 10000, not "${ROUNDS}"`,
    ],
    [
      step("agent: a, timeout: -1"),
      'l.yaml:3:25 "timeout" of step "s" must be a number of seconds from 0.1 to 604800, not -1',
    ],
    [
      step("agent: a, artifact: f.md"),
      'l.yaml:3:25 step "s" has "artifact" but no "verdicts"; name the two words of the verdict',
    ],
    [
      "skills: [a]\nsteps: []\nname: l",
      "l.yaml:2:1 the file must have exactly one of the bodies skills, steps, doer/reviewer and nodes, not skills and steps",
    ],
    [
      "name: l",
      "l.yaml:1:1 the file must have exactly one of the bodies skills, steps, doer/reviewer and nodes, not none",
    ],
    ["", "l.yaml:1:1 the file is empty; write a name and one of the bodies skills, steps, doer/reviewer and nodes"],
    ["a: 1\nb:\n\tc: 1", "l.yaml:3:1 not YAML: a tab indents this line; indent with spaces"],
    [skills("name: m"), 'l.yaml:3:1 "name" is written twice here; keep one'],
  ])("%j: %s", (text, message) => expect(complaints(text)).toEqual([message]));

  it("show what was found cut, and without anything that steers a terminal", () => {
    const [line] = complaints(skills(`on_optional_failure: "\\e[31m${"x".repeat(200)}\\u202E"`));
    expect(line).toBe(`l.yaml:3:1 "on_optional_failure" must be proceed, warn or pause, not "[31m${"x".repeat(56)}…"`);
  });
});

describe("the bodies", () => {
  it("are exactly one", () => {
    verifies("loop.file.exactly-one-body");
    expect(codes("name: l")).toEqual(["wrong-body"]);
    expect(codes("name: l\nskills: [a]\nnodes: []")).toEqual(["wrong-body"]);
    expect(codes("name: l\nreviewer: r\nsteps: []")).toEqual(["wrong-body"]);
    expect(complaints("name: l\nreviewer: r")).toEqual([
      'l.yaml:1:1 "doer" is missing; it must be the name of an agent (letters, digits, ".", "_" and "-", at most 200 characters)',
    ]);
  });

  it.each([
    ["a name that is missing", "skills: [a]", '"name" is missing'],
    ["a name that is blank", "name: '  '\nskills: [a]", '"name" must be the loop\'s name'],
    ["a name that is a path", "name: ../x\nskills: [a]", 'not "../x"'],
    ["no skills", "name: l\nskills: []", '"skills" must be a list of 1 to 1000 skills, not an empty list'],
    ["skills that are no list", "name: l\nskills: a", '"skills" must be a list of 1 to 1000 skills, not "a"'],
    ["a skill that is a path", "name: l\nskills: [../../etc/hosts]", 'not "../../etc/hosts"'],
    ["a gate that is neither true nor false", skills("human_gate: 1"), '"human_gate" must be true or false, not 1'],
    ["a goal that is a list", skills("goal_state: [a]"), '"goal_state" must be text, not a list'],
  ])("refuse %s", (_, text, part) => {
    verifies("loop.schema.basic-fields");
    expect(complaints(text).join("\n")).toContain(part);
  });

  it.each([
    ["{checks: []}", '"tool" of validator 1 is missing'],
    ["{tool: ' '}", '"tool" of validator 1 must be'],
    ["{tool: ../../bin/sh}", 'not "../../bin/sh"'],
    ["{tool: t, checks: [{required: true}]}", '"name" of check 1 of validator "t" is missing'],
    [
      "{tool: t, checks: [{name: c, required: 1}]}",
      '"required" of check "c" of validator "t" must be true or false, not 1',
    ],
    ["{tool: t, checks: [{name: c}, {name: c}]}", 'check "c" of validator "t" has the name of entry 1'],
    ["{tool: t, timeout_seconds: 0}", '"timeout_seconds" of validator "t" must be a number of seconds'],
  ])("refuse the validator %s", (entry, part) => {
    verifies("loop.schema.validators");
    expect(complaints(skills(`validators: [${entry}]`)).join("\n")).toContain(part);
  });

  it("know the words of the trigger, and say which of them nothing acts on", () => {
    verifies("loop.schema.trigger");
    expect(load(skills("trigger: {type: manual}")).warnings).toEqual([]);
    for (const word of ["auto", "notify_and_wait"]) {
      const { file, warnings } = load(skills(`trigger: {type: ${word}}`));
      expect([file.trigger, warnings.map((one) => one.code)]).toEqual([word, ["not-acted-upon"]]);
    }
    expect(complaints(skills("trigger: {type: cron}"))).toEqual([
      'l.yaml:3:11 "type" of "trigger" must be manual, on_complete, notify_and_wait or auto, not "cron"',
    ]);
  });

  it("read ignore as proceed", () => {
    expect(load(skills("on_optional_failure: ignore")).file.onOptionalFailure).toBe("proceed");
  });

  it("take a loop to trigger for each end, and no other key", () => {
    verifies("loop.schema.on-complete");
    const ends = "{on_success: {trigger_loop: a}, on_warning: {trigger_loop: b}, on_failure: {trigger_loop: c}}";
    expect(load(skills(`on_complete: ${ends}`)).file.onComplete).toEqual({ success: "a", warning: "b", failure: "c" });
    expect(complaints(skills("on_complete: {on_sucess: {trigger_loop: a}}"))).toEqual([
      'l.yaml:3:15 "on_sucess" in "on_complete" is not known (did you mean "on_success"?)',
    ]);
  });

  it("refuse limits and counts that would switch a bound off, with the range", () => {
    verifies("policy.fixed-not-configurable");
    const text = "name: l\ndoer: d\nreviewer: r\nmax_repeats: 0\nmax_resets: -1\nlimits: {minutes: 0}";
    expect(complaints(text)).toEqual([
      'l.yaml:4:1 "max_repeats" must be a whole number from 1 to 10000, not 0',
      'l.yaml:5:1 "max_resets" must be a whole number from 1 to 10000, not -1',
      'l.yaml:6:10 "minutes" of "limits" must be a number of minutes from 0.01 to 20160, not 0',
    ]);
    expect(load(skills(`max_attempts: ${BUDGET_MAX}`)).file.maxAttempts).toBe(BUDGET_MAX);
    for (const key of [
      "sandbox: false",
      "isolation: false",
      "isolation: {engine: none}",
      "isolation: {require: {network: none}}",
    ])
      expect(complaints(skills(key))).toHaveLength(1);
    for (const key of ["on_unclear", "clean_start", "artifact_hygiene", "unlimited", "sandbox", "allow_dirty"])
      expect(codes(skills(`${key}: true`))).toEqual(["unknown-key"]);
  });

  it("treat a blank description as none, and keep one of several lines", () => {
    expect("description" in load(skills("description: '   '")).file).toBe(false);
    expect(load(skills("description: |\n  a\n  b\n  c\n  d")).file.description).toBe("a\nb\nc\nd\n");
  });
});
