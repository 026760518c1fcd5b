// The run that makes the pull request: its record is merged with it, so it says "complete" before the run is validated.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ended, type Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { answering, report, skillsGround } from "./skills-ground.js";

const RELEASE = "skills: [a, create-pr]\nvalidators: [{tool: check_pr_ready, checks: [{name: open}]}]\n";
/** What would be committed is what lies there while the skill is at work. */
const COMMITS =
  'if [ "$PAWL_STEP" = create-pr ]; then mkdir -p pr; cp .pawl/jobs/feat/x/*.json pr/; fi; echo "did $PAWL_STEP"';
const ready = (open: boolean, more = ""): Record<string, string> => ({
  "validators/check_pr_ready.sh": answering(report({ open }), more),
});

function ground(loop = RELEASE, validator = ready(true)): Repository {
  const skill = "---\nname: create-pr\ndescription: Opens it.\n---\nOpen it.\n";
  const files = { ".pawl/skills/create-pr/SKILL.md": skill, ".gitignore": "pr/\nlooking\ngo\n", ...validator };
  const loops = { release: loop, other: "skills: [c]\nhuman_gate: false\n" };
  return skillsGround(loops, { files, agent: COMMITS, branch: "feat/x" });
}
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
const shipped = (repository: Repository): any[] => {
  const folder = join(repository.folder, "pr");
  const records = readdirSync(folder).filter((name) => !name.endsWith(".flow.json"));
  return records.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
};

test("what the pull request takes along says complete without an outcome, and nothing in it is running", async () => {
  verifies("release.snapshot-before-pr", "release.continue-fills-outcome");
  using repository = ground();
  const other = await repository.json(["run", "other"]);
  const first = await repository.json(["run", "release"]);
  expect(repository.record(first)).toMatchObject({ status: "paused", current_skill_index: 1 });
  const gate = await repository.json(["answer", first.run, "continue"]);
  expect(gate.gate.question).toContain('"create-pr" is done');
  const files = shipped(repository);
  expect(files.map(({ task_id }) => task_id).sort()).toEqual([other.run, first.run].sort());
  for (const { status } of files) expect(status).toBe("complete");
  expect(files.find(({ task_id }) => task_id === first.run).outcome).toBeNull();
  expect(repository.record(gate)).toMatchObject({ status: "complete", outcome: null });
  expect([gate.status, gate.outcome]).toEqual(["paused", null]);
  const end = await repository.json(["answer", first.run, "continue"]);
  expect([end.status, end.outcome]).toEqual(["complete", "success"]);
  expect(repository.record(end)).toMatchObject({ status: "complete", outcome: "success" });
  expect(repository.record(end).validator_results).toHaveProperty("check_pr_ready");
});

test("on its branch it is the active run until it is validated; on the branches it is merged to it is history", async () => {
  verifies("release.snapshot-active-or-history");
  using repository = ground();
  const { run } = await repository.json(["run", "release"]);
  const gate = await repository.json(["answer", run, "continue"]);
  expect(repository.record(gate)).toMatchObject({ status: "complete", outcome: null });
  expect((await repository.json(["resume"])).run).toBe(run);
  const second = await repository.pawl(["run", "other"]);
  expect([second.code, second.err.includes(`pawl resume ${run}`)]).toEqual([3, true]);
  const text = readFileSync(gate.record, "utf8");
  for (const branch of ["main", "next", "live"]) {
    repository.git("switch", "-q", "-c", branch);
    repository.write({
      ".pawl/config.yaml": `${repository.read(".pawl/config.yaml").split("branch_base")[0]}branch_base: next\nproduction_branch: ${branch === "main" ? "main" : "live"}\n`,
    });
    mkdirSync(join(repository.folder, ".pawl/jobs", branch));
    writeFileSync(join(repository.folder, ".pawl/jobs", branch, `release-${run}.json`), text);
    expect((await repository.pawl(["resume"])).err).toContain(`no run is open in job "${branch}"`);
    expect((await repository.json(["run", "other"])).status).toBe("complete");
  }
  repository.git("switch", "-q", "feat/x");
  expect(readFileSync(gate.record, "utf8")).toBe(text);
});

test("killed while it is validated it is still the active one, and going on fills the outcome", async () => {
  verifies("release.continue-fills-outcome", "release.snapshot-active-or-history");
  const look = "touch looking; while [ ! -e go ]; do sleep 0.05; done";
  using repository = ground(`${RELEASE}human_gate: false\n`, ready(true, look));
  const child = repository.start(["run", "release"]);
  const over = ended(child);
  while (!existsSync(join(repository.folder, "looking"))) await new Promise((done) => setTimeout(done, 50));
  child.kill("SIGKILL");
  await over;
  writeFileSync(join(repository.folder, "go"), "");
  const open = await repository.json(["status"]);
  expect(open.status).toBe("validating");
  expect(repository.record(open)).toMatchObject({ status: "complete", outcome: null });
  const end = await repository.json(["resume"]);
  expect([end.run, end.outcome, repository.record(end).outcome]).toEqual([open.run, "success", "success"]);
});

test("a check that fails is told as ever, and what it says when it is asked again sets the outcome", async () => {
  verifies("release.continue-fills-outcome");
  const script = `#!/bin/sh
cat >/dev/null
[ -e go ] && open=true || open=false
echo '{"pass": '$open', "message": "", "checks": [{"name": "open", "pass": '$open'}]}'
`;
  using repository = ground(`${RELEASE}human_gate: false\n`, { "validators/check_pr_ready.sh": script });
  const failed = await repository.json(["run", "release"]);
  expect(repository.record(failed)).toMatchObject({ status: "paused", outcome: "failure" });
  repository.write({ go: "" });
  const again = await repository.json(["resume"]);
  expect([again.run, again.outcome]).toEqual([failed.run, "success"]);
  expect(repository.record(again)).toMatchObject({ status: "complete", outcome: "success" });
});

test("a run of the same loop on a branch that is everybody's is never shown as complete before its end", async () => {
  using repository = ground(RELEASE.replace("create-pr]", "create-pr]\nhuman_gate: false"));
  repository.git("branch", "-m", "main");
  repository.write({ "agents/worker.sh": "mkdir -p pr; cp .pawl/jobs/main/*.json pr/\n" });
  const end = await repository.json(["run", "release"]);
  expect(end.outcome).toBe("success");
  expect(shipped(repository).map(({ status }) => status)).toEqual(["running"]);
});
