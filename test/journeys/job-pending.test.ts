// A run that begins before its ticket and branch exist: it has a job of its own, until the spec says whose it is.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const BASE = "require_branch: base\n";
const LOOPS = { spec: `skills: [a, b]\n${BASE}`, dev: "skills: [c]\n", free: "skills: [c]\nhuman_gate: false\n" };
const jobs = (repository: Repository): string => join(repository.folder, ".pawl/jobs");
/** Names of all files of a job. */
const namesIn = (repository: Repository, job: string): string[] =>
  existsSync(join(jobs(repository), job)) ? readdirSync(join(jobs(repository), job)).sort() : [];
const filesIn = (repository: Repository, job: string): Record<string, string> =>
  Object.fromEntries(
    namesIn(repository, job).map((name) => [name, readFileSync(join(jobs(repository), job, name), "utf8")]),
  );
const filesOf = (loop: string, run: string): string[] => [
  `${loop}-${run}.flow.json`,
  `${loop}-${run}.json`,
  `${loop}-${run}.jsonl`,
];
/** What a skill that makes the ticket does. */
function makeTicket(repository: Repository, ticket: string, branch: string): void {
  repository.git("switch", "-qc", branch);
  repository.write({ ".pawl/spec.md": `---\nticket: ${ticket}\nbranch: ${branch}\n---\n` });
}

test("a loop of the base branch begins in a pending job, is found there, and no second one may start beside it", async () => {
  verifies("pending.start");
  using repository = skillsGround(LOOPS);
  const open = await repository.json(["run", "spec"]);
  const job = `_pending-${open.run}`;
  expect([open.job, open.record]).toEqual([job, join(jobs(repository), job, `spec-${open.run}.json`)]);
  expect(repository.record(open)).toMatchObject({ job_id: job, task_id: open.run, status: "paused" });
  expect((await repository.json(["status"])).run).toBe(open.run);
  expect((await repository.json(["resume"])).run).toBe(open.run);
  for (const loop of ["spec", "dev"]) {
    const second = await repository.pawl(["run", loop]);
    expect([second.code, second.err.includes(`pawl resume ${open.run}`)]).toEqual([3, true]);
  }
  expect(readdirSync(jobs(repository))).toEqual([job]);
});

test("once the spec names the branch, the folder takes the ticket's name and keeps all that was recorded", async () => {
  verifies("pending.renamed");
  using repository = skillsGround(LOOPS);
  const open = await repository.json(["run", "spec"]);
  writeFileSync(join(dirname(open.record), "validation-report.json"), '{"of": "a skill"}');
  await repository.json(["answer", open.run, "pause"]); // a rest for long: the journal lies beside the record
  expect(namesIn(repository, open.job)).toEqual([...filesOf("spec", open.run), "validation-report.json"]);
  makeTicket(repository, "DM-7", "feat/dm-7");
  await repository.json(["resume"]);
  const next = await repository.json(["answer", open.run, "continue"]);
  expect([next.job, next.record]).toEqual(["DM-7", join(jobs(repository), "DM-7", `spec-${open.run}.json`)]);
  expect(readdirSync(jobs(repository))).toEqual(["DM-7"]);
  expect(namesIn(repository, "DM-7")).toEqual([...filesOf("spec", open.run), "validation-report.json"]);
  const record = repository.record(next);
  expect(record).toMatchObject({ job_id: "DM-7", task_id: open.run, skills_completed: ["a", "b"] });
  expect(record.skill_outputs.a).toBe("output of a, visit 1");
  expect((await repository.json(["status"])).run).toBe(open.run);
  const end = await repository.json(["answer", open.run, "continue"]);
  expect([end.status, end.job, (await repository.pawl(["verify", open.run])).code]).toEqual(["complete", "DM-7", 0]);
  const story = (await repository.pawl(["log", open.run])).out;
  expect(story).toContain(`the job is called DM-7 from here on, before _pending-${open.run}`);
});

test("a ticket that is made while the run rests gives the job its name when the run goes on, and prompts speak of it", async () => {
  verifies("pending.renamed");
  const agent = 'echo "$PAWL_JOB"; cat | grep -o "DM-8" | head -1';
  using repository = skillsGround(LOOPS, { agent });
  const open = await repository.json(["run", "spec"]);
  makeTicket(repository, "DM-8", "feat/dm-8");
  const next = await repository.json(["answer", open.run, "continue"]);
  expect(repository.record(next).skill_outputs.b).toContain("DM-8");
});

