// What Pawl does not do stands in docs/out-of-scope, and the program holds to it.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const says = (name: string): string =>
  readFileSync(new URL(`../../docs/out-of-scope/${name}.md`, import.meta.url), "utf8").replace(/\s+/g, " ");

test("only a manual start works: other triggers are read, warned of and not acted upon", async () => {
  verifies("scope.skills.event-triggers");
  expect(says("event-triggers")).toContain("Only a manual start works");
  for (const word of ["notify_and_wait", "auto", "failed CI job", "cron"])
    expect(says("event-triggers")).toContain(word);
  using repository = skillsGround({ dev: "skills: [a]\ntrigger: {type: auto}\n" });
  const plan = await repository.pawl(["plan", "dev"]);
  expect([plan.code, plan.out]).toEqual([0, expect.stringMatching(/auto,\s+which\s+is\s+not\s+acted\s+upon/)]);
});

test("skills of one loop are one straight sequence", async () => {
  verifies("scope.skills.parallel");
  expect(says("parallel-skills")).toContain("one straight sequence");
  expect(says("parallel-skills")).toContain("do not run at the same time");
  using repository = skillsGround({ dev: "skills: [[a, b], c]\n" });
  expect((await repository.pawl(["validate", ".pawl/loops/dev.yaml"])).code).toBe(2);
});

test("a validator is a file, never an address", async () => {
  verifies("scope.validators.http");
  expect(says("validators-over-http")).toContain("child process");
  expect(says("validators-over-http")).toContain("lists no validator");
  using repository = skillsGround({ dev: 'skills: [a]\nvalidators: [{tool: "https://example.invalid/check"}]\n' });
  expect((await repository.pawl(["validate", ".pawl/loops/dev.yaml"])).code).toBe(2);
});
