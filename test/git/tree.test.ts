// The product tree against real git: the same files, the same blobs, and a digest that moves exactly when contents move.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Blobs } from "../../src/adapters/git/blobs.js";
import { Rules } from "../../src/adapters/git/ignoring.js";
import { digestOf } from "../../src/adapters/git/repository.js";
import { Walk } from "../../src/adapters/git/walk.js";
import { MEMORY_FILES, withNote } from "../../src/core/memory.js";
import { Yard } from "./yard.js";

/** path → `mode:sha`, as git itself would add everything. */
function asGitSees(yard: Yard): Record<string, string> {
  yard.git("add", "-A");
  const entries = yard.git("ls-files", "-s", "-z").split("\0").filter(Boolean);
  return Object.fromEntries(
    entries.map((one) => [one.slice(one.indexOf("\t") + 1), `${one.slice(0, 6)}:${one.slice(7, 47)}`]),
  );
}

test("has the files and blobs that git would have, whatever the ignore files say", async () => {
  using yard = new Yard();
  writeFileSync(join(yard.home, ".gitconfig"), "[user]\nname=a\nemail=a@b\n[core]\nexcludesFile = ~/mine\n", {
    flag: "a",
  });
  writeFileSync(join(yard.home, "mine"), "*.swp\n!kept.swp\n");
  writeFileSync(join(yard.top, ".git/info/exclude"), "private/\n");
  yard.write(
    ".gitignore",
    "# comment\nbuild\n*.log\n!important.log\n/only-top\ndeep/**/x\n\\#hash\ntrail \nfoo/*\n!foo/keep\n",
  );
  yard.write("we[i]rd #1/.gitignore", "/tied\nfree\nin/side\n!*.log\n*.tmp\r\n!\\!bang\n");
  yard.write("sub/.gitignore", "!build\n");
  for (const path of [
    "build/x",
    "a.log",
    "important.log",
    "only-top",
    "sub/only-top",
    "deep/1/2/x",
    "deep/x",
    "#hash",
    "trail",
    "foo/a",
    "foo/keep",
  ])
    yard.write(path, path);
  for (const path of ["tied", "d/tied", "free", "d/free", "in/side", "d/in/side", "b.log", "t.tmp", "!bang"])
    yard.write(`we[i]rd #1/${path}`, path);
  for (const path of ["sub/build/y", "e.swp", "kept.swp", "private/p", "sub/private/p", "i/tied", "Build/z"])
    yard.write(path, path);
  yard.write("forced.log", "tracked although ignored");
  yard.write("run.sh", "#!/bin/sh\n", 0o755);
  symlinkSync("nowhere", join(yard.top, "dangling"));
  symlinkSync("sub", join(yard.top, "to-folder"));
  yard.git("add", "-f", "forced.log");
  const tree = await (await yard.open()).tree();
  expect(tree.files).toEqual(asGitSees(yard));
  expect(tree.findings).toEqual([]);
  expect(tree.digest).toBe(digestOf(tree.files));
});

test("Pawl's own record and working home are no part of the product", async () => {
  using yard = new Yard("no-git");
  yard.write(".pawl/jobs/x/dev.json", "{}");
  yard.write(".pawl/local/runs/r/journal.jsonl", "{}");
  yard.write(".pawl/loops/dev.yaml", "name: dev\n");
  const git = await yard.open();
  expect(Object.keys((await git.tree()).files)).toEqual([".pawl/loops/dev.yaml"]);
  expect(await git.where()).toEqual({ kind: "no-git", workspace: yard.top, home: join(yard.top, ".pawl/local") });
});

test("names what nobody can judge: nested and bare repositories, setuid, pipes, names that are no text", async () => {
  using yard = new Yard();
  yard.sh(
    "mkdir sub && git -C sub init -q && echo 1 > sub/f; mkdir bare && git -C bare init -q --bare .; mkfifo pipe; printf x > $'bad\\xff'",
  );
  yard.write("suid", "x", 0o4755);
  const tree = await (await yard.open()).tree();
  expect(tree.files.sub).toBe("160000:");
  expect(Object.keys(tree.files)).not.toContain("sub/f");
  expect(tree.findings.map((one) => one.where).sort()).toEqual(["bad\ufffd", "bare", "pipe", "sub", "suid"]);
});

test("a same-size edit in the same tick is seen, also when its time of edit is set back", async () => {
  using yard = new Yard();
  const git = await yard.open();
  const path = join(yard.top, "a.txt");
  for (let i = 0; i < 50; i++) {
    writeFileSync(path, `${String.fromCharCode(65 + (i % 26))}ello\n`);
    const before = await git.tree();
    const { atime, mtime } = statSync(path);
    writeFileSync(path, `${String.fromCharCode(97 + (i % 26))}ello\n`);
    utimesSync(path, atime, mtime);
    expect(git.changed(before, await git.tree())).toEqual(["a.txt"]);
  }
});

test("an edit with the time set back is seen when the file was settled long ago", async () => {
  using yard = new Yard();
  const path = join(yard.top, "a.txt");
  const blobs = new Blobs("sha1", () => Date.now() + 60_000); // as if a minute had passed since the file was written
  const walk = () => new Walk(yard.top, blobs, new Set()).run(Rules.top([]), []);
  const before = await walk();
  const { atime, mtime } = statSync(path);
  writeFileSync(path, "jello\n");
  utimesSync(path, atime, mtime);
  expect((await walk()).files["a.txt"]).not.toBe(before.files["a.txt"]);
});

