import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { FINDINGS_MAX, OUTPUT_CHARS_MAX } from "../core/limits.js";
import { type DeclaredValidator, input, judge } from "./contract.js";
import type { ValidatorRun } from "./validator-answer.js";

const declared: DeclaredValidator = {
  tool: "run_tests",
  checks: [
    { name: "tests", required: true },
    { name: "coverage", required: false },
  ],
};
const free: DeclaredValidator = { tool: "run_tests", checks: [] };
const ended = (stdout: unknown, more: Partial<ValidatorRun> = {}): ValidatorRun => ({
  exit: 0,
  stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout),
  stderrTail: "",
  timedOut: false,
  limitSeconds: 600,
  path: "validators/run_tests.sh",
  ...more,
});
const checks = (tests: boolean, coverage: boolean) => [
  { name: "tests", pass: tests },
  { name: "coverage", pass: coverage },
];
const texts = (judged: ReturnType<typeof judge>): string[] =>
  judged.verdict.findings.map(({ where, text, severity }) => `${severity} ${where}: ${text}`);

describe("an answer that keeps the contract", () => {
  test("passes when every declared check does", () => {
    const judged = judge(declared, ended({ pass: true, message: "42 green", checks: checks(true, true) }));
    expect(judged.verdict).toEqual({ status: "pass", outcome: "pass", findings: [], output: "42 green" });
    expect(judged.result).toEqual({
      pass: true,
      message: "42 green",
      checks: [
        { name: "tests", pass: true, required: true, reported: true },
        { name: "coverage", pass: true, required: false, reported: true },
      ],
    });
  });
  test("blocks when a required check fails, with the message once and each check by name (validators-42)", () => {
    const judged = judge(
      declared,
      ended({ pass: false, message: "cart.test.ts is red", checks: checks(false, false) }),
    );
    expect(judged.verdict).toMatchObject({ status: "block", outcome: "block", output: "cart.test.ts is red" });
    expect(texts(judged)).toEqual([
      "error run_tests: cart.test.ts is red",
      "error tests: failed",
      "warning coverage: failed",
    ]);
  });
  test.each([true, false])("is optional when only optional checks fail, whatever it says above (%s)", (pass) => {
    verifies("policy.loop-and-checks-decide");
    const said = [
      { name: "tests", pass: true },
      { name: "coverage", pass: false, message: "71 % of 80 %" },
    ];
    const judged = judge(declared, ended({ pass, message: "m", checks: said }));
    expect(judged.verdict).toMatchObject({ status: "pass", outcome: "optional" });
    expect(texts(judged)).toEqual(["warning run_tests: m", "warning coverage: 71 % of 80 %"]);
  });
  test("is the loop's business: the same answer blocks where the check is required", () => {
    verifies("policy.loop-and-checks-decide");
    const strict = { ...declared, checks: declared.checks.map(({ name }) => ({ name, required: true })) };
    const answer = { pass: false, message: "m", checks: checks(true, false) };
    expect(judge(strict, ended(answer)).verdict.outcome).toBe("block");
    expect(judge(declared, ended(answer)).verdict.outcome).toBe("optional");
    expect(judge(declared, ended({ ...answer, message: "all is well", more: [1] })).verdict.outcome).toBe("optional");
  });
  test("may end with exit code 1 when it says no", () => {
    const judged = judge(declared, ended({ pass: false, message: "", checks: checks(true, false) }, { exit: 1 }));
    expect(judged.verdict.outcome).toBe("optional");
  });
  test("shows the end of its log beside a failure (validators-41)", () => {
    const answer = { pass: false, message: "red", checks: checks(false, true) };
    expect(judge(declared, ended(answer, { stderrTail: "not ok 3 cart rounds\u001B[0m\n" })).verdict.output).toBe(
      "red\n\nnot ok 3 cart rounds",
    );
  });
});

