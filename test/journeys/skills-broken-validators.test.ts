// Validators that break: every way is a failed check with its cause, never a lost run and never a pass.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { answering, passing, report, skillsGround } from "./skills-ground.js";

const PASS = JSON.stringify(report({ x: true }));
const BROKEN: [string, string, RegExp][] = [
  ["dies before it answers", "#!/bin/sh\necho 'no database' >&2\nexit 2\n", /ended with exit code 2.*no database/],
  [
    "crashes after a passing answer",
    `#!/bin/sh\ncat >/dev/null\necho '${PASS}'\nexit 2\n`,
    /ended with exit code 2; its answer is not used/,
  ],
  ["is ended by a signal", "#!/bin/sh\nkill -SEGV $$\n", /signal|SEGV/],
  ["prints no JSON", "#!/bin/sh\necho all good\n", /printed .*all good/],
  [
    "prints a line before its answer",
    `#!/bin/sh\necho starting…\necho '${PASS}'\n`,
    /"starting….*besides its answer.*logs belong on stderr/,
  ],
  ["prints a line after its answer", `#!/bin/sh\necho '${PASS}'\necho bye\n`, /"bye" besides its answer/],
  ["prints nothing", "#!/bin/sh\nexit 0\n", /printed no answer/],
  ["answers with a list", "#!/bin/sh\necho '[]'\n", /must be an object/],
  [
    "gives checks that are no list",
    '#!/bin/sh\necho \'{"pass": true, "checks": {"x": true}}\'\n',
    /"checks" must be a list/,
  ],
  [
    "gives a check without a name",
    '#!/bin/sh\necho \'{"pass": true, "checks": [{"pass": true}]}\'\n',
    /checks\[0\]\.name/,
  ],
  [
    "gives a check whose pass is a text",
    '#!/bin/sh\necho \'{"pass": true, "checks": [{"name": "x", "pass": "yes"}]}\'\n',
    /checks\[0\]\.pass/,
  ],
  [
    "contradicts itself",
    '#!/bin/sh\necho \'{"pass": true, "checks": [{"name": "x", "pass": false}]}\'\n',
    /"pass": true although the required "x" failed/,
  ],
  [
    "passes with exit code 1",
    `#!/bin/sh\ncat >/dev/null\necho '${PASS}'\nexit 1\n`,
    /"pass": true and ends with exit code 1/,
  ],
];

test.each(BROKEN)(
  "a validator that %s has failed, with the cause, and the next one still runs",
  async (_what, text, cause) => {
    verifies("validator.broken", "policy.required.pause");
    const validators = "[{tool: look, checks: [{name: x}]}, {tool: ok, checks: [{name: y}]}]";
    using repository = skillsGround(
      { dev: `skills: [a]\nhuman_gate: false\nvalidators: ${validators}\n` },
      { files: { "validators/look.sh": text, "validators/ok.sh": passing("y") } },
    );
    const run = await repository.json(["run", "dev"]);
    expect([run.code, run.status, run.outcome]).toEqual([3, "paused", "failure"]);
    const record = repository.record(run);
    expect(
      JSON.stringify(record.validator_results.look).replaceAll("\\", "") +
        JSON.stringify(repository.events(run)).replaceAll("\\", ""),
    ).toMatch(cause);
    expect(record.validator_results.look.checks.find(({ name }: { name: string }) => name === "x")?.pass ?? false).toBe(
      false,
    );
    expect(record.validator_results.ok.pass).toBe(true);
    expect(record.skill_outputs).toEqual({ a: "output of a, visit 1" });
  },
);

test("a validator that cannot be found fails its checks with where it was looked for, and the plan says so before", async () => {
  verifies("validator.broken");
  using repository = skillsGround({
    dev: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: nowhere, checks: [{name: x}]}]\n",
  });
  expect((await repository.pawl(["plan", "dev"])).out).toMatch(/nowhere/);
  const run = await repository.json(["run", "dev"]);
  expect([run.status, run.outcome]).toEqual(["paused", "failure"]);
  const { message, checks } = repository.record(run).validator_results.nowhere;
  expect(message).toMatch(/looked for "validators\/nowhere/);
  expect(checks).toMatchObject([{ name: "x", pass: false }]);
});

test("a time-out ends everything it started, and the message names limit, file and key", async () => {
  verifies("validator.broken");
  const look =
    "#!/bin/sh\ncat >/dev/null\ntrap '' TERM\nsetsid sleep 4711 </dev/null >/dev/null 2>&1 &\n(trap '' TERM; sleep 4711) &\nsleep 4711\n";
  const validators = "[{tool: look, checks: [{name: x}], timeout_seconds: 1}]";
  using repository = skillsGround(
    { dev: `skills: [a]\nhuman_gate: false\nvalidators: ${validators}\n` },
    { files: { "validators/look.sh": look } },
  );
  const run = await repository.json(["run", "dev"]);
  expect(run.status).toBe("paused");
  expect(repository.record(run).validator_results.look.message).toMatch(
    /"validators\/look\.sh" did not answer within 1 s; raise "timeout_seconds"/,
  );
  const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("sleep 4711"));
  expect(left).toEqual([]);
});

test("50 MB of logs and an unread input do not matter to an answer that is right", async () => {
  const look = `#!/bin/sh\nhead -c 50000000 /dev/zero | tr '\\0' 'x' >&2\necho '${PASS}'\n`;
  using repository = skillsGround(
    { dev: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: look, checks: [{name: x}]}]\n" },
    { files: { "validators/look.sh": look } },
  );
  expect((await repository.json(["run", "dev"])).outcome).toBe("success");
});

test("a declared check that is not mentioned has failed and is named as not reported", async () => {
  verifies("validator.output.check-missing");
  using repository = skillsGround(
    { dev: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: look, checks: [{name: x}, {name: coverage}]}]\n" },
    { files: { "validators/look.sh": answering(report({ x: true })) } },
  );
  const run = await repository.json(["run", "dev"]);
  expect(run.status).toBe("paused");
  const { checks } = repository.record(run).validator_results.look;
  expect(checks).toContainEqual({
    name: "coverage",
    pass: false,
    required: true,
    reported: false,
    message: "was not reported by the validator",
  });
  expect((await repository.pawl(["status", run.run])).out + (await repository.pawl(["explain", run.run])).out).toMatch(
    /coverage/,
  );
});

test("without declared checks the validator's own word counts, and an undeclared check is its reason", async () => {
  using repository = skillsGround(
    { dev: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: look}]\n" },
    {
      files: {
        "validators/look.sh": answering({ pass: false, message: "no spec", checks: [{ name: "lint", pass: false }] }),
      },
    },
  );
  const run = await repository.json(["run", "dev"]);
  expect([run.status, run.outcome]).toEqual(["paused", "failure"]);
  expect((await repository.pawl(["explain", run.run])).out).toMatch(/no spec[\s\S]*lint|lint[\s\S]*no spec/);
  expect((await repository.pawl(["plan", "dev"])).out).toMatch(/look/);
});