test("a file larger than what is read at once has git's digest too", async () => {
  using yard = new Yard();
  execFileSync("truncate", ["-s", "70M", join(yard.top, "large")]);
  const { files } = await (await yard.open()).tree();
  expect(files.large).toBe(`100644:${yard.git("hash-object", "large").trim()}`);
});

test("more files than allowed are a fault that says what to do", async () => {
  using yard = new Yard();
  yard.write("b.txt", "b");
  const walk = (max: number) => new Walk(yard.top, new Blobs("sha1", Date.now), new Set(), max).run(Rules.top([]), []);
  expect(Object.keys((await walk(2)).files)).toEqual(["a.txt", "b.txt"]);
  await expect(walk(1)).rejects.toMatchObject({
    record: { code: "tree-too-big", hint: expect.stringContaining(".gitignore") },
  });
});

test("the digest is equal exactly when names, modes and contents are", async () => {
  using yard = new Yard("no-git");
  const git = await yard.open();
  const name = fc.constantFrom("a", "b", "d/a", "d/b", "d-a", "e\nf");
  const change = fc.record({
    name,
    text: fc.constantFrom("1", "2", "22"),
    how: fc.constantFrom("write", "remove", "chmod", "link", "rename"),
  });
  const look = (): string => {
    const script =
      'find . ! -type d -printf "%P|%y|%#m|%l\\0" | sort -z; find . -type f -print0 | sort -z | xargs -0r sha1sum';
    return createHash("sha256")
      .update(execFileSync("bash", ["-c", script], { cwd: yard.top }))
      .digest("hex");
  };
  const seen = new Map<string, string>([[look(), (await git.tree()).digest]]);
  const check = async ({ name, text, how }: { name: string; text: string; how: string }) => {
    const path = join(yard.top, name);
    mkdirSync(join(yard.top, "d"), { recursive: true });
    const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (how === "write" || !exists) {
      rmSync(path, { force: true });
      writeFileSync(path, text, { mode: 0o644 });
    } else if (how === "remove") rmSync(path);
    else if (how === "chmod") chmodSync(path, 0o755);
    else if (how === "link") {
      rmSync(path);
      symlinkSync(`../${text}`, path);
      return; // a link to nowhere: `exists` would be wrong for the rest
    } else renameSync(path, join(yard.top, "b"));
    const digest = (await git.tree()).digest;
    const real = look();
    if (seen.has(real)) expect(digest).toBe(seen.get(real));
    else expect([...seen.values()]).not.toContain(digest);
    seen.set(real, digest);
  };
  await fc.assert(fc.asyncProperty(change, check), { numRuns: 120 });
});

test("5,000 small files: the second look is quick", async () => {
  using yard = new Yard();
  for (let i = 0; i < 5_000; i++) yard.write(`d${i % 100}/s${i % 7}/f${i}.ts`, `export const x${i} = ${i};\n`);
  yard.write(".gitignore", "node_modules/\ndist\n*.log\n");
  const git = await yard.open();
  await new Promise((done) => setTimeout(done, 2_200)); // until the files are settled
  const paths = Object.keys((await git.tree()).files).map((path) => join(yard.top, path));
  const tree: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < 6; i++) {
    tree.push(await busyMs(() => git.tree()));
    bare.push(await busyMs(() => paths.map((path) => lstatSync(path, { bigint: true }))));
  }
  expect(Math.min(...tree) / Math.min(...bare)).toBeLessThan(6); // 3 on a quiet machine: nothing is read again
});

/** Of the processor: the clock on the wall measures the neighbours too. */
async function busyMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1_000;
}

test("two names of one file are two files", async () => {
  using yard = new Yard();
  linkSync(join(yard.top, "a.txt"), join(yard.top, "b.txt"));
  const { files } = await (await yard.open()).tree();
  expect(files["b.txt"]).toBe(files["a.txt"]);
});

test("a hook that appears or changes while Pawl works is named", async () => {
  using yard = new Yard();
  yard.write(".git/hooks/pre-push", "#!/bin/sh\n", 0o755);
  const git = await yard.open();
  expect((await git.tree()).findings).toEqual([]);
  yard.write(".git/hooks/pre-commit", "#!/bin/sh\n", 0o755);
  yard.write(".git/hooks/pre-push", "#!/bin/sh\n:\n", 0o755);
  const said = (await git.tree()).findings.map((one) => one.text);
  expect(said).toEqual([
    expect.stringContaining('"pre-commit" appeared'),
    expect.stringContaining('"pre-push" changed'),
  ]);
});

test("a note of Pawl's in the memory bank is no change; what people write there is one", async () => {
  using yard = new Yard();
  const git = await yard.open();
  const before = await git.tree();
  const made = withNote("", { run: "dev-1", line: "dev-1 ended", learned: ["a thing"] });
  yard.write(".pawl/activeContext.md", made);
  yard.write(".pawl/tasks.md", MEMORY_FILES["tasks.md"] ?? "");
  expect([(await git.tree()).digest, await git.dirty()]).toEqual([before.digest, []]);
  yard.write(".pawl/activeContext.md", "# Mine\r\nno end of line");
  yard.save("notes");
  const committed = await git.tree();
  const noted = withNote(yard.read(".pawl/activeContext.md"), { run: "dev-2", line: "dev-2 ended", learned: [] });
  yard.write(".pawl/activeContext.md", noted);
  expect([(await git.tree()).digest, await git.dirty()]).toEqual([committed.digest, []]);
  expect(await (await yard.open()).dirty()).toEqual([]);
  yard.write(".pawl/activeContext.md", `${noted}\nmore\n`);
  expect(git.changed(committed, await git.tree())).toEqual([".pawl/activeContext.md"]);
  expect(await git.dirty()).toEqual([".pawl/activeContext.md"]);
});
