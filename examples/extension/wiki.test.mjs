// node --test examples/extension: what an extension registers are functions, so a folder and a few values are all a test of it needs.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Wiki } from "./wiki.mjs";

async function wiki(pages) {
  const workspace = await mkdtemp(join(tmpdir(), "wiki-"));
  await mkdir(join(workspace, "wiki"));
  for (const [name, text] of Object.entries(pages)) await writeFile(join(workspace, "wiki", `${name}.md`), text);
  return workspace;
}
const { actions, tools, loaders } = new Wiki();

test("the action writes a line once, however often it is asked", async () => {
  const workspace = await wiki({ Changes: "# Changes\n" });
  const task = { workspace, params: { page: "Changes", text: "a new\ndoor" } };
  await actions["wiki-note"].run(task);
  await actions["wiki-note"].run(task);
  assert.equal(await readFile(join(workspace, "wiki/Changes.md"), "utf8"), "# Changes\n- a new door\n");
  assert.deepEqual(
    actions["wiki-note"].check({ page: "../etc/passwd" }).map(({ path }) => path[0]),
    ["page", "text"],
  );
});

test("the tool finds lines with their place", async () => {
  const workspace = await wiki({ Home: "one\nthe door is blue\n", Other: "no doors\n" });
  assert.equal(
    await tools["wiki-search"].run({ workspace, args: { text: "door" } }),
    "Home:2: the door is blue\nOther:1: no doors",
  );
  await assert.rejects(tools["wiki-search"].run({ workspace, args: {} }), /say what to look for/);
});

test("the loader brings one page, nothing for an empty one, and names the pages there are", async () => {
  const workspace = await wiki({ Home: "# Home\n", Empty: "" });
  const load = (page) => loaders.wiki.load({ workspace, options: { "wiki-page": page } });
  assert.deepEqual(await load("Home"), {
    subject: "page Home",
    documents: [{ path: "wiki/Home.md", text: "# Home\n" }],
  });
  assert.deepEqual((await load("Empty")).documents, []);
  await assert.rejects(load("../Home"), /there are: Empty, Home/);
});
