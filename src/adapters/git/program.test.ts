import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quote } from "./by-hand.js";
import { runProgram } from "./program.js";
import { findGit, outsidePath } from "./quiet.js";
import { gitSignposts, movedSignposts } from "./signposts.js";

const sh = (script: string, more: { timeoutMs?: number; outputBytesMax?: number; stdin?: string } = {}) =>
  runProgram({ file: "/bin/sh", args: ["-c", script], cwd: "/", env: { PATH: "/usr/bin:/bin" }, ...more });
/** Dead is also who only waits for its parent to look. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

test("any exit code is an answer, with what it said and what it read", async () => {
  const ended = await sh("cat; echo no >&2; exit 3", { stdin: "in" });
  expect([ended.code, ended.stdout.toString(), ended.stderr]).toEqual([3, "in", "no\n"]);
});

test("a program that takes too long is ended although it ignores TERM, and its children with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-program-"));
  const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ >${folder}/pid; while :; do sleep 0.1; done' & wait`;
  await expect(sh(script, { timeoutMs: 500 })).rejects.toMatchObject({ record: { code: "git-timeout" } });
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid)).toBe(false);
  rmSync(folder, { recursive: true });
});

test("output at the limit is whole, one byte more is a fault", async () => {
  expect((await sh("printf 12345", { outputBytesMax: 5 })).stdout.toString()).toBe("12345");
  await expect(sh("printf 123456", { outputBytesMax: 5 })).rejects.toMatchObject({ record: { code: "git-output" } });
});

test("a program that is not there is a fault", async () => {
  await expect(runProgram({ file: "/none", args: [], cwd: "/", env: {} })).rejects.toMatchObject({
    record: { code: "git-missing" },
  });
});

test("git is never taken from the workspace or from a relative folder", () => {
  const env = { PATH: "/w/node_modules/.bin:.:bin::/usr/bin:/w:/w2/bin:/bin" };
  expect(outsidePath(env, "/w")).toEqual(["/usr/bin", "/w2/bin", "/bin"]);
  expect(() => findGit({ PATH: "/w/bin" }, "/w")).toThrow(/outside the workspace/);
});

test("signposts name kinds and digests, and tell what moved", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-signposts-"));
  expect(gitSignposts(folder)).toEqual({});
  mkdirSync(join(folder, ".git/objects"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, ".git/config"), "x");
  symlinkSync("/etc", join(folder, ".git/hooks"));
  const before = gitSignposts(folder);
  expect(before).toEqual({
    ".git": "folder",
    HEAD: "file",
    config: expect.stringMatching(/^[0-9a-f]{64}$/),
    objects: "folder",
    hooks: "link",
  });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/other\n");
  writeFileSync(join(folder, ".git/config"), "y");
  writeFileSync(join(folder, ".git/commondir"), "z");
  expect(movedSignposts(before, gitSignposts(folder))).toEqual(["commondir", "config"]);
  rmSync(folder, { recursive: true });
});

test.each([
  ["a/b.txt", "a/b.txt"],
  ["it's", "'it'\\''s'"],
  ["$(x)", "'$(x)'"],
  ["a\nb'", "$'a\\nb\\''"],
  ["\x1b[0m", "$'\\x1b[0m'"],
  ["", "''"],
])("%j is quoted as %s", (word, quoted) => {
  expect(quote(word)).toBe(quoted);
});

test("what git writes down of a branch's upstream moves no signpost; what hides among it does", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-signposts-"));
  mkdirSync(join(folder, ".git"), { recursive: true });
  const config = join(folder, ".git/config");
  const before = '[core]\n\tbare = false\n[remote "origin"]\n\turl = a\n';
  writeFileSync(config, before);
  const start = gitSignposts(folder);
  const movedBy = (text: string): string[] => {
    writeFileSync(config, before + text);
    return movedSignposts(start, gitSignposts(folder));
  };
  expect(movedBy('[branch "feat/a-b"]\n\tremote = origin\n\tmerge = refs/heads/feat/a-b\n')).toEqual([]);
  for (const hidden of [
    '[branch "x"] [core]\n\tfsmonitor = evil\n',
    '[branch "x"]\n\tremote = ext::sh\n',
    '[branch "x"]\n\tremote = a \\\n[core]\n\tfsmonitor = evil\n',
    '[branch "x"]\n\tfsmonitor = evil\n',
    '[branch "x"]\n\tremote = a [core] fsmonitor = evil\n',
    '[branch "x"]\n[core]\n\tfsmonitor = evil\n',
    '[branch "x"]\n\t[core] fsmonitor = evil\n',
  ])
    expect(movedBy(hidden), hidden).toEqual(["config"]);
  rmSync(folder, { recursive: true });
});
