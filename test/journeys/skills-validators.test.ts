// What validators are given, in which languages they may be written, and which file it is that runs.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { answering, passing, report, skillsGround } from "./skills-ground.js";

const CHECKED = "human_gate: false\nvalidators: [{tool: look, checks: [{name: x}]}]\n";

test("a validator is told all outputs, the goal and where it stands", async () => {
  verifies("validator.input");
  const spec = "---\nticket: DM-7\nbranch: feature/a-b\n---\n";
  const look = `#!/bin/sh\ncat > input.json\nprintf '%s' '${JSON.stringify(report({ x: true }))}'\n`;
  using repository = skillsGround(
    { dev: `skills: [a, b]\ngoal_state: "All: \\"done\\"\\nand checked"\n${CHECKED}` },
    { branch: "feature/a-b", files: { "validators/look.sh": look, ".pawl/spec.md": spec } },
  );
  const run = await repository.json(["run", "dev"]);
  expect(run.code).toBe(0);
  expect(JSON.parse(repository.read("input.json"))).toEqual({
    skill_outputs: { a: "output of a, visit 1", b: "output of b, visit 1" },
    goal_state: 'All: "done"\nand checked',
    loop_context: { job_id: "DM-7", task_id: run.run, loop_name: "dev", branch: "feature/a-b", ticket: "DM-7" },
  });

  repository.write({ ".pawl/spec.md": "---\nticket: none\nbranch: feature/a-b\n---\n" });
  const other = await repository.json(["run", "dev"]);
  const { job_id, ticket } = JSON.parse(repository.read("input.json")).loop_context;
  expect([job_id, ticket]).toEqual(["feature/a-b", null]);
  expect(other.record).toBe(join(repository.folder, ".pawl/jobs/feature/a-b", `dev-${other.run}.json`));
});

const ANSWER = JSON.stringify({ pass: true, message: "MARK", checks: [{ name: "x", pass: true }] });
const LANGUAGES: [string, string][] = [
  [
    "look.py",
    `import json, sys\njob = json.load(sys.stdin)["loop_context"]["job_id"]\nprint(json.dumps(dict(${"json.loads("}'${ANSWER}'), message=job)))\n`,
  ],
  ["look.sh", `cat >/dev/null\necho '${ANSWER}' | sed s/MARK/main/\n`],
  [
    "look.js",
    `import { text } from "node:stream/consumers";\nconst { loop_context } = JSON.parse(await text(process.stdin));\nconsole.log(JSON.stringify({ ...${ANSWER}, message: loop_context.job_id }));\n`,
  ],
  [
    "look.cjs",
    `let text = "";\nprocess.stdin.on("data", (d) => { text += d; }).on("end", () => console.log(JSON.stringify({ ...${ANSWER}, message: JSON.parse(text).loop_context.job_id })));\n`,
  ],
  [
    "look.ts",
    `import { text } from "node:stream/consumers";\nimport { wrap } from "./parts/wrap.ts";\ninterface In { loop_context: { job_id: string } }\nconst given = JSON.parse(await text(process.stdin)) as In;\nconsole.log(wrap({ ...${ANSWER}, message: given.loop_context.job_id satisfies string }));\n`,
  ],
  ["look", `#!/usr/bin/env bash\ncat >/dev/null\necho '${ANSWER}' | sed s/MARK/main/\n`],
  ["look.exe", `#!/usr/bin/env bash\ncat >/dev/null\necho '${ANSWER}' | sed s/MARK/main/\n`],
];

test.each(LANGUAGES)("validators/%s runs under the one contract", async (name, text) => {
  verifies("validator.resolve.repo-root", "validator.output.contract");
  const files = {
    [`validators/${name}`]: text,
    "validators/parts/wrap.ts": "export const wrap = (it: object): string => JSON.stringify(it);\n",
    "package.json": '{"type": "module"}\n',
  };
  using repository = skillsGround({ dev: `skills: [a]\n${CHECKED}` }, { files });
  const run = await repository.json(["run", "dev"]);
  expect([run.outcome, repository.record(run).validator_results.look]).toEqual([
    "success",
    { pass: true, message: "main", checks: [{ name: "x", pass: true, required: true, reported: true }] },
  ]);
});

