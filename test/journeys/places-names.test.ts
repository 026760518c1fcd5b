// Where a run may happen: odd names of branches, folders and steps, worktrees, and folders without a repository.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judged, loopMdOf, phase } from "../harness/phase.js";
import { Repository } from "../harness/repository.js";

const LONG = `schritt-${"ä".repeat(60)}-${"x".repeat(200)}`.slice(0, 200);

describe("a run", { timeout: 120_000 }, () => {
  it("works on a branch with a slash, in a folder with blanks and letters of other scripts", async () => {
    using repository = phase({ reviews: [judged("APPROVED")], how: { name: "my répo 仓库", branch: "feature/a-b" } });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0, job: "feature/a-b" });
    expect(result.record).toBe(join(repository.folder, ".pawl/jobs/feature/a-b", `phase-${result.run}.json`));
    expect(loopMdOf(result).front.phase_slug).toBe("feature/a-b");
  });

  it("keeps the runs of two branches apart", async () => {
    using repository = phase({ how: { branch: "dm" } });
    const one = await repository.json(["run", "phase", "--max-iter", "1"]);
    repository.git("switch", "-qc", "main/a");
    const two = await repository.json(["run", "phase", "--max-iter", "1"]);
    expect([one.job, two.job, one.code, two.code]).toEqual(["dm", "main/a", 3, 3]);
    expect(one.run).not.toBe(two.run);
  });

  it("works with step names of 200 characters, and refuses longer ones at load", async () => {
    const file = (name: string) => `name: long\nsteps:\n  - {name: "${name}", command: "echo x > made.txt"}\n`;
    using repository = Repository.make({ "long.yaml": file(LONG), "longer.yaml": file(`${LONG}x`) });
    const result = await repository.json(["run", "long.yaml"]);
    expect(result).toMatchObject({ code: 0, steps: [{ name: LONG, verdict: "pass" }] });
    const refused = await repository.pawl(["run", "longer.yaml"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("longer.yaml:3:")]);
  });

  it("works in a linked worktree, beside a run in the main one", async () => {
    using repository = phase({ reviews: [judged("APPROVED")] });
    const other = join(repository.root, "other tree");
    repository.git("worktree", "add", "-q", "-b", "side", other);
    const [here, there] = await Promise.all([
      repository.json(["run", "phase"]),
      repository.json(["run", "phase"], { cwd: other }),
    ]);
    expect([here.code, here.job, there.code, there.job]).toEqual([0, "main", 0, "side"]);
    expect(there.record.startsWith(other)).toBe(true);
    expect(repository.read("work.txt")).toBe("1\n");
  });

  it("works from a folder below the root", async () => {
    using repository = phase({ reviews: [judged("APPROVED")] });
    const below = join(repository.folder, "deep", "er");
    mkdirSync(below, { recursive: true });
    expect(await repository.json(["run", "phase"], { cwd: below })).toMatchObject({ code: 0, job: "main" });
    expect(repository.has("work.txt")).toBe(true);
  });

  it("does not start in the home folder, and leaves nothing there", async () => {
    using repository = phase({ reviews: [judged("APPROVED")], how: { git: false } });
    const refused = await repository.pawl(["run", "phase"], { env: { HOME: repository.folder } });
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("is your home folder, no place for a run"),
    ]);
    expect(repository.has(".pawl/jobs") || repository.has(".pawl/local")).toBe(false);
  });

  it("works without git: the job is unknown, with a warning, and an edit still counts as a change", async () => {
    using repository = phase({ reviews: [judged("APPROVED")], how: { git: false } });
    const { code, err, out } = await repository.pawl(["run", "phase", "--json"]);
    const result = JSON.parse(out);
    expect([code, result.job, result.warnings]).toEqual([0, "unknown", []]);
    expect(err).toContain("unknown");
    expect(result.journal).toContain(".pawl/local/");
  });

  it("works in a repository without a commit, but not to its commit step, which is said before anything runs", async () => {
    using repository = phase({
      reviews: [judged("APPROVED")],
      files: {
        "c.yaml":
          'name: c\nsteps:\n  - {name: one, command: "touch made"}\n  - {name: keep, action: commit, params: {message: "x"}}\n',
      },
      how: { git: "init" },
    });
    expect(await repository.json(["run", "phase"])).toMatchObject({ code: 0 });
    const refused = await repository.pawl(["run", "c.yaml"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("has no commit yet")]);
    expect(repository.has("made")).toBe(false);
  });

  it("is refused where the ticket would lead out of its folder", async () => {
    const spec = "---\nticket: ../../../etc\nbranch: main\n---\n";
    using repository = phase({ reviews: [judged("APPROVED")], files: { ".pawl/spec.md": spec } });
    const refused = await repository.pawl(["run", "phase"]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('cannot be a job: it has the folder ".."'),
    ]);
    expect((await repository.json(["list"])).runs).toEqual([]);
  });
});
