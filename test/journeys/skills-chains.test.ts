// Loops that follow loops: in the same job, with a record of their own, and never for ever.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const FREE = "skills: [a]\nhuman_gate: false\n";
const then = (loop: string): string => `on_complete: {on_success: {trigger_loop: ${loop}}}\n`;

test("the loop that follows has its own run in the same job, made by the first", async () => {
  verifies("chain.on-success");
  using repository = skillsGround({ dev: FREE + then("check"), check: "skills: [b, c]\n" });
  const next = await repository.json(["run", "dev"]);
  expect([next.code, next.loop, next.status]).toEqual([3, "check", "paused"]);
  expect(repository.record(next)).toMatchObject({ skills: ["b", "c"], skills_completed: ["b"], job_id: "main" });
  const { runs } = await repository.json(["list"]);
  expect(runs.map(({ loop, status }: { loop: string; status: string }) => `${loop} ${status}`).sort()).toEqual([
    "check paused",
    "dev complete",
  ]);
  expect(repository.events(next)[0].parent).toBe(runs.find(({ loop }: { loop: string }) => loop === "dev").run);
  expect((await repository.json(["status"])).run).toBe(next.run);
});

test("a loop without a follower, and one that rests, start nothing", async () => {
  verifies("chain.on-failure-and-warning");
  using repository = skillsGround({ dev: FREE, gated: `skills: [a]\n${then("dev")}` });
  await repository.json(["run", "dev"]);
  await repository.json(["run", "gated"]);
  const { runs } = await repository.json(["list"]);
  expect(runs.map(({ loop }: { loop: string }) => loop).sort()).toEqual(["dev", "gated"]);
});

test("a follower that may not start here costs the first nothing: its outcome is told with the reason", async () => {
  using repository = skillsGround(
    { dev: FREE + then("release"), release: `${FREE}require_branch: base\n` },
    { branch: "topic" },
  );
  const run = await repository.json(["run", "dev"]);
  expect([run.code, run.loop, run.outcome]).toEqual([0, "dev", "success"]);
  expect(run.warnings.join()).toMatch(/"release" was not started: .*base branch/);
  expect((await repository.json(["list"])).runs).toHaveLength(1);
  expect((await repository.pawl(["status", run.run])).out).toMatch(/"release" was not started/);
});

test("a follower whose file is broken by then is told too", async () => {
  using repository = skillsGround({ dev: `skills: [a]\n${then("check")}`, check: FREE });
  const run = await repository.json(["run", "dev"]);
  repository.write({ ".pawl/loops/check.yaml": "name: check\nskills: [nowhere]\n" });
  const end = await repository.json(["answer", run.run, "continue"]);
  expect([end.code, end.loop, end.outcome]).toEqual([0, "dev", "success"]);
  expect(end.warnings.join()).toMatch(/"check" was not started: .*nowhere/);
});

test("a circle of loops comes to its end by itself and says so", async () => {
  using repository = skillsGround({ ping: FREE + then("pong"), pong: FREE + then("ping") });
  const end = await repository.json(["run", "ping"]);
  expect([end.code, end.outcome]).toEqual([0, "success"]);
  expect(end.warnings.join()).toMatch(/more than 20 loops started one another/);
  const records = readdirSync(join(repository.folder, ".pawl/jobs/main")).filter((name) => /-\w+\.json$/.test(name));
  expect(records.length).toBeLessThanOrEqual(21);
}, 120_000);