test("two validators of one name are an error that names both, before anything starts", async () => {
  verifies("validator.resolve.two-files");
  using repository = skillsGround(
    { dev: `skills: [a]\n${CHECKED}` },
    { files: { "validators/look.py": "print()\n", "validators/look.sh": passing("x") } },
  );
  const run = await repository.pawl(["run", "dev"]);
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/validators\/look\.py.*validators\/look\.sh/);
  expect(existsSync(join(repository.folder, ".pawl/jobs"))).toBe(false);
});

test("while validators decide, no agent is called and the validator is a child of its own", async () => {
  verifies("validator.subprocess.no-agent");
  const agent = 'echo "$PAWL_STEP" >> calls.txt; echo done';
  const look = answering(report({ x: true }), "cp calls.txt calls-before.txt; sleep 0.2; echo $$ > pid.txt");
  using repository = skillsGround(
    { dev: `skills: [a, b]\n${CHECKED}` },
    { agent, files: { "validators/look.sh": look } },
  );
  const run = await repository.json(["run", "dev"]);
  expect(run.outcome).toBe("success");
  expect(repository.read("calls.txt")).toBe("a\nb\n");
  expect(repository.read("calls-before.txt")).toBe("a\nb\n");
  const begun = repository
    .events(run)
    .filter(({ type }) => type === "begun")
    .map(({ performer }) => performer);
  expect(begun).toEqual(["worker", "worker", "validator", "checkpoint"]);
});

test("a validator that was edited during the run by somebody outside runs as it was, and that is a finding", async () => {
  using repository = skillsGround(
    { dev: "skills: [a]\nvalidators: [{tool: look, checks: [{name: x}]}]\n" },
    { files: { "validators/look.sh": answering(report({ x: false }, "the old one")) } },
  );
  const run = await repository.json(["run", "dev"]);
  writeFileSync(join(repository.folder, "validators/look.sh"), passing("x"));
  const after = await repository.json(["answer", run.run, "continue"]);
  expect([after.code, after.status, after.outcome]).toEqual([3, "paused", "failure"]);
  const record = repository.record(after);
  expect(record.validator_results.look).toMatchObject({ pass: false, message: "the old one" });
  expect(JSON.stringify(repository.events(run))).toContain(
    "was edited during the run; the version from its start was used",
  );
  const again = await repository.json(["resume", run.run]);
  expect(again.status).toBe("paused");
});

test("the version from the start runs in its own language too, without a first line that names it", async () => {
  using repository = skillsGround(
    { dev: "skills: [a]\nvalidators: [{tool: look, checks: [{name: x}]}]\n" },
    { files: { "validators/look.mjs": `import "node:fs";\nconsole.log(${JSON.stringify(ANSWER)});\n` } },
  );
  const run = await repository.json(["run", "dev"]);
  writeFileSync(join(repository.folder, "validators/look.mjs"), "process.exit(1);\n");
  const after = await repository.json(["answer", run.run, "continue"]);
  expect([after.outcome, repository.record(after).validator_results.look.message]).toEqual(["success", "MARK"]);
});

test("the agent cannot edit a validator at all", async () => {
  const agent = "printf '#!/bin/sh\\n' > validators/look.sh || echo refused";
  using repository = skillsGround(
    { dev: `skills: [a]\n${CHECKED}` },
    { agent, files: { "validators/look.sh": passing("x") } },
  );
  const run = await repository.json(["run", "dev"]);
  expect(repository.record(run)).toMatchObject({ outcome: "success", skill_outputs: { a: "refused" } });
  expect(repository.read("validators/look.sh")).toBe(passing("x"));
});

test("a validator sees no variable of Pawl's own surroundings", async () => {
  const look = answering(report({ x: true }), "env > env.txt");
  using repository = skillsGround({ dev: `skills: [a]\n${CHECKED}` }, { files: { "validators/look.sh": look } });
  mkdirSync(join(repository.folder, "tmp"));
  await repository.pawl(["run", "dev"], { env: { ANTHROPIC_API_KEY: "sk-secret", SSH_AUTH_SOCK: "/tmp/agent" } });
  expect(repository.read("env.txt")).not.toMatch(/sk-secret|SSH_AUTH_SOCK/);
});
