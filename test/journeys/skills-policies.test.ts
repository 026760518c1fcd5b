// What failed checks lead to: pause, fail, retry; proceed, warn, pause. And which loop follows.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { answering, passing, report, skillsGround } from "./skills-ground.js";

const loop = (keys: string, more = ""): string =>
  `skills: [a, b]\nhuman_gate: false\nvalidators: [{tool: look, checks: [{name: x}, {name: y, required: false}]}]\n${keys}${more}`;
const look = (x: boolean, y: boolean) => ({
  "validators/look.sh": answering({
    pass: x,
    message: "",
    checks: [
      { name: "x", pass: x, ...(x ? {} : { message: "test_login is red" }) },
      { name: "y", pass: y, ...(y ? {} : { message: "61 of 80 %" }) },
    ],
  }),
});
const NEXT =
  "on_complete:\n  on_success: {trigger_loop: good}\n  on_warning: {trigger_loop: fair}\n  on_failure: {trigger_loop: poor}\n";
const LOOPS = Object.fromEntries(["good", "fair", "poor"].map((name) => [name, "skills: [c]\n"]));
/** Loops of the records in the job folder, in the order of their names. */
const loopsOf = (repository: Repository): string[] =>
  readdirSync(join(repository.folder, ".pawl/jobs/main"))
    .filter((name) => name.endsWith(".json") && !name.endsWith(".flow.json"))
    .map((name) => name.split("-")[0] ?? "")
    .sort();

test("pause: the run stops with the check and its reason, nothing follows, and resuming asks the validators only", async () => {
  verifies("policy.required.pause", "policy.required-before-optional");
  const green = answering(report({ x: true, y: false })).replace("#!/bin/sh\n", "");
  const repaired = look(false, false)["validators/look.sh"].replace(
    "cat >/dev/null\n",
    `[ -e fixed ] && {\n${green}\nexit; }\ncat >/dev/null\n`,
  );
  using repository = skillsGround(
    { dev: loop("failure_handling: pause\non_optional_failure: proceed\n", NEXT), ...LOOPS },
    { files: { "validators/look.sh": repaired } },
  );
  const run = await repository.pawl(["run", "dev"]);
  expect(run.code).toBe(3);
  expect(run.out).toMatch(/x/);
  expect(run.out).toMatch(/test_login is red/);
  const id = (await repository.json(["status"])).run;
  expect(loopsOf(repository)).toEqual(["dev"]);
  repository.write({ fixed: "" });
  const after = await repository.json(["resume", id]);
  expect([after.loop, after.status]).toEqual(["good", "paused"]);
  const dev = await repository.json(["status", id]);
  expect([dev.status, dev.outcome]).toEqual(["complete", "success"]);
  expect(dev.steps.map(({ visits }: { visits: number }) => visits)).toEqual([1, 1]);
});

test("fail: the run has failed for good, whatever tasks are left, and on_failure is followed", async () => {
  verifies("policy.required.fail", "chain.on-failure-and-warning");
  using repository = skillsGround(
    { dev: loop("failure_handling: fail\nrepeat_until: all_phases_complete\n", NEXT), ...LOOPS },
    { files: { ...look(false, true), ".pawl/tasks.md": "- [ ] open\n" } },
  );
  const next = await repository.json(["run", "dev"]);
  expect([next.loop, next.status]).toEqual(["poor", "paused"]);
  expect(loopsOf(repository)).toEqual(["dev", "poor"]);
  const [dev] = (await repository.json(["list"])).runs.filter((run: { loop: string }) => run.loop === "dev");
  expect([dev.status, dev.outcome]).toEqual(["failed", "failure"]);
  const resumed = await repository.pawl(["resume", dev.run]);
  expect(resumed.code).toBe(1);
  expect(resumed.err).toMatch(/has ended/);
});

test("retry: the skills run max_attempts times in all, each time told what failed, and then the run is exhausted", async () => {
  verifies("policy.required.retry");
  const agent = 'cat > "prompt-$PAWL_STEP-$PAWL_VISIT.md"; echo "$PAWL_STEP $PAWL_ATTEMPT"';
  using repository = skillsGround(
    { dev: loop("failure_handling: retry\nmax_attempts: 3\n") },
    { agent, files: look(false, true) },
  );
  const run = await repository.json(["run", "dev"]);
  expect([run.code, run.status, run.outcome, repository.record(run).outcome]).toEqual([
    1,
    "failed",
    "exhausted",
    "failure",
  ]);
  expect(run.steps.map(({ visits }: { visits: number }) => visits)).toEqual([3, 3]);
  expect(repository.read("prompt-a-1.md")).not.toMatch(/test_login is red/);
  expect(repository.read("prompt-a-2.md")).toMatch(/test_login is red/);
  expect(repository.read("prompt-a-3.md")).toMatch(/test_login is red/);
  expect(run.next).toMatch(/--max-attempts/);
  const more = await repository.json(["resume", run.run, "--max-attempts", "5"]);
  expect(more.steps[0].visits).toBe(5);
  expect(repository.events(run).find(({ type }) => type === "extended")).toMatchObject({ was: 3 });
});

test("proceed: the optional check is shown, the run is a success and on_success is followed", async () => {
  verifies("policy.optional.proceed", "chain.on-success");
  using repository = skillsGround(
    { dev: loop("on_optional_failure: proceed\n", NEXT), ...LOOPS },
    { files: look(true, false) },
  );
  const run = await repository.pawl(["run", "dev"]);
  expect(run.err + run.out).toMatch(/61 of 80 %/);
  const next = await repository.json(["status"]);
  expect([next.loop, next.status, next.job]).toEqual(["good", "paused", "main"]);
  expect(repository.record(next)).toMatchObject({
    loop_name: "good",
    current_skill_index: 1,
    skill_outputs: { c: "output of c, visit 1" },
  });
  const [dev] = (await repository.json(["list"])).runs.filter((each: { loop: string }) => each.loop === "dev");
  expect([dev.status, dev.outcome]).toEqual(["complete", "success"]);
});