test.each([
  ["another branch's", "ticket: DM-1\nbranch: feat/old"],
  ["nobody's", "ticket: none\nbranch: main"],
  ["of a ticket that leads out", "ticket: ../DM-1\nbranch: feat/new"],
])("a spec that is %s renames nothing, and no other job is touched", async (_whose, keys) => {
  verifies("pending.stale-spec");
  using repository = skillsGround(LOOPS, { files: { ".pawl/jobs/DM-1/old.json": '{"of": "DM-1"}' } });
  const open = await repository.json(["run", "spec"]);
  const before = filesIn(repository, "DM-1");
  repository.write({ ".pawl/spec.md": `---\n${keys}\n---\n` });
  if (keys.includes("feat/new")) repository.git("switch", "-qc", "feat/new");
  const next = await repository.json(["answer", open.run, "continue"]);
  expect([next.job, repository.record(next).job_id]).toEqual([open.job, open.job]);
  expect(repository.record(next).skills_completed).toEqual(["a", "b"]);
  expect(readdirSync(jobs(repository)).sort()).toEqual(["DM-1", open.job]);
  expect(filesIn(repository, "DM-1")).toEqual(before);
});

test("a job that has runs already takes no pending one in: both folders are named once, and both keep all files", async () => {
  verifies("pending.target-exists");
  using repository = skillsGround(LOOPS);
  repository.git("switch", "-qc", "feat/dm-9");
  repository.write({ ".pawl/spec.md": "---\nticket: DM-9\nbranch: feat/dm-9\n---\n" });
  const earlier = await repository.json(["run", "free"]);
  expect(earlier.job).toBe("DM-9");
  const before = filesIn(repository, "DM-9"); // committed with the branch, so not there on main
  repository.git("switch", "-q", "main");
  const open = await repository.json(["run", "spec"]);
  expect(open.job).toBe(`_pending-${open.run}`);
  const own = namesIn(repository, open.job);
  repository.git("switch", "-q", "feat/dm-9");
  const next = await repository.pawl(["answer", open.run, "continue"]);
  expect(next.err).toContain(`".pawl/jobs/${open.job}"`);
  expect(next.err).toContain('".pawl/jobs/DM-9"');
  expect(filesIn(repository, "DM-9")).toEqual(before);
  expect(namesIn(repository, open.job)).toEqual(own);
  const end = await repository.pawl(["answer", open.run, "continue", "--json"]);
  expect([end.json().status, end.json().job]).toEqual(["complete", open.job]);
  const told = repository.events(end.json()).filter(({ type, about }) => type === "remark" && about === "job");
  expect(told).toHaveLength(1);
});

test("all runs of a ticket are in one folder, from the first loop to the last, also those that followed one another", async () => {
  verifies("job.one-per-ticket");
  const loops = {
    spec: `skills: [a]\n${BASE}on_complete: {on_success: {trigger_loop: design}}\n`,
    design: "skills: [b]\non_complete: {on_success: {trigger_loop: dev}}\n",
    dev: "skills: [c]\nhuman_gate: false\n",
    release: "skills: [a]\nhuman_gate: false\n",
  };
  using repository = skillsGround(loops);
  const spec = await repository.json(["run", "spec"]);
  const design = await repository.json(["answer", spec.run, "continue"]);
  expect([design.loop, design.job]).toEqual(["design", spec.job]);
  makeTicket(repository, "DM-3", "feat/dm-3");
  const dev = await repository.json(["answer", design.run, "continue"]);
  expect([dev.loop, dev.job, dev.status]).toEqual(["dev", "DM-3", "complete"]);
  const release = await repository.json(["run", "release"]);
  expect(readdirSync(jobs(repository))).toEqual(["DM-3"]);
  const runs = { spec, design, dev, release };
  expect(namesIn(repository, "DM-3")).toEqual(
    Object.entries(runs)
      .flatMap(([loop, { run }]) => filesOf(loop, run))
      .sort(),
  );
  for (const [loop, { run }] of Object.entries(runs)) {
    const told = await repository.json(["status", run]);
    expect([loop, told.job, repository.record(told).job_id]).toEqual([loop, "DM-3", "DM-3"]);
    expect((await repository.pawl(["verify", run])).code).toBe(0);
  }
  expect(repository.record(release)).toMatchObject({ loop_name: "release", job_id: "DM-3" });
});

