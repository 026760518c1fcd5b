// A pending job that gets its name, killed at every moment of it: each run is found once, in the old place or in the new one.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "../journeys/skills-ground.js";
import { buildThatDies, THAT_DIES } from "./build.js";

buildThatDies();

const LOOPS = {
  spec: "skills: [a]\nrequire_branch: base\non_complete: {on_success: {trigger_loop: dev}}\n",
  dev: "skills: [b, c]\n",
};
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Every file below the jobs, by its name alone. */
function filesOf(repository: Repository): { name: string; folder: string; text: string }[] {
  const top = join(repository.folder, ".pawl/jobs");
  return readdirSync(top).flatMap((folder) =>
    statSync(join(top, folder)).isDirectory()
      ? readdirSync(join(top, folder)).map((name) => ({
          name,
          folder,
          text: readFileSync(join(top, folder, name), "utf8"),
        }))
      : [],
  );
}

/** Two runs of one pending job, the second at its first gate; then a ticket is made. */
async function ground(): Promise<{ repository: Repository; spec: string; dev: string }> {
  const repository = skillsGround(LOOPS);
  const { run: spec } = await repository.json(["run", "spec"]);
  const { run: dev } = await repository.json(["answer", spec, "continue"]);
  repository.write({ [`.pawl/jobs/_pending-${spec}/notes.md`]: "of a skill" });
  repository.git("switch", "-qc", "feat/dm-1");
  repository.write({ ".pawl/spec.md": "---\nticket: DM-1\nbranch: feat/dm-1\n---\n" });
  return { repository, spec, dev };
}

const MOMENTS = [
  ...[1, 2, 3, 4].map((n) => `append:after#${n}`),
  "rename:before#1",
  ...[1, 3, 5].map((n) => `rename:file#${n}`),
  "rename:after#1",
  ...[2, 3].map((n) => `record:before#${n}`),
  ...[3, 4].map((n) => `record:after#${n}`),
];

test.each(MOMENTS)(
  "killed at %s, each run is found once with all its files, and the job has its name in the end",
  async (moment) => {
    verifies("pending.renamed");
    const { repository, spec, dev } = await ground();
    using _ = repository;
    const before = filesOf(repository);
    const lines = (run: string) => readFileSync(join(repository.folder, `.git/pawl/runs/${run}/journal.jsonl`), "utf8");
    const [ofSpec, ofDev] = [lines(spec), lines(dev)];
    const died = await repository.pawl(["answer", dev, "continue"], {
      program: THAT_DIES,
      env: { PAWL_DIES_AT: moment },
    });
    expect(died.signal, `it comes by ${moment}`).toBe("SIGKILL");
    const found = filesOf(repository).filter(({ name }) => !name.endsWith(".tmp"));
    expect(found.map(({ name }) => name).sort()).toEqual(before.map(({ name }) => name).sort());
    expect((await repository.json(["status"])).run).toBe(dev);
    const second = await repository.pawl(["run", "dev"]);
    expect([second.code, second.err]).toEqual([3, expect.stringContaining(`pawl resume ${dev}`)]);
    const on = await repository.json(["resume"]);
    expect(on.run).toBe(dev);
    const answered = on.gate?.question.startsWith('"b"') ? await repository.json(["answer", dev, "continue"]) : on;
    expect(answered.gate.question).toContain('"c"');
    const end = await repository.json(["answer", dev, "continue"]);
    expect([end.status, end.job]).toEqual(["complete", "DM-1"]);
    expect(readdirSync(join(repository.folder, ".pawl/jobs"))).toEqual(["DM-1"]);
    const after = filesOf(repository);
    for (const { name } of before) expect(after.map((file) => file.name)).toContain(name);
    expect(after.find(({ name }) => name === "notes.md")?.text).toBe("of a skill");
    for (const [run, loop, was] of [
      [spec, "spec", ofSpec],
      [dev, "dev", ofDev],
    ] as const) {
      const now = lines(run);
      expect(now.startsWith(was)).toBe(true);
      const renames = now.split("\n").filter((line) => line.includes('"type":"renamed"'));
      expect([run, renames.length]).toEqual([run, 1]);
      expect((await repository.json(["status", run])).job).toBe("DM-1");
      const record = JSON.parse(readFileSync(join(repository.folder, `.pawl/jobs/DM-1/${loop}-${run}.json`), "utf8"));
      expect(record).toMatchObject({ job_id: "DM-1", task_id: run, status: "complete", outcome: "success" });
      expect(record.head).toBe(digest(now.trimEnd().split("\n").at(-1) ?? ""));
      expect(existsSync(join(repository.folder, `.pawl/jobs/DM-1/${loop}-${run}.jsonl`))).toBe(true);
      expect((await repository.pawl(["verify", run])).code).toBe(0);
    }
  },
);