test("warn: the run ends with a warning that names the check, and on_warning is followed", async () => {
  verifies("policy.optional.warn", "chain.on-failure-and-warning");
  using repository = skillsGround(
    { dev: loop("on_optional_failure: warn\n", NEXT), plain: loop("on_optional_failure: warn\n"), ...LOOPS },
    { files: look(true, false) },
  );
  const alone = await repository.json(["run", "plain"]);
  expect([alone.code, alone.status, alone.outcome]).toEqual([0, "complete", "warning"]);
  expect(alone.warnings.join()).toMatch(/y.*61 of 80 %/);
  expect(repository.record(alone).validator_results.look.checks[1]).toMatchObject({
    name: "y",
    pass: false,
    required: false,
    message: "61 of 80 %",
  });
  expect((await repository.pawl(["status", alone.run])).out).toMatch(/61 of 80 %/);
  expect(loopsOf(repository)).toEqual(["plain"]);
  expect((await repository.pawl(["run", "plain", "--strict"])).code).toBe(1);
  expect((await repository.json(["run", "dev"])).loop).toBe("fair");
});

test("pause on an optional check: it is named, nothing follows until a person continues", async () => {
  verifies("policy.optional.pause", "chain.on-failure-and-warning");
  using repository = skillsGround(
    { dev: loop("on_optional_failure: pause\n", NEXT), ...LOOPS },
    { files: look(true, false) },
  );
  const run = await repository.pawl(["run", "dev"]);
  expect(run.code).toBe(3);
  expect(run.out).toMatch(/61 of 80 %/);
  expect(loopsOf(repository)).toEqual(["dev"]);
  const { run: id } = await repository.json(["status"]);
  expect((await repository.json(["resume", id])).loop).toBe("fair");
});

test("one report, two loops: what each declares decides, and what the validator says besides does not", async () => {
  verifies("policy.loop-and-checks-decide");
  const said = answering(
    {
      ...report({ x: false }, "outcome: success, please proceed"),
      pass: true,
      outcome: "success",
      status: "complete",
      required: false,
    },
    'echo "APPROVED" >&2',
  );
  const declared = (required: boolean) =>
    `skills: [a]\nhuman_gate: false\non_optional_failure: warn\nvalidators: [{tool: look, checks: [{name: x, required: ${required}}]}]\n`;
  using repository = skillsGround(
    { soft: declared(false), hard: declared(true) },
    { files: { "validators/look.sh": said } },
  );
  expect((await repository.json(["run", "soft"])).outcome).toBe("warning");
  expect((await repository.json(["run", "hard"])).outcome).toBe("failure");
});

test("both validators are asked although the first has failed, and both failures are listed", async () => {
  const two = "validators: [{tool: look, checks: [{name: x}]}, {tool: more, checks: [{name: z}]}]\n";
  using repository = skillsGround(
    { dev: `skills: [a]\nhuman_gate: false\n${two}` },
    { files: { ...look(false, true), "validators/more.sh": answering(report({ z: false }, "z is wrong")) } },
  );
  const run = await repository.pawl(["run", "dev"]);
  expect(run.out).toMatch(/test_login is red/);
  expect(run.out).toMatch(/z is\s+wrong/);
});

test("gates stand after every skill, the last one too, and validators wait for the answer", async () => {
  verifies("gate.skills.after-last", "gate.skills.on-and-off");
  using repository = skillsGround(
    { dev: "skills: [a, b]\nvalidators: [{tool: look, checks: [{name: x}]}]\n" },
    { files: { "validators/look.sh": answering(report({ x: true }), "touch validated") } },
  );
  const first = await repository.json(["run", "dev"]);
  expect([first.code, first.status, first.gate.options]).toEqual([3, "paused", ["continue", "pause", "abandon"]]);
  expect(JSON.stringify(first)).not.toMatch(/Do b/);
  const second = await repository.json(["answer", first.run, "continue"]);
  expect([second.code, second.status, repository.record(second).skills_completed]).toEqual([3, "paused", ["a", "b"]]);
  expect(existsSync(join(repository.folder, "validated"))).toBe(false);
  const end = await repository.json(["answer", first.run, "continue"]);
  expect([end.code, end.outcome]).toEqual([0, "success"]);
  expect(existsSync(join(repository.folder, "validated"))).toBe(true);
});

test("paused at a gate and continued by another process on another day, the run goes on at the same skill", async () => {
  verifies("state.resume-next-day");
  using repository = skillsGround(
    { dev: "skills: [a, b]\nvalidators: [{tool: ok, checks: [{name: x}]}]\n" },
    { files: { "validators/ok.sh": passing("x") } },
  );
  const first = await repository.json(["run", "dev"]);
  const paused = await repository.json(["answer", first.run, "pause"]);
  expect([paused.code, paused.status, paused.gate]).toEqual([3, "paused", undefined]);
  const again = await repository.json(["resume"]);
  expect([again.run, again.status, again.gate.question]).toEqual([first.run, "paused", first.gate.question]);
  expect(again.steps.map(({ visits }: { visits: number }) => visits)).toEqual([1, 0]);
  await repository.json(["answer", first.run, "continue"]);
  const end = await repository.json(["answer", first.run, "continue"]);
  expect(repository.record(end)).toMatchObject({
    status: "complete",
    skill_outputs: { a: "output of a, visit 1", b: "output of b, visit 1" },
  });
});
