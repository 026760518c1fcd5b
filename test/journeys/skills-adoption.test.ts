// A published run goes on in another clone: its whole history is checked, and a second history of the same run is refused.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { skillsGround } from "./skills-ground.js";

const DEV = { dev: "skills: [a, b]\nvalidators: [{tool: ok, checks: [{name: x}]}]\n" };
const OK = {
  "validators/ok.sh": `#!/bin/sh\ncat >/dev/null\necho '{"pass": true, "checks": [{"name": "x", "pass": true}]}'\n`,
};

/** A run paused at its first gate, published and committed; and a clone of it. */
async function published(repository: Repository): Promise<{ run: string; record: string; clone: string }> {
  const { run } = await repository.json(["run", "dev"]);
  const { record } = await repository.json(["answer", run, "pause"]);
  repository.commit("the run so far");
  const clone = join(repository.root, "clone");
  execFileSync("git", ["clone", "-q", repository.folder, clone]);
  for (const [key, value] of [
    ["user.name", "Other"],
    ["user.email", "o@example.invalid"],
  ] as const)
    execFileSync("git", ["config", key, value], { cwd: clone });
  return { run, record, clone };
}

test("a colleague's clone carries the run on from where it was published", async () => {
  using repository = skillsGround(DEV, { files: OK });
  const { run, clone } = await published(repository);
  const there = { cwd: clone };
  const resumed = await repository.json(["resume"], there);
  expect([resumed.run, resumed.code, resumed.status]).toEqual([run, 3, "paused"]);
  expect(resumed.record.startsWith(clone)).toBe(true);
  await repository.json(["answer", run, "continue"], there);
  const end = await repository.json(["answer", run, "continue"], there);
  expect([end.code, end.outcome]).toEqual([0, "success"]);
  expect(repository.record(end).skill_outputs).toEqual({ a: "output of a, visit 1", b: "output of b, visit 1" });
  expect(end.steps.map(({ visits }: { visits: number }) => visits)).toEqual([1, 1]);
  expect((await repository.json(["verify", run], there)).ok).toBe(true);
  expect(repository.events(end).find(({ about }) => about === "adopted")).toBeDefined();
});

test("a published journal in which a line was changed is not adopted", async () => {
  using repository = skillsGround(DEV, { files: OK });
  const { run, record, clone } = await published(repository);
  const journal = record.replace(repository.folder, clone).replace(/\.json$/, ".jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace("output of a", "output of x"));
  const refused = await repository.pawl(["resume", run], { cwd: clone });
  expect(refused.code).toBe(4);
  expect(refused.err).toMatch(/line \d+/);
});

test("when both went on with it, the one whose published history is another is refused", async () => {
  using repository = skillsGround(DEV, { files: OK });
  const { run, clone } = await published(repository);
  await repository.json(["resume"], { cwd: clone });
  await repository.json(["answer", run, "continue"], { cwd: clone });
  await repository.json(["answer", run, "pause"], { cwd: clone });
  execFileSync("git", ["add", "-A"], { cwd: clone });
  execFileSync("git", ["commit", "-qm", "theirs"], { cwd: clone });
  repository.git("pull", "-q", clone, "main");
  const journal = readFileSync(join(clone, `.pawl/jobs/main/dev-${run}.jsonl`), "utf8");
  for (const command of [["resume"], ["resume", run]]) {
    const refused = await repository.pawl(command);
    expect(refused.err).toMatch(/tells another history than the run here/);
    expect(refused.code).not.toBe(0);
  }
  expect(repository.read(`.pawl/jobs/main/dev-${run}.jsonl`)).toBe(journal);
});
