// The commit step, run for real: the single commit point of a run, and every way in which there is none.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const loop = (list: string) => ({ "loop.yaml": `name: loop\nsteps:\n${list}` });
const COMMIT = '  - {name: commit, action: commit, params: {message: "feat: {subject} ({run})"}}\n';
const write = (more = "") => loop(`  - {name: work, command: "echo done > work.txt"}\n${more}${COMMIT}`);
const run = (repository: Repository, ...more: string[]) => repository.json(["run", "loop.yaml", ...more]);
const gate = '  - {name: ask, gate: "go on?"}\n';

describe("a run that began clean", () => {
  it("makes none where people changed at a gate what the run had changed, for the whole was never checked", async () => {
    using repository = Repository.make(write(gate));
    const parked = await run(repository);
    repository.write({ "work.txt": "done\nmine\n" });
    const answered = await repository.pawl(["answer", parked.run, "approve", "--json"]);
    expect(answered.err).toContain(`changed while run ${parked.run} rested, so not its own to commit: work.txt`);
    expect([answered.code, answered.json().outcome]).toEqual([5, "not-committed"]);
    expect(answered.json().reason).toContain("people changed files that the run had changed too");
    expect([repository.commits(), repository.read("work.txt")]).toEqual([["start"], "done\nmine\n"]);
  });

  it("makes one commit of what it changed, and only its commit step makes any", async () => {
    verifies("commit.action.single-point", "commit.action.message");
    using repository = Repository.make({
      ...loop(`  - {name: dev, command: "git -c user.name=x -c user.email=x@y commit --allow-empty -m stolen; echo $PAWL_ATTEMPT >> work.txt; mkdir -p 'a folder'; echo x > 'a folder/ü \\"b\\".txt'; rm old.txt 2>/dev/null; true"}
  - {name: test, command: "test $PAWL_ATTEMPT = 3", on_fail: {goto: dev, retry: true}}\n${COMMIT}`),
      "old.txt": "old\n",
    });
    const result = await run(repository, "--input", "subject=make a\nsecond line\nCo-authored-by: nobody");
    expect([result.exit, result.outcome]).toEqual([0, "success"]);
    const [subject, ...rest] = repository.git("log", "--format=%B%x00", "-1").replace("\0", "").trim().split("\n");
    expect([subject, rest]).toEqual([`feat: make a second line Co-authored-by: nobody (${result.run})`, []]);
    expect(repository.commits()).toHaveLength(2);
    const changed = repository.git("-c", "core.quotePath=false", "show", "--format=", "--name-status", "HEAD");
    expect(changed.trim().split("\n")).toEqual(['A\t"a folder/ü \\"b\\".txt"', "D\told.txt", "A\twork.txt"]);
    expect(repository.git("status", "--porcelain", "--", ":!.pawl")).toBe("");
  });

  it("makes none when there is nothing to commit, which is a clean success", async () => {
    verifies("commit.action.message");
    using repository = Repository.make(loop(`  - {name: work, command: "true"}\n${COMMIT}`));
    const result = await run(repository);
    expect([result.exit, result.outcome, repository.commits()]).toEqual([0, "success", ["start"]]);
    const { visits } = await repository.json(["explain", result.run, "commit"]);
    expect(visits[0].outcome).toBe("pass");
    expect(JSON.stringify(repository.events(result))).toContain("nothing to commit; the work is in");
  });

  it("leaves out what people changed while it was parked, and says so", async () => {
    using repository = Repository.make({ ...write(gate), "mine.txt": "before\n" });
    const parked = await run(repository);
    expect([parked.exit, parked.gate.question]).toEqual([3, "go on?"]);
    repository.write({ "mine.txt": "edited by a person\n", "new.txt": "also mine\n" });
    const result = await repository.json(["answer", parked.run, "approve"]);
    expect([result.exit, result.outcome]).toEqual([0, "success"]);
    expect(repository.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("work.txt");
    expect(repository.git("status", "--porcelain", "mine.txt", "new.txt")).toBe(" M mine.txt\n?? new.txt\n");
    expect(result.warnings.join()).toContain("left out, for people changed them during the run: mine.txt, new.txt");
  });

  it("takes them up when a person says that they are the run's", async () => {
    using repository = Repository.make(write(gate));
    const parked = await run(repository);
    repository.write({ "hint.txt": "for the run\n" });
    expect((await repository.json(["resume", parked.run, "--accept-changes"])).exit).toBe(3);
    expect((await repository.json(["answer", parked.run, "approve"])).exit).toBe(0);
    expect(repository.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("hint.txt\nwork.txt");
  });
});

describe("a run that began in a tree with edits", () => {
  it("says so in its first lines, makes no commit, leaves every edit as it is and ends with 5", async () => {
    verifies("commit.action.dirty-start");
    using repository = Repository.make({ ...write(), "mine.txt": "before\n" });
    repository.write({ "mine.txt": "half done\n", "new.txt": "new\n" });
    repository.git("add", "new.txt");
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect(end.code).toBe(5);
    expect(end.err.split("\n").slice(0, 3).join()).toContain(
      "the tree is not clean (mine.txt, new.txt), so this run will not commit",
    );
    expect(end.out).toMatch(/complete \(not-committed\): succeeded, not committed: the tree was not clean/);
    expect(repository.commits()).toEqual(["start"]);
    expect([repository.read("mine.txt"), repository.read("work.txt")]).toEqual(["half done\n", "done\n"]);
    expect(repository.git("status", "--porcelain", "--", ":!.pawl")).toBe(" M mine.txt\nA  new.txt\n?? work.txt\n");
    expect(repository.git("stash", "list")).toBe("");
  });

  it("makes none either after the tree was cleaned up and the run resumed", async () => {
    verifies("commit.action.dirty-start");
    using repository = Repository.make({ ...write(gate), "mine.txt": "before\n" });
    repository.write({ "mine.txt": "half done\n" });
    const parked = await run(repository);
    repository.git("checkout", "-q", "mine.txt");
    const result = await repository.json(["answer", parked.run, "approve"]);
    expect([result.exit, result.code, result.outcome, result.status]).toEqual([5, 5, "not-committed", "complete"]);
    expect(repository.record(result)).toMatchObject({
      status: "complete",
      reason: expect.stringContaining("not committed"),
    });
    expect(repository.commits()).toEqual(["start"]);
    expect(repository.read("work.txt")).toBe("done\n");
  });
});

describe("a commit that cannot be", () => {
  it("because a hook of the repository refuses ends with 5, the hook's words and the command to finish by hand", async () => {
    using repository = Repository.make(write());
    repository.write({ ".git/hooks/pre-commit": "#!/bin/sh\necho 'no commits on a Friday' >&2\nexit 1\n" });
    const result = await run(repository);
    expect([result.exit, result.outcome, result.reason]).toEqual([
      5,
      "not-committed",
      expect.stringContaining("no commits on a Friday"),
    ]);
    expect(result.next).toBe(
      `git -C ${repository.folder} --literal-pathspecs add -- work.txt && git -C ${repository.folder} --literal-pathspecs commit -m $'feat: loop (${result.run})\\n' -- work.txt`,
    );
    expect(repository.git("status", "--porcelain", "--", ":!.pawl")).toBe("?? work.txt\n");
  });

  it("because no branch is checked out ends with 5 and says how to get to one", async () => {
    using repository = Repository.make(write());
    repository.git("checkout", "-q", "--detach");
    const result = await run(repository);
    expect([result.exit, result.outcome, result.reason]).toEqual([
      5,
      "not-committed",
      expect.stringMatching(/HEAD is detached at .*git switch -c NAME/),
    ]);
  });

  it("because git does not know who commits ends with 5 and says how to tell it", async () => {
    using repository = Repository.make(write());
    repository.git("config", "--unset", "user.name");
    repository.git("config", "--unset", "user.email");
    const result = await run(repository);
    expect([result.exit, result.reason]).toEqual([5, expect.stringContaining("git config --global user.name NAME")]);
  });

  it("because there is no commit yet is refused before any state, with the command that makes one", async () => {
    using repository = Repository.make(write(), { git: "init" });
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect([end.code, end.err]).toEqual([2, expect.stringContaining("git commit --allow-empty -m start")]);
    expect([existsSync(join(repository.folder, ".git/pawl")), existsSync(join(repository.folder, "work.txt"))]).toEqual(
      [false, false],
    );
  });

  it("because there is no repository is an end with 5; the steps have run", async () => {
    using repository = Repository.make(write(), { git: false });
    const result = await run(repository);
    expect([result.exit, result.outcome]).toEqual([5, "not-committed"]);
    expect(result.reason).toContain("is not in a git repository");
    expect([result.next, repository.read("work.txt")]).toEqual(["git init", "done\n"]);
  });

  it("because a file holds a secret is refused with its name, and nothing is committed", async () => {
    using repository = Repository.make(
      loop(
        `  - {name: work, command: "echo x > work.txt; printf -- '-----BEGIN RSA PRIVATE KEY-----\\\\nMIIEow\\\\n' > key.pem"}\n${COMMIT}`,
      ),
    );
    const result = await run(repository);
    expect([result.exit, result.outcome, result.reason]).toEqual([
      5,
      "not-committed",
      expect.stringContaining('"key.pem:1" looks like a secret'),
    ]);
    expect(repository.commits()).toEqual(["start"]);
  });
});

describe("a message template", () => {
  it("with a name that nothing fills in is an issue with its place, before anything is done", async () => {
    using repository = Repository.make(
      loop(
        `  - {name: work, command: "touch ran"}\n  - {name: commit, action: commit, params: {message: "feat: {scope} {subject}"}}\n`,
      ),
    );
    for (const args of [
      ["run", "loop.yaml"],
      ["plan", "loop.yaml"],
      ["validate", "loop.yaml"],
    ]) {
      const end = await repository.pawl(args);
      expect([end.code, end.out + end.err]).toEqual([
        2,
        expect.stringMatching(/loop\.yaml:4:\d+ .*\{scope\}.*\{subject\} \{loop\} \{job\} \{run\}/),
      ]);
    }
    expect([existsSync(join(repository.folder, "ran")), existsSync(join(repository.folder, ".git/pawl"))]).toEqual([
      false,
      false,
    ]);
  });
});

describe("a hook or a setting that a step would plant", () => {
  it("does not get into the repository, and the run commits as ever", async () => {
    using repository = Repository.make(
      loop(
        `  - {name: work, command: "echo done > work.txt; mkdir -p .git/hooks; printf '#!/bin/sh\\\\ntouch %s/owned\\\\n' \\"$PAWL_WORKSPACE\\" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor 'touch owned'; true"}\n${COMMIT}`,
      ),
    );
    const result = await run(repository);
    expect(existsSync(join(repository.folder, "owned"))).toBe(false);
    expect([result.exit, repository.commits()]).toEqual([0, [`feat: loop (${result.run})`, "start"]]);
    expect(existsSync(join(repository.folder, ".git/hooks/pre-commit"))).toBe(false); // .git is read-only inside
  });
});
