import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changedSignpost, readSignposts, SIGNPOST_BYTES_MAX } from "./signposts.js";

let workspace = "";
const git = (...names: string[]) => join(workspace, ".git", ...names);
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "pawl-signposts-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

it("names kinds, and the digests of the files that send git elsewhere", () => {
  mkdirSync(git("hooks"), { recursive: true });
  writeFileSync(git("HEAD"), "ref: refs/heads/main\n");
  writeFileSync(git("config"), "[core]\n");
  expect(readSignposts(workspace)).toEqual({
    ".git": "folder",
    hooks: "folder",
    HEAD: "file",
    config: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});
it("lets a branch be changed, and nothing else", () => {
  mkdirSync(git("info"), { recursive: true });
  writeFileSync(git("HEAD"), "ref: refs/heads/main\n");
  const before = readSignposts(workspace);
  writeFileSync(git("HEAD"), "ref: refs/heads/other\n");
  expect(changedSignpost(workspace, before)).toBeUndefined();
  writeFileSync(git("info/attributes"), "* filter=evil\n");
  expect(changedSignpost(workspace, before)).toBe("info/attributes");
});
it("does not look behind a link", () => {
  mkdirSync(join(workspace, "real/hooks"), { recursive: true });
  symlinkSync("real", git());
  expect(readSignposts(workspace)).toEqual({ ".git": "link" });
});
it("takes an empty .git for the guard it is, whichever side of the comparison it is on", () => {
  expect(readSignposts(workspace)).toEqual({});
  mkdirSync(git());
  expect(changedSignpost(workspace, {})).toBeUndefined();
  const guarded = readSignposts(workspace);
  writeFileSync(git("packed-refs"), "");
  expect(changedSignpost(workspace, {})).toBe(".git");
  rmSync(git(), { recursive: true });
  expect(changedSignpost(workspace, guarded)).toBeUndefined();
});
it("reads no giant", () => {
  mkdirSync(git());
  writeFileSync(git("config"), Buffer.alloc(SIGNPOST_BYTES_MAX));
  expect(readSignposts(workspace).config).toBe(`file of ${SIGNPOST_BYTES_MAX} bytes`);
});
