// A commit that holds a change of ours to a text people edit too: theirs is neither committed, unstaged nor lost.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../harness/verifies.js";
import { Yard } from "./yard.js";

const NOTES = ".pawl/activeContext.md";
const noted = (text: string): string => (text.includes("ours\n") ? text : `${text}ours\n`);
const EDITS = { [NOTES]: noted };
const status = (yard: Yard) => yard.git("status", "--porcelain", "--untracked-files=all");

test("what the user has staged and not staged stays so, in the edited file too", async () => {
  verifies("statecommit.content");
  using yard = new Yard();
  yard.write(NOTES, "one\ntwo\n");
  yard.save("notes");
  yard.write(NOTES, "one, staged\ntwo\n");
  yard.write("b.txt", "staged\n");
  yard.git("add", "-A");
  yard.write(NOTES, "one, staged\ntwo, not staged\nours\n");
  yard.write("a.txt", "not staged\n");
  yard.write(".pawl/jobs/x/dev-1.json", "{}\n");
  const end = await yard.commit([".pawl/jobs/x/dev-1.json"], { edits: EDITS });
  expect(end).toMatchObject({ end: "committed" });
  expect(yard.git("show", "--format=", "--name-only", "HEAD").trim().split("\n")).toEqual([
    NOTES,
    ".pawl/jobs/x/dev-1.json",
  ]);
  expect(yard.git("show", `HEAD:${NOTES}`)).toBe("one\ntwo\nours\n");
  expect(yard.git("show", `:${NOTES}`)).toBe("one, staged\ntwo\nours\n");
  expect(yard.read(NOTES)).toBe("one, staged\ntwo, not staged\nours\n");
  expect(yard.git("diff", "--cached", "--name-only").trim().split("\n")).toEqual([NOTES, "b.txt"]);
  expect(status(yard)).toBe(`MM ${NOTES}\n M a.txt\nA  b.txt\n`);
});

test("a file that HEAD does not have is made of our change alone", async () => {
  using yard = new Yard();
  yard.write(NOTES, "theirs, never committed\nours\n");
  expect(await yard.commit([], { edits: EDITS })).toMatchObject({ end: "committed" });
  expect([yard.git("show", `HEAD:${NOTES}`), yard.read(NOTES)]).toEqual(["ours\n", "theirs, never committed\nours\n"]);
  expect(status(yard)).toBe(` M ${NOTES}\n`);
});

test("made again it is nothing, and after a crash behind the branch it is found", async () => {
  using yard = new Yard();
  yard.write(NOTES, "theirs\n");
  yard.save("notes");
  yard.write(NOTES, "theirs\nours\n");
  const dying = await yard.open((at) => {
    if (at === "commit:moved") throw new Error("killed");
  });
  await dying.commit(await yard.wish(dying, [], { edits: EDITS }));
  const count = yard.count();
  expect(await yard.commit([], { edits: EDITS })).toMatchObject({ end: "committed" });
  expect([yard.count(), status(yard)]).toEqual([count, ""]);
  writeFileSync(join(yard.base, "visit", "commit.json"), "");
  expect(await yard.commit([], { edits: EDITS })).toMatchObject({ end: "nothing" });
});

test("what git ignores is not forced in, tracked or not", async () => {
  verifies("statecommit.not-made");
  using yard = new Yard();
  yard.write(".pawl/jobs/x/old.json", "{}\n");
  yard.save("committed once");
  yard.write(".gitignore", ".pawl/\n");
  yard.save("ignored later");
  yard.write(".pawl/jobs/x/old.json", '{"new": true}\n');
  yard.write(".pawl/jobs/x/dev-1.json", "{}\n");
  const paths = [".pawl/jobs/x/old.json", ".pawl/jobs/x/dev-1.json"];
  expect(await yard.commit(paths, { edits: EDITS, leavesIgnored: true })).toMatchObject({ end: "nothing" });
});

test.each([
  ["a link", "120000"],
  ["a repository of its own", "160000"],
])("%s in HEAD is left alone", async (_, mode) => {
  using yard = new Yard();
  const sha = mode === "160000" ? yard.head() : yard.git("rev-parse", "HEAD:a.txt").trim();
  yard.git("update-index", "--add", "--cacheinfo", `${mode},${sha},.pawl`);
  yard.git("commit", "-qm", "odd");
  expect(await yard.commit([], { edits: EDITS })).toMatchObject({ end: "nothing" });
});

test("a secret in it is refused by name, and nothing is committed", async () => {
  using yard = new Yard();
  const edits = { [NOTES]: () => `AKIA${"Q".repeat(16)}\n` };
  const end = await yard.commit([], { edits });
  expect(end).toMatchObject({ end: "refused", why: expect.stringContaining(`"${NOTES}:1" looks like a secret`) });
  expect(yard.count()).toBe(1);
});