test("a loop as a step goes to the job with the run it is a step of", async () => {
  verifies("job.one-per-ticket");
  const loops = {
    spec: `steps:\n  - {name: inner, loop: dev}\n  - {name: last, skill: a}\n${BASE}`,
    dev: "skills: [b, c]\n",
  };
  using repository = skillsGround(loops);
  const open = await repository.json(["run", "spec"]);
  const inner = /run (dev-\S+)\)/.exec(open.reason)?.[1] ?? "";
  expect(namesIn(repository, open.job).filter((name) => name.endsWith(".json"))).toContain(`dev-${inner}.json`);
  makeTicket(repository, "DM-4", "feat/dm-4");
  await repository.json(["answer", inner, "continue"]);
  const end = await repository.json(["answer", inner, "continue"]);
  expect([end.loop, end.status, end.job]).toEqual(["spec", "complete", "DM-4"]);
  expect(readdirSync(jobs(repository))).toEqual(["DM-4"]);
  expect((await repository.json(["status", inner])).job).toBe("DM-4");
});

test("without tickets the job takes the name of the branch the spec names", async () => {
  verifies("job.id.folder-per-branch");
  using repository = skillsGround(LOOPS);
  const open = await repository.json(["run", "spec"]);
  makeTicket(repository, "none", "feat/plain");
  expect((await repository.json(["answer", open.run, "continue"])).job).toBe("feat/plain");
  expect((await repository.json(["status"])).run).toBe(open.run);
});

test("work on another branch goes on beside a run that waits for its ticket", async () => {
  verifies("active.branch-isolation");
  using repository = skillsGround(LOOPS);
  const open = await repository.json(["run", "spec"]);
  const before = filesIn(repository, open.job);
  repository.git("switch", "-qc", "feat/other");
  const other = await repository.json(["run", "free"]);
  expect([other.status, other.job]).toEqual(["complete", "feat/other"]);
  expect(filesIn(repository, open.job)).toEqual(before);
  repository.git("switch", "-q", "main");
  expect((await repository.json(["resume"])).run).toBe(open.run);
});

test("two runs without a ticket are told apart by nobody: both are named", async () => {
  using repository = skillsGround(LOOPS);
  const open = await repository.json(["run", "spec"]);
  const copy = { ...repository.record(open), task_id: "spec-zzz", job_id: "_pending-spec-zzz" };
  mkdirSync(join(jobs(repository), "_pending-spec-zzz"));
  writeFileSync(join(jobs(repository), "_pending-spec-zzz/spec-spec-zzz.json"), JSON.stringify(copy));
  for (const command of [["resume"], ["status"], ["run", "dev"]]) {
    const asked = await repository.pawl(command);
    expect(asked.err).toContain(`"spec-${open.run}.json" and "spec-spec-zzz.json"`);
  }
});

test.each(["feat/x", undefined])("on %s a loop of the base branch is refused, and nothing is made", async (branch) => {
  verifies("pending.start");
  using repository = skillsGround(LOOPS);
  repository.git("switch", "-q", ...(branch ? ["-c", branch] : ["--detach"]));
  const refused = await repository.pawl(["run", "spec"]);
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringMatching(/starts on the base branch.* only, and .* checked out.*\n.*git switch main/s),
  ]);
  expect([existsSync(jobs(repository)), existsSync(join(repository.folder, ".git/pawl/runs"))]).toEqual([false, false]);
});

test("the base branch is the one the settings name", async () => {
  using repository = skillsGround(LOOPS);
  repository.write({
    ".pawl/config.yaml": `${repository.read(".pawl/config.yaml")}branch_base: next\nproduction_branch:\n`,
  });
  expect((await repository.pawl(["run", "spec"])).err).toContain('starts on "next" only, and "main" is checked out');
  repository.git("switch", "-qc", "next");
  expect((await repository.json(["run", "spec"])).job).toMatch(/^_pending-spec-/);
});
