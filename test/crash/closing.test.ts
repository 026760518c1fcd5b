// Killed while a run is being closed: there is one note and one commit in the end, made by the next command that drives in its job.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "../journeys/skills-ground.js";
import { buildThatDies, THAT_DIES } from "./build.js";
import { digestOf, leftovers, linesOf } from "./traces.js";

/** No process has this number: the system's own limit is 2^22. */
const NOBODY = 4_194_305;

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

it("killed between its last line and its record, a run's record is made whole and what lies half written goes", async () => {
  using repository = skillsGround({ dev: "skills: [a]\nhuman_gate: false\n" }, { branch: "topic" });
  await repository.pawl(["run", "dev"], { program: THAT_DIES });
  const home = join(repository.folder, ".git/pawl/runs");
  const lines = linesOf(join(home, readdirSync(home)[0] ?? "", "journal.jsonl")).length;
  const [first] = readdirSync(home);
  const end = { PAWL_DIES_AT: `append:after#${lines}` };
  expect((await repository.pawl(["run", "dev"], { program: THAT_DIES, env: end })).signal).toBe("SIGKILL");
  const id = readdirSync(home).find((name) => name !== first) ?? "";
  const record = `.pawl/jobs/topic/dev-${id}.json`;
  const last = digestOf(linesOf(join(home, id, "journal.jsonl")).at(-1));
  expect(JSON.parse(repository.read(record)).head).not.toBe(last);
  for (const temp of [`${home}/${id}/run.json.a1.tmp`, `${home}/${id}/rest.json.${NOBODY}.tmp`])
    writeFileSync(temp, "half");
  writeFileSync(join(repository.folder, `${record}.${NOBODY}-a1-1.tmp`), "half");
  const again = await repository.pawl(["resume", id], { program: THAT_DIES });
  expect([again.code, again.err]).toEqual([1, expect.stringContaining(`run ${id} has ended`)]);
  expect(leftovers(join(repository.folder, ".git"), join(repository.folder, ".pawl"))).toEqual([]);
  const committed = JSON.parse(repository.git("show", `HEAD:${record}`));
  expect(committed).toMatchObject({ status: "complete", outcome: "success", head: last });
});

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
