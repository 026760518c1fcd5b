// node --test examples/extension: an action is a function, so a folder and a few values are all a test of it needs.
import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import extension from "./changelog.mjs";

const { run, check } = extension.actions.changelog;
const asked = async (params) => {
  const workspace = await mkdtemp(join(tmpdir(), "changelog-"));
  return { workspace, params, run: { inputs: { subject: "a new door" } } };
};

test("puts the line on top, and hands it on to later steps", async () => {
  const task = await asked({ line: "feat: {subject}" });
  assert.deepEqual((await run(task)).set, { changelog: "- feat: a new door" });
  await run({ ...task, params: { line: "second" } });
  assert.equal(await readFile(join(task.workspace, "CHANGES.md"), "utf8"), "- second\n- feat: a new door\n");
});

test("asked twice, as after a crash, it writes once", async () => {
  const task = await asked({ line: "once" });
  await run(task);
  assert.equal((await run(task)).outcome, "unchanged");
  assert.equal(await readFile(join(task.workspace, "CHANGES.md"), "utf8"), "- once\n");
});

test("throws for a file outside, which stops the run as a fault", async () => {
  await assert.rejects(run(await asked({ line: "x", file: "../CHANGES.md" })), /outside the repository/);
});

test("complains about wrong parameters when the loop is loaded", () => {
  assert.deepEqual(check({ line: "x" }), []);
  assert.deepEqual(
    check({ lime: "x" }).map(({ path }) => path[0]),
    ["lime", "line"],
  );
});
