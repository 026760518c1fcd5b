// Which run a job is at: found by its records, one at a time, and never guessed.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { ended } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { answering, report, skillsGround } from "./skills-ground.js";

const GATED = { dev: "skills: [a, b]\n", other: "skills: [c]\n" };
const filesOf = (repository: Repository, job = "main"): Record<string, string> => {
  const folder = join(repository.folder, ".pawl/jobs", job);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.json(l)?$/.test(name)) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
};

test("while a run is open in a job, another start there is refused, names it and writes nothing", async () => {
  verifies("active.one-per-job");
  using repository = skillsGround(GATED);
  const open = await repository.json(["run", "dev"]);
  const before = filesOf(repository);
  for (const loop of ["other", "dev"]) {
    const second = await repository.pawl(["run", loop]);
    expect(second.code).toBe(3);
    expect(second.err).toContain(open.run);
    expect(second.err).toContain(`pawl resume ${open.run}`);
  }
  expect(filesOf(repository)).toEqual(before);
});

test("a start while the validators of another run are at work is refused, and the outcome goes to the run it belongs to", async () => {
  verifies("active.one-per-job");
  const look = answering(report({ x: true }), "touch looking; while [ ! -e go ]; do sleep 0.05; done");
  const dev = "skills: [a]\nhuman_gate: false\nvalidators: [{tool: look, checks: [{name: x}]}]\n";
  using repository = skillsGround({ ...GATED, dev }, { files: { "validators/look.sh": look } });
  const running = ended(repository.start(["run", "dev", "--json"]));
  while (!existsSync(join(repository.folder, "looking"))) await new Promise((done) => setTimeout(done, 50));
  const during = await repository.json(["status"]);
  expect(during.status).toBe("validating");
  const second = await repository.pawl(["run", "other"]);
  expect([second.code, second.err.includes(during.run)]).toEqual([3, true]);
  writeFileSync(join(repository.folder, "go"), "");
  const end = (await running).json();
  expect([end.run, end.outcome]).toEqual([during.run, "success"]);
  expect(repository.record(end).outcome).toBe("success");
});

test("JSON that is no record of a run is passed over", async () => {
  verifies("active.foreign-json");
  using repository = skillsGround(GATED);
  const open = await repository.json(["run", "dev"]);
  const folder = dirname(open.record);
  writeFileSync(join(folder, "validation-report.json"), '{"status": "PASS", "checks": []}');
  writeFileSync(join(folder, "list.json"), "[1, 2]");
  expect((await repository.json(["status"])).run).toBe(open.run);
  expect((await repository.json(["resume"])).run).toBe(open.run);
  expect(readFileSync(join(folder, "validation-report.json"), "utf8")).toBe('{"status": "PASS", "checks": []}');
});

test("two open records stop every search with both names, and neither is touched", async () => {
  verifies("active.ambiguous-or-unreadable");
  using repository = skillsGround(GATED);
  const open = await repository.json(["run", "dev"]);
  const copy = { ...repository.record(open), task_id: "dev-zzzzzz" };
  writeFileSync(join(dirname(open.record), "dev-dev-zzzzzz.json"), JSON.stringify(copy));
  const before = filesOf(repository);
  for (const command of [["run", "other"], ["resume"], ["status"]]) {
    const asked = await repository.pawl(command);
    expect(asked.code).not.toBe(0);
    expect(asked.err).toContain(`dev-${open.run}.json`);
    expect(asked.err).toContain("dev-dev-zzzzzz.json");
  }
  expect(filesOf(repository)).toEqual(before);
});

