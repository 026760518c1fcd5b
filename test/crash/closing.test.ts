// Killed while a run is being closed: there is one note and one commit in the end, made by the next command that drives in its job.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "../journeys/skills-ground.js";
import { buildThatDies, THAT_DIES } from "./build.js";

buildThatDies();

// "commit:before" is passed twice: by the port, and by the commit itself
it.each(["commit:before#1", "commit:before#2", "commit:intent#1", "commit:moved#1", "commit:after#1"])(
  "killed at %s of the commit, the record is committed once",
  async (moment) => {
    verifies("statecommit.on-finish");
    using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" }, { branch: "topic" });
    const die = { program: THAT_DIES, env: { PAWL_DIES_AT: moment } };
    const killed = await repository.pawl(["run", "dev"], die);
    expect(killed.signal).toBe("SIGKILL");
    const [id = ""] = (await repository.json(["list"])).runs?.map(({ run }: { run: string }) => run) ?? [];
    const again = await repository.pawl(["resume", id], { program: THAT_DIES });
    expect(again.err).toContain("has ended");
    expect(repository.commits()).toEqual(["chore: sync loop state for dev (job topic)", "start"]);
    expect(repository.git("status", "--porcelain", "--", ".pawl/jobs", ".pawl/activeContext.md")).toBe("");
    expect(repository.read(".pawl/activeContext.md").match(/<!-- pawl:dev-/g)).toHaveLength(1);
    await repository.pawl(["resume", id], { program: THAT_DIES });
    expect(repository.commits()).toHaveLength(2);
  },
);

it("a run whose closing cannot be finished is told of, and does not keep the next one from starting", async () => {
  using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" }, { branch: "topic" });
  await repository.pawl(["run", "dev"], { program: THAT_DIES, env: { PAWL_DIES_AT: "commit:before#1" } });
  const { runs } = await repository.json(["list"]);
  const folder = join(repository.folder, ".git/pawl/runs", runs[0].run);
  writeFileSync(join(folder, "journal.jsonl"), "broken\n{}\n");
  const end = await repository.pawl(["run", "dev", "--json"]);
  expect([end.code, end.err]).toEqual([
    0,
    expect.stringContaining(`the record of run ${runs[0].run} is not committed: `),
  ]);
  expect(repository.commits()).toHaveLength(2);
});