describe("a declared check", () => {
  test("that is not reported has failed and says so (validators-5)", () => {
    verifies("validator.output.check-missing");
    const judged = judge(declared, ended({ pass: true, message: "", checks: [{ name: "coverage", pass: true }] }));
    expect(judged.verdict.outcome).toBe("block");
    expect(texts(judged)).toEqual(["error tests: was not reported by the validator"]);
    expect(judged.result.checks[0]).toMatchObject({ pass: false, reported: false });
  });
  test("that an undeclared one sits beside decides alone", () => {
    const said = [...checks(true, true), { name: "lint", pass: false, message: "2 places" }];
    const judged = judge(declared, ended({ pass: true, message: "", checks: said }));
    expect(judged.verdict.outcome).toBe("pass");
    expect(texts(judged)).toEqual(["info lint: 2 places"]);
  });
  test("whose entry is malformed has failed", () => {
    const said = [
      { name: "tests", pass: "yes" },
      { name: "coverage", pass: true },
    ];
    const judged = judge(declared, ended({ pass: true, message: "", checks: said }));
    expect(judged.verdict.status).toBe("block");
    expect(texts(judged)).toContain('error tests: "checks[0].pass" must be true or false');
  });
  test("that is called like a property of objects is a name like others", () => {
    const odd = { tool: "t", checks: [{ name: "__proto__", required: true }] };
    expect(
      judge(odd, ended('{"pass": true, "message": "", "checks": [{"name": "__proto__", "pass": true}]}')).verdict
        .status,
    ).toBe("pass");
    expect(judge(odd, ended({ pass: true, message: "", checks: [] })).verdict.status).toBe("block");
  });
});

describe("without declared checks", () => {
  test("the top-level answer decides (validators-1)", () => {
    const no = judge(free, ended({ pass: false, message: "no spec", checks: [] }));
    expect(no.verdict).toMatchObject({ status: "block", output: "no spec" });
    expect(texts(no)).toContain("error run_tests: no spec");
    expect(judge(free, ended({ pass: true, message: "" })).verdict.outcome).toBe("pass");
  });
});

describe("a contradiction is named and fails", () => {
  test("yes above a required no (validators-4)", () => {
    const judged = judge(declared, ended({ pass: true, message: "", checks: checks(false, true) }));
    expect(judged.verdict.status).toBe("block");
    expect(judged.result.pass).toBe(false);
    expect(texts(judged)[0]).toBe(
      'error run_tests: the validator says "pass": true although the required "tests" failed',
    );
  });
  test("no above every declared yes (validators-6)", () => {
    const said = [...checks(true, true), { name: "lint", pass: false }];
    const judged = judge(declared, ended({ pass: false, message: "", checks: said }));
    expect(judged.verdict.status).toBe("block");
    expect(texts(judged)).toEqual([
      'error run_tests: the validator says "pass": false although every declared check passed; failed: "lint"',
      "info lint: failed",
    ]);
  });
  test("one check with two answers", () => {
    const said = [...checks(true, true), { name: "tests", pass: false, message: "red" }];
    const judged = judge(declared, ended({ pass: false, message: "", checks: said }));
    expect(texts(judged)).toEqual([
      'error run_tests: the validator reports "tests" as passed and as failed',
      "error tests: red",
    ]);
  });
});

type Broken = [name: string, run: ValidatorRun, cause: string];
const good = { pass: true, message: "", checks: checks(true, true) };
const shown = '"validators/run_tests.sh"';
const brokenRuns: Broken[] = [
  [
    "stray lines before (validators-2)",
    ended(`starting…\n${JSON.stringify(good)}`),
    `${shown} printed "starting…" besides its answer: only one JSON object belongs on stdout, logs belong on stderr`,
  ],
  [
    "stray lines behind",
    ended(`${JSON.stringify(good)}\ndone\n`),
    `${shown} printed "done" besides its answer: only one JSON object belongs on stdout, logs belong on stderr`,
  ],
  ["half an answer", ended('{"pass": tr'), `${shown} printed no valid JSON: {"pass": tr`],
  ["nothing", ended(" \n", { stderrTail: "Killed\n" }), `${shown} printed no answer (exit code 0): Killed`],
  ["a list", ended([]), `${shown} breaks the contract: the answer must be an object`],
  ["no pass", ended({ message: "", checks: [] }), `${shown} breaks the contract: "pass" must be true or false`],
  ["a number as message", ended({ ...good, message: 1 }), `${shown} breaks the contract: "message" must be a text`],
  [
    "checks as object (validators-3)",
    ended({ ...good, checks: { tests: true } }),
    `${shown} breaks the contract: "checks" must be a list of {"name", "pass"}`,
  ],
  [
    "a crash after a good answer (validators-7)",
    ended(good, { exit: 2, stderrTail: "x\nsegfault\n" }),
    `${shown} ended with exit code 2; its answer is not used: segfault`,
  ],
  [
    "exit code 1 under a yes",
    ended(good, { exit: 1 }),
    `${shown} says "pass": true and ends with exit code 1; its answer is not used`,
  ],
  [
    "a time-out (validators-44)",
    ended(good, { timedOut: true, limitSeconds: 120 }),
    `${shown} did not answer within 120 s; raise "timeout_seconds" of the validator "run_tests" in the loop file`,
  ],
  [
    "too much",
    ended(good, { stdoutCut: true }),
    `${shown} printed more than can be read; one JSON object belongs on stdout, logs on stderr`,
  ],
];
const { path: _path, exit: _exit, ...gone } = ended("");
brokenRuns.push(["no file", gone, 'there is no validator "run_tests": looked for "validators/run_tests.*"']);
brokenRuns.push(["a signal", { ...gone, path: "validators/run_tests.sh" }, `${shown} was ended by a signal`]);

