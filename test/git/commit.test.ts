// A commit of a run against real git: what it holds, what it leaves alone, what it refuses, and what a crash leaves.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { Yard } from "./yard.js";

const refused = (why: RegExp) => ({ end: "refused", why: expect.stringMatching(why), byHand: expect.any(String) });

test("holds exactly the wished paths: changed, new, deleted, executable, linked", async () => {
  verifies("commit.action.message");
  using yard = new Yard();
  yard.write("gone.txt", "x");
  yard.write("mode.sh", "#!/bin/sh\n");
  yard.save("more");
  yard.write("a.txt", "changed\n");
  yard.write("new/deep.txt", "new\n");
  yard.write("other.txt", "not mine\n");
  rmSync(join(yard.top, "gone.txt"));
  chmodSync(join(yard.top, "mode.sh"), 0o755);
  symlinkSync("a.txt", join(yard.top, "link"));
  const end = await yard.commit(["a.txt", "new/deep.txt", "gone.txt", "mode.sh", "link"]);
  expect(end).toEqual({ end: "committed", commit: yard.head() });
  const changed = yard.git("show", "--format=%an <%ae>|%cn|%B", "--raw", "--no-abbrev", "HEAD");
  expect(changed).toContain("Ann <ann@example.invalid>|Ann|feat: work\n");
  expect(yard.git("diff-tree", "-r", "--name-status", "HEAD~", "HEAD")).toBe(
    "M\ta.txt\nD\tgone.txt\nA\tlink\nM\tmode.sh\nA\tnew/deep.txt\n",
  );
  expect(yard.git("status", "--porcelain")).toBe("?? other.txt\n");
  expect(yard.git("reflog", "-1")).toContain("pawl: commit");
  expect(yard.git("fsck", "--strict")).toBe("");
});

test("what the user staged stays staged, what the user stashed stays stashed", async () => {
  using yard = new Yard();
  yard.write("src/a.ts", "1\n");
  yard.write("stash.txt", "1\n");
  yard.save("more");
  yard.write("stash.txt", "2\n");
  yard.git("stash");
  yard.write("src/a.ts", "2\n");
  yard.git("add", "src/a.ts");
  yard.write("mine.txt", "mine\n");
  const stashes = yard.git("stash", "list");
  expect(await yard.commit(["mine.txt"])).toMatchObject({ end: "committed" });
  expect(yard.git("status", "--porcelain")).toBe("M  src/a.ts\n");
  expect(yard.git("stash", "list")).toBe(stashes);
});

test("names with newlines, blanks, stars, leading dashes and foreign letters arrive", async () => {
  using yard = new Yard();
  yard.git("switch", "-qc", "feature/ä-b");
  const names = ["-n.txt", "a b.txt", "two\nlines.txt", "*.txt", "ünï/ç.txt", '"quoted".txt', "tab\there", ":(glob)x"];
  for (const name of names) yard.write(name, `${name}\n`);
  expect(await yard.commit(names)).toMatchObject({ end: "committed" });
  expect(yard.git("status", "--porcelain")).toBe("");
  expect(yard.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0").sort()).toEqual(
    ["", "a.txt", ...names].sort(),
  );
});

test("nothing to commit is an answer of its own", async () => {
  using yard = new Yard();
  expect(await yard.commit(["a.txt", "never-was.txt"])).toEqual({ end: "nothing", head: yard.head() });
  expect(yard.count()).toBe(1);
});

test("killed between intention and branch: one commit, and the hooks are not asked again", async () => {
  using yard = new Yard();
  yard.write("a.txt", "changed\n");
  yard.write(".git/hooks/pre-commit", "#!/bin/sh\n", 0o755);
  let asked = 0;
  const hook = async () => ({ code: asked++ * 0, output: "" });
  const dying = await yard.open((name) => {
    if (name === "commit:intent") throw new Error("killed");
  });
  expect(await dying.commit(await yard.wish(dying, ["a.txt"], { hook }))).toMatchObject({
    end: "fault",
    message: "killed",
  });
  expect(yard.count()).toBe(1);
  expect(await yard.commit(["a.txt"], { hook })).toEqual({ end: "committed", commit: yard.head() });
  expect(await yard.commit(["a.txt"], { hook })).toEqual({ end: "committed", commit: yard.head() });
  expect(yard.count()).toBe(2);
  expect(asked).toBe(1);
  expect(yard.git("status", "--porcelain")).toBe("");
});

