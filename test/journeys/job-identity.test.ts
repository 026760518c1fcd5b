// Whose run is this: the ticket's, the branch's, or nobody's; and what is said when another branch is checked out.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const GATED = { dev: "skills: [a, b]\n", other: "skills: [c]\nhuman_gate: false\n" };
const spec = (keys: string): Record<string, string> => ({ ".pawl/spec.md": `---\n${keys}\n---\n# Spec\n` });

test("the job is the ticket in either spelling, else the branch, else unknown with a warning", async () => {
  verifies("state.job-id.precedence", "job.id.spec-not-usable");
  using repository = skillsGround(GATED, { branch: "feat/x" });
  const jobWith = async (keys: string): Promise<string> => {
    repository.write(spec(keys));
    return (await repository.json(["run", "other"])).job;
  };
  expect(await jobWith("ticket: DM-1\nbranch: feat/x")).toBe("DM-1");
  expect(await jobWith("ticket_id: 42\nbranch: feat/x")).toBe("42");
  expect(await jobWith("ticket: DM-1\nbranch: feat/old")).toBe("feat/x");
  expect(await jobWith("ticket: unknown\nbranch: feat/x")).toBe("feat/x");
  expect(await jobWith("ticket:\nbranch: feat/x")).toBe("feat/x");
  repository.git("switch", "-q", "--detach");
  const detached = await repository.pawl(["run", "other", "--json"]);
  expect(detached.json().job).toBe("unknown");
  expect(detached.err).toMatch(/warning: no branch is checked out, so the job is called "unknown".*git switch -c/);
});

test("a spec that cannot be read is said, and the branch names the job", async () => {
  verifies("job.id.spec-not-usable");
  using repository = skillsGround(GATED, { files: { ".pawl/spec.md": "---\nticket: [DM-1\nbranch: main\n---\n" } });
  const run = await repository.pawl(["run", "other", "--json"]);
  expect(run.json().job).toBe("main");
  expect(run.err).toMatch(/warning: "\.pawl\/spec\.md" is passed over: the front matter is not YAML/);
});

test.each(["_pending-spec-1", "a/.git/b", `${"x/".repeat(20)}x`])(
  'the ticket "%s" is refused by name, and nothing is made',
  async (ticket) => {
    using repository = skillsGround(GATED, { files: spec(`ticket: ${ticket}\nbranch: main`) });
    const run = await repository.pawl(["run", "other"]);
    expect([run.code, run.err.includes(JSON.stringify(ticket))]).toEqual([2, true]);
    expect(repository.has(".pawl/jobs")).toBe(false);
  },
);

test("a run paused on one branch is untouched by a whole run on another, and goes on at its skill when it is back", async () => {
  verifies("active.branch-isolation", "job.id.folder-per-branch");
  using repository = skillsGround(GATED, { branch: "feature/x" });
  const first = await repository.json(["run", "dev"]);
  const before = readFileSync(first.record, "utf8");
  repository.git("switch", "-qc", "topic");
  const asked = await repository.pawl(["resume"]);
  expect(asked.code).toBe(3);
  expect(asked.err).toContain(`no run is open in job "topic"; run ${first.run} is open on branch "feature/x"`);
  expect(asked.err).toContain("git switch feature/x");
  const second = await repository.json(["run", "other"]);
  expect([second.job, second.status]).toEqual(["topic", "complete"]);
  expect(readFileSync(first.record, "utf8")).toBe(before);
  repository.git("switch", "-q", "feature/x");
  const back = await repository.json(["resume"]);
  expect([back.run, back.gate.question]).toEqual([first.run, first.gate.question]);
  const on = await repository.json(["answer", first.run, "continue"]);
  expect([on.run, repository.record(on).skills_completed]).toEqual([first.run, ["a", "b"]]);
});

test("on a renamed branch the run of the old name is named, with the way to take it over", async () => {
  using repository = skillsGround(GATED, { branch: "feat/x" });
  const { run } = await repository.json(["run", "dev"]);
  repository.git("branch", "-m", "feat/y");
  for (const command of ["status", "resume"]) {
    const asked = await repository.pawl([command]);
    expect(asked.err).toContain(`run ${run} belongs to branch "feat/x", which is gone`);
    expect(asked.err).toContain(`pawl resume ${run}`);
  }
});

test("with a single commit checked out the run is named, not taken; by its name it goes on, and that is said", async () => {
  using repository = skillsGround(GATED, { branch: "feat/x" });
  const { run } = await repository.json(["run", "dev"]);
  repository.git("switch", "-q", "--detach");
  const asked = await repository.pawl(["resume"]);
  expect([asked.code, asked.err]).toEqual([
    3,
    expect.stringContaining(`no branch is checked out; run ${run} is open on branch "feat/x"`),
  ]);
  const named = await repository.pawl(["answer", run, "continue", "--json"]);
  expect(named.err).toContain(
    `warning: run ${run} belongs to branch "feat/x", and no branch is checked out; it goes on here`,
  );
  expect([named.json().run, named.json().job]).toEqual([run, "feat/x"]);
});

test("the branch a hint names can be typed into a shell, whatever it is called", async () => {
  const name = "feat/$(id)";
  using repository = skillsGround(GATED, { branch: name });
  await repository.json(["run", "dev"]);
  repository.git("switch", "-qc", "topic");
  expect((await repository.pawl(["resume"])).err).toContain(`git switch '${name}'`);
});