test.each([
  ["cut off", (text: string) => text.slice(0, text.length / 2)],
  ["another status", (text: string) => text.replace('"paused"', '"done"')],
])("a record that is %s stops every search by name, and is not overwritten", async (_how, spoil) => {
  verifies("active.ambiguous-or-unreadable", "task.field.status");
  using repository = skillsGround(GATED);
  const open = await repository.json(["run", "dev"]);
  writeFileSync(open.record, spoil(readFileSync(open.record, "utf8")));
  const before = filesOf(repository);
  for (const command of [["run", "other"], ["resume"], ["status"]]) {
    const asked = await repository.pawl(command);
    expect(asked.code).not.toBe(0);
    expect(asked.err).toContain(`dev-${open.run}.json`);
  }
  expect(filesOf(repository)).toEqual(before);
  expect((await repository.json(["list"])).runs.map(({ run }: { run: string }) => run)).toContain(open.run);
});

test("an ended run moves no more: whatever is asked of it is refused and its record stays", async () => {
  verifies("state.transitions");
  using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" });
  const run = await repository.json(["run", "dev"]);
  const before = filesOf(repository);
  for (const command of [
    ["resume", run.run],
    ["answer", run.run, "continue"],
  ])
    expect((await repository.pawl(command)).code).toBe(1);
  expect((await repository.pawl(["stop", run.run])).err).toMatch(/ended already; nothing was changed/);
  expect((await repository.pawl(["abandon", run.run])).err).toMatch(/ended already; nothing was changed/);
  expect(filesOf(repository)).toEqual(before);
});

test("taking a run ends what is left of its work, and leaves the work of a run of that name elsewhere alone", async () => {
  using repository = skillsGround(GATED);
  const { run } = await repository.json(["run", "dev"]);
  const left = (workspace: string) =>
    spawn("sleep", ["60"], { env: { PATH: process.env.PATH, PAWL_RUN: run, PAWL_WORKSPACE: workspace } });
  const [ours, theirs] = [left(repository.folder), left("/elsewhere")];
  const gone = new Promise((done) => ours.on("exit", (_code, signal) => done(signal)));
  await repository.json(["answer", run, "continue"]);
  expect(await gone).toBe("SIGKILL");
  expect(theirs.exitCode ?? theirs.signalCode).toBeNull();
  theirs.kill();
});

test("each branch has a job of its own, and coming back to it finds its run where it was", async () => {
  verifies("job.id.folder-per-branch", "active.branch-isolation");
  using repository = skillsGround(GATED, { branch: "feature/a-b" });
  const first = await repository.json(["run", "dev"]);
  expect(first.record).toContain("/.pawl/jobs/feature/a-b/dev-");
  const before = readFileSync(first.record, "utf8");
  repository.git("switch", "-qc", "topic");
  const other = await repository.json(["run", "other"]);
  await repository.json(["answer", other.run, "continue"]);
  repository.git("switch", "-q", "feature/a-b");
  expect(readFileSync(first.record, "utf8")).toBe(before);
  const again = await repository.json(["resume"]);
  expect([again.run, again.gate.question]).toEqual([first.run, first.gate.question]);
});

test("a spec of another branch, or without a ticket, names no job; a ticket that leads out is refused by name", async () => {
  verifies("job.id.spec-not-usable", "state.job-id.precedence");
  using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" });
  const jobWith = async (ticket: string, branch: string): Promise<string> => {
    repository.write({ ".pawl/spec.md": `---\nticket: ${ticket}\nbranch: ${branch}\n---\n` });
    return (await repository.json(["run", "dev"])).job;
  };
  expect(await jobWith("DM-1", "old-branch")).toBe("main");
  expect(await jobWith("none", "main")).toBe("main");
  expect(await jobWith("DM-2", "main")).toBe("DM-2");
  repository.write({ ".pawl/spec.md": "---\nticket: ../../etc/x\nbranch: main\n---\n" });
  const refused = await repository.pawl(["run", "dev"]);
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/"\.\.\/\.\.\/etc\/x".*cannot be a job/);
  expect(existsSync(join(repository.root, "etc"))).toBe(false);
  repository.write({ ".pawl/spec.md": "" });
  repository.git("switch", "-q", "--detach");
  const detached = await repository.pawl(["run", "dev", "--json"]);
  expect([detached.json().job, detached.err.includes('"unknown"')]).toEqual(["unknown", true]);
});
