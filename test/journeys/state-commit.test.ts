// The record of a run that has ended is committed: its own files only, never on a protected branch, never what the person has.
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const FREE = "skills: [a]\nhuman_gate: false\n";
const SPEC = { ".pawl/spec.md": "---\nticket: DM-123\nbranch: feature/x\n---\n" };
const ground = (loops: Record<string, string> = { release: FREE }, more: Parameters<typeof skillsGround>[1] = {}) =>
  skillsGround(loops, { branch: "feature/x", ...more, files: { ...SPEC, ...more.files } });
const inHead = (repository: Repository, ref = "HEAD"): string[] =>
  repository.git("show", "--format=", "--name-only", ref).trim().split("\n");
const own = (run: { run: string; loop: string }, job = "DM-123"): string[] => [
  ".pawl/activeContext.md",
  ...["flow.json", "json", "jsonl"].map((end) => `.pawl/jobs/${job}/${run.loop}-${run.run}.${end}`),
];

describe("a run that ends on a feature branch", () => {
  it.each([
    ["completes", "true", "complete"],
    ["fails", "false", "failed"],
  ])("and %s makes one commit of its record and its note", async (_, agent, status) => {
    verifies("statecommit.on-finish", "statecommit.content");
    using repository = ground({ release: `steps:\n  - {name: work, command: "${agent}"}\n` });
    const run = await repository.json(["run", "release"]);
    expect(run.status).toBe(status);
    expect(repository.commits()).toEqual(["chore: sync loop state for release (job DM-123)", "start"]);
    expect(inHead(repository)).toEqual(own(run));
    expect(repository.git("status", "--porcelain", "--", ".pawl/jobs", ".pawl/activeContext.md")).toBe("");
    expect(repository.record(run).status).toBe(status);
    const verified = await repository.pawl(["verify", run.record.replace(/json$/, "jsonl")]);
    expect([verified.code, verified.out]).toEqual([
      0,
      expect.stringContaining(`${repository.events(run).length} events`),
    ]);
  });

  it("leaves what the person has staged and not staged as it was, in the notes too", async () => {
    verifies("statecommit.content");
    using repository = ground({ release: FREE }, { files: { "a.txt": "a\n", ".pawl/activeContext.md": "# Mine\n" } });
    repository.write({ ".pawl/activeContext.md": "# Mine, staged\n", "new.txt": "staged\n" });
    repository.git("add", "-A");
    repository.write({ ".pawl/activeContext.md": "# Mine, staged\n\nnot staged\n", "a.txt": "not staged\n" });
    const run = await repository.json(["run", "release"]);
    expect(inHead(repository)).toEqual(own(run));
    expect(repository.git("show", "HEAD:.pawl/activeContext.md")).toMatch(
      /^# Mine\n\n## Runs <!-- pawl -->\n\n- .* <!-- pawl:\S+ -->\n$/,
    );
    expect(repository.git("diff", "--cached", "--", ".pawl/activeContext.md")).toMatch(
      /-# Mine\n\+# Mine, staged\n \n ## Runs/,
    );
    expect(repository.read(".pawl/activeContext.md")).toMatch(/^# Mine, staged\n\nnot staged\n\n## Runs/);
    expect(repository.git("status", "--porcelain", "--", "a.txt", "new.txt")).toBe(" M a.txt\nA  new.txt\n");
    expect(repository.git("stash", "list")).toBe("");
  });

  it("and is made of loops as steps makes one commit, with the records of them all", async () => {
    using repository = ground({
      release: "steps:\n  - {name: inner, loop: inner}\n",
      inner: FREE,
    });
    const run = await repository.json(["run", "release"]);
    expect(repository.commits()).toHaveLength(2);
    const files = inHead(repository);
    expect(files).toEqual(expect.arrayContaining(own(run)));
    expect(files.filter((name) => /\/inner-inner-\w+\.(json|jsonl|flow\.json)$/.test(name))).toHaveLength(3);
    expect(files).toHaveLength(7);
  });

  it("and is followed by another makes one for each", async () => {
    using repository = ground({ dev: `${FREE}on_complete: {on_success: {trigger_loop: release}}\n`, release: FREE });
    await repository.json(["run", "dev"]);
    const subject = (loop: string) => `chore: sync loop state for ${loop} (job DM-123)`;
    expect(repository.commits()).toEqual([subject("release"), subject("dev"), "start"]);
  });

  it("because a person abandoned it is committed as well", async () => {
    using repository = ground({ release: "skills: [a]\n" });
    const { run } = await repository.json(["run", "release"]);
    await repository.json(["abandon", run]);
    expect(repository.commits()).toHaveLength(2);
  });
});

describe("no commit is made", () => {
  it("by a run that pauses or iterates", async () => {
    verifies("statecommit.not-made");
    using repository = ground({ release: "skills: [a]\n" });
    const parked = await repository.json(["run", "release"]);
    expect([parked.exit, repository.commits()]).toEqual([3, ["start"]]);
    await repository.json(["answer", parked.run, "pause"]);
    expect(repository.commits()).toEqual(["start"]);
    await repository.json(["stop", parked.run]);
    expect(repository.commits()).toEqual(["start"]);
  });

  it.each([
    ["main", ""],
    ["trunk", ""],
    ["integration", "branch_base: integration\n"],
    ["live", "production_branch: live\n"],
  ])("on the protected branch %s", async (branch, config) => {
    verifies("statecommit.not-made");
    using repository = ground({ release: FREE }, { branch });
    const settings = `${repository.read(".pawl/config.yaml")}${config}`;
    repository.write({ ".pawl/config.yaml": settings });
    const run = await repository.json(["run", "release"]);
    expect([run.exit, repository.commits()]).toEqual([0, ["start"]]);
    expect(run.warnings).toEqual(
      config ? [expect.stringContaining(`names "${branch}" as a branch that takes no commits`)] : [],
    );
  });

  it("on the remote's default branch", async () => {
    using repository = ground();
    repository.git("update-ref", "refs/remotes/origin/feature/x", "HEAD");
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feature/x");
    expect((await repository.json(["run", "release"])).warnings).toEqual([]);
    expect(repository.commits()).toEqual(["start"]);
  });

  it("without git, or with nothing to commit, and nothing is said", async () => {
    verifies("statecommit.not-made");
    using bare = Repository.make(
      { "loop.yaml": 'name: loop\nsteps:\n  - {name: work, command: "true"}\n' },
      { git: false },
    );
    expect((await bare.json(["run", "loop.yaml"])).warnings).toEqual([]);
    expect(existsSync(join(bare.folder, ".git"))).toBe(false);
    using ignored = ground({ release: FREE }, { files: { ".gitignore": ".pawl/jobs/\n.pawl/activeContext.md\n" } });
    expect((await ignored.json(["run", "release"])).warnings).toEqual([]);
    expect(ignored.commits()).toEqual(["start"]);
  });
});

describe("a commit that fails", () => {
  it("because a hook rejects it leaves the outcome, and says how to do it by hand", async () => {
    verifies("statecommit.failure-warns");
    using repository = ground();
    repository.write({ ".git/hooks/pre-commit": "#!/bin/sh\necho 'no commits on a Friday' >&2\nexit 1\n" });
    const end = await repository.pawl(["run", "release", "--json"]);
    const run = end.json();
    expect([end.code, run.outcome, repository.commits()]).toEqual([0, "success", ["start"]]);
    expect(run.warnings).toEqual([
      expect.stringMatching(
        /not committed: the pre-commit hook refused .*no commits on a Friday.*git status \.pawl\//s,
      ),
    ]);
    const [, byHand = ""] = /by hand: (.*)$/s.exec(run.warnings[0]) ?? [];
    chmodSync(join(repository.folder, ".git/hooks/pre-commit"), 0o644);
    repository.sh(byHand);
    expect(inHead(repository)).toEqual(own(run));
  });

  it("is told on the screen too, and a hook of the repository runs in the sandbox", async () => {
    using repository = ground();
    repository.write({
      ".git/hooks/pre-commit": `#!/bin/sh\ntouch ${join(repository.home, "owned")}\nexit 1\n`,
    });
    const end = await repository.pawl(["run", "release"]);
    expect([end.code, end.out]).toEqual([
      0,
      expect.stringContaining("warning: the record of this run is not committed"),
    ]);
    expect(existsSync(join(repository.home, "owned"))).toBe(false);
  });
});