test.each(["commit:before", "commit:intent", "commit:after"])(
  "killed at %s: exactly one commit in the end",
  async (moment) => {
    using yard = new Yard();
    yard.write("a.txt", "changed\n");
    const dying = await yard.open((name) => {
      if (name === moment) throw new Error("killed");
    });
    await dying.commit(await yard.wish(dying, ["a.txt"]));
    yard.write("later.txt", "1\n");
    if (moment === "commit:after") yard.save("the user goes on");
    expect(await yard.commit(["a.txt"])).toMatchObject({ end: "committed" });
    expect(yard.git("log", "--format=%s").match(/feat: work/g)).toHaveLength(1);
  },
);

test("after a crash, what the user staged since stays as it is", async () => {
  using yard = new Yard();
  yard.write("a.txt", "run\n");
  await yard.commit(["a.txt"]);
  yard.write("a.txt", "user\n");
  yard.git("add", "a.txt");
  expect(await yard.commit(["a.txt"])).toMatchObject({ end: "committed" });
  expect(yard.git("show", ":a.txt")).toBe("user\n");
});

test("a base that moved after the intention is taken up", async () => {
  using yard = new Yard();
  yard.write("a.txt", "changed\n");
  const git = await yard.open((name) => {
    if (name === "commit:intent" && yard.count() === 1) yard.git("commit", "-q", "--allow-empty", "-m", "between");
  });
  expect(await git.commit(await yard.wish(git, ["a.txt"]))).toMatchObject({ end: "committed" });
  expect(yard.git("log", "--format=%s")).toBe("feat: work\nbetween\nstart\n");
});

test("detached, without a commit, without a user, in a merge: each with its own remedy", async () => {
  using yard = new Yard();
  yard.write("b.txt", "b\n");
  yard.git("switch", "-q", "--detach");
  expect(await yard.commit(["b.txt"])).toEqual(refused(/HEAD is detached at .*git switch -c/));
  yard.git("switch", "-q", "main");
  yard.write(".git/MERGE_HEAD", yard.head());
  expect(await yard.commit(["b.txt"])).toEqual(refused(/a merge is in progress/));
  rmSync(join(yard.top, ".git/MERGE_HEAD"));
  writeFileSync(join(yard.home, ".gitconfig"), "");
  expect(await yard.commit(["b.txt"])).toEqual(refused(/user\.name/));
  using empty = new Yard("no-commit");
  empty.write("b.txt", "b\n");
  expect(await empty.commit(["b.txt"])).toEqual(refused(/"main" has no commit yet; make one with "git commit/));
  using none = new Yard("no-git");
  expect(await none.commit(["b.txt"])).toEqual(refused(/is not in a git repository/));
});

test("a hook that refuses is shown without its control characters, and the way to go on works in a shell", async () => {
  using yard = new Yard();
  yard.write("it's new.txt", "b\n");
  yard.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o755);
  const hook = async () => ({ code: 1, output: "\x1b[31mlint:\x1b[0m no\x07 semicolon\n" });
  const end = await yard.commit(["it's new.txt"], { hook });
  expect(end).toEqual(refused(/^the pre-commit hook refused with exit 1: lint: no semicolon$/));
  expect(yard.count()).toBe(1);
  expect(yard.git("status", "--porcelain")).toBe('?? "it\'s new.txt"\n');
  rmSync(join(yard.top, ".git/hooks/pre-commit"));
  if (end.end === "refused") execFileSync("sh", ["-c", end.byHand], { cwd: yard.base, env: yard.env });
  expect(yard.count()).toBe(2);
});

test("a commit-msg hook may change the message; a hook that changes files stops the commit", async () => {
  using yard = new Yard();
  yard.write("a.txt", "changed\n");
  yard.write(".git/hooks/commit-msg", "#!/bin/sh\n", 0o755);
  const hook = async (_: string, [file]: string[]) => {
    writeFileSync(file ?? "", `${readFileSync(file ?? "", "utf8")}\nChange-Id: I1\n`);
    return { code: 0, output: "" };
  };
  expect(await yard.commit(["a.txt"], { hook })).toMatchObject({ end: "committed" });
  expect(yard.git("log", "-1", "--format=%B")).toBe("feat: work\n\nChange-Id: I1\n\n");
  yard.write("a.txt", "more\n");
  rmSync(join(yard.base, "visit/commit.json"));
  const meddling = async () => {
    yard.write("a.txt", "formatted\n");
    return { code: 0, output: "" };
  };
  expect(await yard.commit(["a.txt"], { hook: meddling })).toEqual(refused(/hook changed/));
});

test("a hook that is not executable is no hook", async () => {
  using yard = new Yard();
  yard.write("a.txt", "changed\n");
  yard.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o644);
  expect(await yard.commit(["a.txt"], { hook: async () => ({ code: 1, output: "" }) })).toMatchObject({
    end: "committed",
  });
});

