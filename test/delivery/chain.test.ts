// One piece of work from spec to release, through the real program, the real sandbox and the bundled loops, skills and validators.
// A shell script stands in for the agent and writes what the skills say; the test is the person.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Ide } from "../harness/mcp.js";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { withBubblewrap } from "../sandbox/here.js";
import { description, plan, spec, validation } from "./ground.js";

const BRANCH = "feat/add";
const HEAD = "HEAD-OF-THE-BRANCH";
/** In the sandbox git can be read and not written, so the script's `commit` and `create-pr` only say so. */
const WORKER = `cat > prompt.txt
case "$PAWL_STEP" in
create-ticket) cp agents/spec.md .pawl/spec.md ;;
plan) cp agents/tasks.md .pawl/tasks.md ;;
implement-next-phase)
  mkdir -p test
  if [ -f add.cjs ]; then sed -i 's/\\[ \\]/[x]/' .pawl/tasks.md; cp agents/second.cjs test/second.test.cjs
  else sed -i '/Phase 2/,$ !s/\\[ \\]/[x]/' .pawl/tasks.md; cp agents/add.cjs add.cjs; cp agents/suite.cjs test/add.test.cjs; fi ;;
validate) sed "s/${HEAD}/$(git rev-parse HEAD)/" agents/validation.md > .pawl/validation.md ;;
draft-pr-description) cp agents/pr.md .pawl/pr.md ;;
esac
rm prompt.txt
echo "did $PAWL_STEP"
`;
const SUITE = `const { test } = require("node:test");
const assert = require("node:assert");
const { add } = require("../add.cjs");
test("adds", () => assert.equal(add(1, 2), 3));
`;

function project(more: Record<string, string> = {}): Repository {
  const repository = Repository.make({
    "package.json": '{"scripts": {"test": "node --test"}}\n',
    ".pawl/config.yaml": 'agent: worker\nagents: {worker: {use: command, run: "sh agents/worker.sh"}}\n',
    "agents/worker.sh": WORKER,
    "agents/spec.md": spec(BRANCH),
    "agents/tasks.md": plan(BRANCH),
    "agents/validation.md": validation(BRANCH, HEAD),
    "agents/pr.md": description(BRANCH),
    "agents/add.cjs": "exports.add = (a, b) => a + b;\n",
    "agents/suite.cjs": SUITE,
    "agents/second.cjs": SUITE.replace("adds", "adds again"),
    ...more,
  });
  repository.git("switch", "-q", "-c", BRANCH);
  return repository;
}

test("spec begins on the base branch before there is a job, and goes on as the job of the branch that its skill makes", async () => {
  verifies("pending.start", "pending.renamed");
  using repository = project();
  repository.git("switch", "-q", "main");
  await using ide = await Ide.open(repository);
  const first = await ide.call("run_loop", { name: "spec", description: "add two numbers" });
  expect(first.data.job).toBe(`_pending-${first.data.run}`);
  repository.git("switch", "-qC", BRANCH);
  repository.write({ ".pawl/spec.md": spec(BRANCH) });
  const second = await ide.call("loop_advance", { skill: "create-ticket", output: "wrote it" });
  expect([second.data.status, second.data.job, second.data.run], second.text).toEqual([
    "paused",
    BRANCH,
    first.data.run,
  ]);
});

test("spec belongs to the branch that is there already when it begins on one of its own", async () => {
  verifies("pending.start");
  using repository = project();
  await using ide = await Ide.open(repository);
  expect((await ide.call("run_loop", { name: "spec" })).data.job).toBe(BRANCH);
});