test.each(brokenRuns)("%s fails every declared check with the cause", (_name, run, cause) => {
  const { verdict, result } = judge(declared, run);
  expect(verdict).toMatchObject({ status: "block", outcome: "block" });
  expect(result).toEqual({
    pass: false,
    message: cause,
    checks: declared.checks.map((check) => ({ ...check, pass: false, message: cause, reported: false })),
  });
  expect(verdict.findings.map((each) => each.text)).toEqual([
    cause,
    "failed: the validator gave no answer for it",
    "failed: the validator gave no answer for it",
  ]);
  expect(judge(free, run).verdict.status).toBe("block");
});
test("an entry without a name is a failed check with its place (validators-3)", () => {
  const judged = judge(declared, ended({ ...good, checks: [...good.checks, { pass: true }, 7] }));
  expect(judged.verdict.status).toBe("block");
  expect(texts(judged)).toEqual([
    'error run_tests: the validator breaks the contract: "checks[2].name" must be a text',
    'error run_tests: the validator breaks the contract: "checks[3]" must be an object',
  ]);
});
test("a broken validator whose checks are all optional is optional", () => {
  const optional = { tool: "lint", checks: [{ name: "style", required: false }] };
  expect(judge(optional, ended("")).verdict.outcome).toBe("optional");
});
test("findings and output are bounded and clean", () => {
  const said = Array.from({ length: 500 }, (_, i) => ({ name: `c${i}`, pass: false, message: "\u001B[31mred\0" }));
  const { verdict } = judge(declared, ended({ pass: false, message: "m".repeat(9_000), checks: said }));
  expect(verdict.findings).toHaveLength(FINDINGS_MAX);
  expect(verdict.output).toHaveLength(OUTPUT_CHARS_MAX);
  expect(verdict.findings[4]?.text).toBe("red");
});
test("no answer whatever makes a pass of a required check that is not said to pass", () => {
  const entry = fc.record({
    name: fc.constantFrom("tests", "coverage", "x", 1),
    pass: fc.constantFrom(true, false, "true", null),
  });
  const answer = fc.record({
    pass: fc.anything(),
    message: fc.anything(),
    checks: fc.oneof(fc.array(entry), fc.anything()),
  });
  fc.assert(
    fc.property(fc.oneof(answer, fc.anything()), fc.constantFrom(0, 1, 2, 127), (json, exit) => {
      const stdout = JSON.stringify(json) ?? "";
      if (judge(declared, ended(stdout, { exit })).verdict.status !== "pass") return;
      const { checks: said } = JSON.parse(stdout) as { checks: { name: unknown; pass: unknown }[] };
      expect(exit).toBeLessThan(2);
      expect(said.filter((each) => each.name === "tests").map((each) => each.pass)).toContain(true);
      expect(said.some((each) => each.name === "tests" && each.pass !== true)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("a validator is told outputs, goal and where it is", () => {
  const told = {
    skillOutputs: { plan: "a\nb" },
    goalState: " as it is ",
    job: "SHOP-7",
    run: "dev-7f3k2a",
    loop: "dev",
  };
  expect(JSON.parse(input({ ...told, branch: "main", ticket: undefined }))).toEqual({
    skill_outputs: { plan: "a\nb" },
    goal_state: " as it is ",
    loop_context: { job_id: "SHOP-7", task_id: "dev-7f3k2a", loop_name: "dev", branch: "main", ticket: null },
  });
});
