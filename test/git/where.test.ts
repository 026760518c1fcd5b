// Where Pawl stands and what of the user's is there, against real git.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openGit } from "../../src/adapters/git/repository.js";
import { Yard } from "./yard.js";

test("dirty: changed, untracked, staged, deleted, but not what git only stores in another form", async () => {
  using yard = new Yard();
  yard.write(".gitattributes", "*.dos text=auto\n*.up filter=up\n*.id ident\n");
  writeFileSync(join(yard.home, ".gitconfig"), '[filter "up"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n', {
    flag: "a",
  });
  yard.write("x.dos", "a\r\nb\r\n");
  yard.write("x.up", "shout\n");
  yard.write("x.id", "$Id$\n");
  yard.write("gone.txt", "1\n");
  yard.write("staged.txt", "1\n");
  yard.save("more");
  rmSync(join(yard.top, "x.id"));
  yard.git("checkout", "x.id");
  expect(yard.read("x.id")).toMatch(/^\$Id: [0-9a-f]{40} \$/);
  const git = await yard.open();
  expect(await git.dirty()).toEqual([]);
  yard.write("a.txt", "2\n");
  yard.write("new.txt", "2\n");
  yard.write("x.up", "other\n");
  yard.write("x.dos", "a\r\nc\r\n");
  yard.write(".pawl/jobs/main/dev.json", "{}");
  rmSync(join(yard.top, "gone.txt"));
  yard.write("staged.txt", "2\n");
  yard.git("add", "staged.txt");
  yard.write("staged.txt", "1\n");
  expect(await git.dirty()).toEqual(["a.txt", "gone.txt", "new.txt", "staged.txt", "x.dos", "x.up"]);
});

test("dirty: what is staged is told of the index and the commit as they are, though git was asked before", async () => {
  using yard = new Yard();
  yard.write("b.txt", "1\n");
  yard.write("c.txt", "1\n");
  yard.save("more");
  const later = () => Date.now() + 60_000; // every file has been left alone long enough to be known by its times
  const git = await openGit({ folder: yard.top, env: yard.env, now: later });
  const stage = (path: string, text: string) => {
    yard.write(path, text);
    yard.git("add", path);
    yard.write(path, "1\n");
  };
  expect([await git.dirty(), await git.dirty()]).toEqual([[], []]);
  stage("b.txt", "2\n");
  expect([await git.dirty(), await git.dirty()]).toEqual([["b.txt"], ["b.txt"]]);
  stage("c.txt", "2\n");
  expect(await git.dirty()).toEqual(["b.txt", "c.txt"]);
  yard.git("commit", "-qm", "both"); // another commit, the same index: on disk both are the old ones now
  expect(await git.dirty()).toEqual(["b.txt", "c.txt"]);
  yard.git("reset", "-q", "--soft", "HEAD~1");
  yard.git("rm", "-qf", "--cached", "c.txt");
  yard.git("reset", "-q", "b.txt");
  expect(await git.dirty()).toEqual(["c.txt"]);
});

test("dirty: a sparse check-out and a submodule that was never fetched are clean", async () => {
  using yard = new Yard();
  yard.write("in/a", "1");
  yard.write("out/b", "1");
  yard.git("update-index", "--add", "--cacheinfo", `160000,${yard.head()},mod`);
  mkdirSync(join(yard.top, "mod"));
  yard.git("add", "in", "out");
  yard.git("commit", "-qm", "more");
  yard.git("sparse-checkout", "set", "in");
  expect(await (await yard.open()).dirty()).toEqual([]);
});

test("where: the top from a folder below, with its branch, head and user; packed refs, no commit, detached", async () => {
  using yard = new Yard();
  yard.write("deep/er/x", "1");
  yard.sh("mkdir bare && git -C bare init -q --bare . && mkdir empty empty/.git");
  for (const folder of ["deep/er", "bare", "empty"]) {
    const where = await (await yard.open(undefined, join(yard.top, folder))).where();
    expect(where).toEqual({
      kind: "repository",
      workspace: yard.top,
      home: join(yard.top, ".git/pawl"),
      branch: "main",
      head: yard.head(),
      user: { name: "Ann", email: "ann@example.invalid" },
    });
  }
  yard.git("pack-refs", "--all");
  expect(await (await yard.open()).where()).toMatchObject({ branch: "main", head: yard.head() });
  yard.git("switch", "-q", "--detach");
  expect((await (await yard.open()).where()).branch).toBeUndefined();
  using empty = new Yard("no-commit");
  const where = await (await empty.open()).where();
  expect([where.kind, where.branch, where.head]).toEqual(["no-commit", "main", undefined]);
});

test("the user's name may come from an included file and from the environment", async () => {
  using yard = new Yard();
  writeFileSync(join(yard.home, ".gitconfig"), `[includeIf "gitdir:${yard.base}/"]\n\tpath = work\n`);
  writeFileSync(join(yard.home, "work"), "[user]\n\tname = Work\n\temail = w@example.invalid\n");
  expect((await (await yard.open()).where()).user).toEqual({ name: "Work", email: "w@example.invalid" });
  yard.env.GIT_AUTHOR_NAME = "Env";
  expect((await (await yard.open()).where()).user?.name).toBe("Env");
});

test("an unreadable git is a fault, not a crash", async () => {
  using yard = new Yard();
  await expect(yard.open(undefined, join(yard.base, "none"))).rejects.toMatchObject({
    record: { code: "no-workspace" },
  });
  yard.env.PATH = join(yard.top, "bin");
  yard.write("bin/git", "#!/bin/sh\ntouch ran\n", 0o755);
  await expect(yard.open()).rejects.toMatchObject({ record: { code: "git-missing" } });
  expect(readFileSync(join(yard.top, "bin/git"), "utf8")).toContain("touch");
});