withBubblewrap("the bundled loops", () => {
  test("lead from spec through plan, dev and validate to release, in one job", { timeout: 240_000 }, async () => {
    verifies("loop.bundled.pipeline-order");
    using repository = project();
    const go = async (run: { run: string }) => repository.json(["answer", run.run, "continue"]);

    const first = await repository.json(["run", "spec", "--input", "subject=add two numbers"]);
    expect([first.code, first.loop, first.status]).toEqual([3, "spec", "paused"]);
    const planned = await go(first);
    expect([planned.code, planned.loop, planned.status]).toEqual([3, "plan", "paused"]);
    const drafted = await go(planned);
    expect([drafted.code, drafted.loop, drafted.status], JSON.stringify(drafted)).toEqual([3, "release", "paused"]);

    const opened = await go(drafted);
    expect([opened.code, opened.loop, opened.gate?.question]).toEqual([3, "release", '"create-pr" is done. Go on?']);
    const unready = await go(opened);
    expect([unready.code, unready.status, unready.outcome]).toEqual([3, "paused", "failure"]);
    expect(JSON.stringify(repository.record(unready).validator_results)).toContain("not committed: .pawl/pr.md");

    repository.commit("feat: add two numbers");
    const done = await repository.json(["resume", unready.run]);
    expect([done.code, done.loop, done.outcome], JSON.stringify(done)).toEqual([0, "release", "success"]);

    const folder = join(repository.folder, ".pawl/jobs", BRANCH);
    const records = readdirSync(folder)
      .filter((name) => /^[a-z]+-.*\.json$/.test(name) && !name.endsWith(".flow.json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
    records.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    expect(records.map(({ loop_name, outcome }) => `${loop_name} ${outcome}`)).toEqual(
      ["spec", "plan", "dev", "validate", "release"].map((name) => `${name} success`),
    );
    expect(new Set(records.map(({ job_id }) => job_id))).toEqual(new Set([BRANCH]));
    expect(records.find(({ loop_name }) => loop_name === "dev")).toMatchObject({ iteration_count: 1 });
  });

  test("stop where a bundled validator says no, and say which check and why", { timeout: 120_000 }, async () => {
    verifies("validator.bundled.check-spec-complete");
    using repository = project({ "agents/spec.md": spec("feat/other").replace("add(1, 2) is 3", "") });
    const first = await repository.json(["run", "spec"]);
    const stopped = await repository.json(["answer", first.run, "continue"]);
    expect([stopped.code, stopped.loop, stopped.status]).toEqual([3, "spec", "paused"]);
    const { check_spec_complete } = repository.record(stopped).validator_results;
    expect(check_spec_complete.message).toContain("branch_matches, criteria_listed");
    expect((await repository.pawl(["status", first.run])).out).toContain('"feat/add" is checked out');

    repository.write({ ".pawl/spec.md": spec(BRANCH) });
    const next = await repository.json(["resume", first.run]);
    expect([next.loop, next.status]).toEqual(["plan", "paused"]);
  });

  test("send red tests back to the agent, and go on when they are green", { timeout: 120_000 }, async () => {
    verifies("validator.bundled.run-tests");
    const worker = `cat > notes/$PAWL_STEP-$PAWL_VISIT.txt
case $PAWL_STEP-$PAWL_VISIT in
implement-next-phase-1) echo 'exports.add = () => 4;' > add.cjs ;;
implement-next-phase-2) cp agents/add.cjs add.cjs; sed -i '/Phase 2/,$ !s/\\[ \\]/[x]/' .pawl/tasks.md ;;
implement-next-phase-3) sed -i 's/\\[ \\]/[x]/' .pawl/tasks.md; echo "// $PAWL_VISIT" >> add.cjs ;;
esac
`;
    using repository = project({
      "agents/worker.sh": worker,
      "notes/.keep": "",
      ".pawl/tasks.md": plan(BRANCH),
      "test/add.test.cjs": SUITE,
      ".pawl/loops/validate.yaml": "name: validate\nskills: [review]\n",
    });
    const end = await repository.json(["run", "dev"]);
    expect([end.code, end.loop, end.status]).toEqual([3, "validate", "paused"]);
    const second = repository.read("notes/implement-next-phase-2.txt");
    expect(second).toMatch(/failed with exit code 1: .*adds/);
    expect(second).toMatch(/4 (?:==|!==) 3/);
    const third = repository.read("notes/implement-next-phase-3.txt");
    expect(third, "what is mended is not told again").not.toContain("failed with exit code 1");
  });
});