test("refuses, all at once: secrets, filters, CRLF, links out, nested repositories, setuid, paths out", async () => {
  using yard = new Yard();
  const key = `AKIA${"Q".repeat(16)}`;
  yard.write("key.txt", `first\nid=${key}\n`);
  yard.write(".env", "TOKEN=abc\n");
  yard.write(".gitattributes", "*.bin filter=lfs\n*.dos text=auto\n*.dos text\n*.kw ident\n");
  yard.write("x.bin", "x");
  yard.write("x.dos", "a\r\nb\r\n");
  yard.write("x.kw", "$Id$\n");
  symlinkSync("/etc/passwd", join(yard.top, "out"));
  symlinkSync("../../x", join(yard.top, "up"));
  yard.sh("mkdir sub && git -C sub init -q && echo 1 > sub/f; mkdir bare && git -C bare init -q --bare .");
  yard.write("suid", "x", 0o4755);
  const end = await yard.commit([
    "key.txt",
    ".env",
    "x.bin",
    "x.dos",
    "x.kw",
    "out",
    "up",
    "sub",
    "sub/f",
    "bare/config",
    "suid",
    "../x",
    ".GIT/config",
  ]);
  const why = end.end === "refused" ? end.why : "";
  for (const said of [
    /"key.txt:2" looks like a secret \(AWS/,
    /"\.env:1"/,
    /"x.bin" has the attribute "filter"/,
    /"x.dos" has CRLF/,
    /"x.kw" .*ident/,
    /"out" is a link out/,
    /"up" is a link out/,
    /"sub" is a repository/,
    /"sub\/f" lies in "sub"/,
    /"bare\/config" lies in "bare"/,
    /"suid" would run/,
    /"\.\.\/x" is no path/,
    /"\.GIT\/config" is no path/,
  ])
    expect(why).toMatch(said);
  expect(why).not.toContain(key);
  expect(yard.count()).toBe(1);
});

test("a file over 50 MiB is refused, a locked index is waited for", async () => {
  using yard = new Yard();
  yard.write("big", "x");
  execFileSync("truncate", ["-s", "51M", join(yard.top, "big")]);
  expect(await yard.commit(["big"])).toEqual(refused(/51 MiB/));
  yard.write("a.txt", "changed\n");
  yard.write(".git/index.lock", "");
  setTimeout(() => rmSync(join(yard.top, ".git/index.lock")), 300);
  expect(await yard.commit(["a.txt"])).toMatchObject({ end: "committed" });
  expect(yard.git("status", "--porcelain")).toBe("?? big\n");
});

test("signposts that moved stop the commit and are named", async () => {
  using yard = new Yard();
  yard.write("a.txt", "changed\n");
  const git = await yard.open();
  const wish = await yard.wish(git, ["a.txt"]);
  yard.write(".git/config.worktree", "[core]\n");
  expect(await git.commit(wish)).toEqual(refused(/"\.git\/config\.worktree" changed since the run started/));
  expect(yard.count()).toBe(1);
});

test("works in a linked work tree", async () => {
  using yard = new Yard();
  yard.git("worktree", "add", "-q", "-b", "side", "../side");
  const side = join(yard.base, "side");
  writeFileSync(join(side, "a.txt"), "changed\n");
  const git = await yard.open(undefined, side);
  expect(await git.where()).toMatchObject({ branch: "side", workspace: side, home: join(yard.top, ".git/pawl") });
  expect(await git.dirty()).toEqual(["a.txt"]);
  expect(await git.commit(await yard.wish(git, ["a.txt"]))).toMatchObject({
    end: "committed",
    commit: yard.git("rev-parse", "side").trim(),
  });
  expect(yard.git("-C", side, "status", "--porcelain")).toBe("");
  expect(yard.count()).toBe(1);
  expect(existsSync(join(side, ".git/index"))).toBe(false);
});
