import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { verifies } from "../../../test/harness/verifies.js";
import { ARTIFACT_BYTES_MAX, LOOP_FILE_BYTES_MAX } from "../../core/limits.js";
import { FolderLibrary } from "./library.js";
import { readSpec } from "./spec.js";

class Shelf implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-library-")));
  readonly repo = join(this.base, "repo");
  readonly bundled = join(this.base, "bundled");
  readonly library: FolderLibrary;
  constructor(files: Record<string, string> = {}) {
    for (const folder of [this.repo, this.bundled]) mkdirSync(folder);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    this.library = new FolderLibrary({ workspace: this.repo, bundled: this.bundled });
  }
  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.base, path)), { recursive: true });
    writeFileSync(join(this.base, path), text, { mode });
  }
  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
const skill = (description: string) => `---\nname: x\ndescription: ${description}\n---\n# Do it\n`;
/** Not `..x`, which only a path could be. */
const STRANGE = [
  "../../etc/hosts",
  "/etc/hosts",
  "a/b",
  "..",
  ".hidden",
  "a..b",
  "",
  "-x",
  "a\0",
  "a b",
  "x".repeat(201),
];

test("a loop is found by its file alone, the repository's before the bundled one", async () => {
  verifies("loop.file.location", "loop.resolve.repo-over-bundled");
  using shelf = new Shelf({ "repo/.pawl/loops/dev.yaml": "name: dev\n", "bundled/loops/dev.yaml": "name: shipped\n" });
  expect(await shelf.library.loop("dev")).toEqual({
    name: "dev",
    path: ".pawl/loops/dev.yaml",
    text: "name: dev\n",
    origin: "repository",
  });
  expect(await shelf.library.loops()).toEqual([
    { name: "dev", origin: "repository", path: ".pawl/loops/dev.yaml", covers: true },
  ]);
  rmSync(join(shelf.repo, ".pawl/loops/dev.yaml"));
  expect(await shelf.library.loop("dev")).toMatchObject({ text: "name: shipped\n", origin: "bundled" });
});

test("a bundled graph of nodes is not replaced by a repository's file", async () => {
  using shelf = new Shelf({ "repo/.pawl/loops/g.yaml": "name: g\n", "bundled/loops/g.yaml": "name: g\nnodes: []\n" });
  expect(await shelf.library.loop("g")).toMatchObject({ origin: "bundled" });
  expect(await shelf.library.loops()).toMatchObject([{ name: "g", origin: "bundled", covers: false }]);
  expect(await shelf.library.loopNames()).toEqual(["g"]);
});

test.each(STRANGE)("the name %j is unknown and nothing is opened for it", async (name) => {
  using shelf = new Shelf({
    "repo/.pawl/loops/a/b.yaml": "x",
    "repo/.pawl/skills/a/b.md": skill("x"),
    "repo/validators/a/b.sh": "x",
  });
  expect(await shelf.library.loop(name)).toBeUndefined();
  expect(await shelf.library.skill(name)).toBeUndefined();
  expect(await shelf.library.validator(name)).toEqual([]);
});

test("links may lead about in the repository, not out of it", async () => {
  using shelf = new Shelf({
    "outside.yaml": "secret: 1\n",
    "repo/loops/real.yaml": "name: in\n",
    "outside/SKILL.md": skill("x"),
  });
  mkdirSync(join(shelf.repo, ".pawl/loops"), { recursive: true });
  symlinkSync("../../loops/real.yaml", join(shelf.repo, ".pawl/loops/in.yaml"));
  symlinkSync("../../../outside.yaml", join(shelf.repo, ".pawl/loops/out.yaml"));
  symlinkSync("../../outside", join(shelf.repo, ".pawl/skills"));
  expect(await shelf.library.loop("in")).toMatchObject({ text: "name: in\n" });
  await expect(shelf.library.loop("out")).rejects.toMatchObject({
    code: "loop-unreadable",
    message: expect.stringContaining("link out of"),
  });
  expect(await shelf.library.loops()).toHaveLength(2);
  symlinkSync("../outside.yaml", join(shelf.repo, "doc.md"));
  await expect(shelf.library.document("doc.md")).rejects.toMatchObject({ code: "document-unreadable" });
});

test("a loop file at the limit is read, one byte more is not", async () => {
  using shelf = new Shelf({
    "repo/.pawl/loops/a.yaml": "x".repeat(LOOP_FILE_BYTES_MAX),
    "repo/.pawl/loops/b.yaml": "x".repeat(LOOP_FILE_BYTES_MAX + 1),
  });
  expect((await shelf.library.loop("a"))?.text).toHaveLength(LOOP_FILE_BYTES_MAX);
  await expect(shelf.library.loop("b")).rejects.toMatchObject({ message: expect.stringContaining("larger than") });
  await expect(shelf.library.loopAt(".pawl/loops/b.yaml")).rejects.toMatchObject({ code: "loop-unreadable" });
});

test("a loop given by path may lie anywhere and is named by its stem; a missing one is refused", async () => {
  using shelf = new Shelf({ "elsewhere/mine.yaml": "name: m\n", "repo/x.yaml": "name: x\n" });
  expect(await shelf.library.loopAt("../elsewhere/mine.yaml")).toEqual({
    name: "mine",
    path: join(shelf.base, "elsewhere/mine.yaml"),
    text: "name: m\n",
    origin: "path",
  });
  expect((await shelf.library.loopAt("x.yaml")).path).toBe("x.yaml");
  await expect(shelf.library.loopAt("none.yaml")).rejects.toMatchObject({
    code: "loop-unreadable",
    message: expect.stringContaining('"none.yaml"'),
  });
  await expect(shelf.library.loopAt("/dev/zero")).rejects.toMatchObject({ code: "loop-unreadable" });
});

test("a skill is found in every tier by the same rule, the nearest first, as a folder or a file", async () => {
  const tiers = ["repo/.pawl/skills", "repo/.agents/skills", "repo/.claude/skills", "bundled/skills"];
  using shelf = new Shelf(Object.fromEntries(tiers.map((tier) => [`${tier}/x/SKILL.md`, skill(tier)])));
  for (const tier of tiers) {
    expect(await shelf.library.skill("x")).toMatchObject({ name: "x", description: tier, text: "# Do it" });
    rmSync(join(shelf.base, tier, "x"), { recursive: true });
    shelf.write(`${tier}/x.md`, `# ${tier}\nbody\n`);
    expect(await shelf.library.skill("x")).toMatchObject({ description: tier });
    rmSync(join(shelf.base, tier, "x.md"));
  }
  expect(await shelf.library.skill("x")).toBeUndefined();
});

test("of twelve skills with a broken one, eleven are whole, the broken one is named, the order is fixed", async () => {
  const names = ["b", "a", "Z", "k9", "c", "d", "e", "f", "g", "h", "i"];
  using shelf = new Shelf(Object.fromEntries(names.map((name) => [`repo/.pawl/skills/${name}/SKILL.md`, skill(name)])));
  shelf.write("repo/.pawl/skills/broken.md", "---\ndescription: [\n---\n");
  const listed = await shelf.library.skills();
  expect(listed.map((one) => one.name)).toEqual([...names, "broken"].sort());
  expect(listed.filter((one) => one.broken)).toEqual([
    { name: "broken", origin: ".pawl/skills", description: "", broken: expect.stringContaining("not YAML") },
  ]);
  await expect(shelf.library.skill("broken")).rejects.toMatchObject({ code: "skill-broken" });
});

test.each([".py", ".ts", ".js", ".sh"])(
  "a validator is found as %s at the repository's root before the bundled one",
  async (extension) => {
    verifies("validator.resolve.repo-root");
    using shelf = new Shelf({
      "bundled/validators/run_tests.mjs": "shipped",
      [`repo/validators/run_tests${extension}`]: "own",
      "repo/validators/run_tests.md": "about it",
    });
    const path = join(shelf.repo, `validators/run_tests${extension}`);
    expect(await shelf.library.validator("run_tests")).toEqual([
      { path, digest: expect.stringMatching(/^[0-9a-f]{64}$/), origin: "repository" },
    ]);
    rmSync(path);
    expect(await shelf.library.validator("run_tests")).toMatchObject([
      { path: join(shelf.bundled, "validators/run_tests.mjs"), origin: "bundled" },
    ]);
  },
);

test("two validators of one name are both named, in order; any executable counts", async () => {
  verifies("validator.resolve.two-files");
  using shelf = new Shelf({ "repo/validators/t.sh": "1", "repo/validators/t.py": "2", "repo/validators/t.x.sh": "3" });
  shelf.write("repo/validators/t", "4", 0o755);
  shelf.write("repo/validators/t.exe", "5", 0o755);
  const found = await shelf.library.validator("t");
  expect(found.map((one) => one.path.slice(shelf.repo.length + 12))).toEqual(["t", "t.exe", "t.py", "t.sh"]);
});

test("documents come from inside the repository only", async () => {
  using shelf = new Shelf({
    "repo/docs/a.md": "text",
    "secret.md": "secret",
    "repo/.git/config": "token",
    "repo/big.md": "x".repeat(ARTIFACT_BYTES_MAX + 1),
  });
  expect(await shelf.library.document("docs/a.md")).toEqual({
    text: "text",
    digest: expect.any(String),
    path: "docs/a.md",
  });
  expect(await shelf.library.document("docs/none.md")).toBeUndefined();
  for (const path of ["../secret.md", "/etc/passwd", "."])
    await expect(shelf.library.document(path)).rejects.toMatchObject({ code: "document-outside" });
  for (const path of [".git/config", "big.md"])
    await expect(shelf.library.document(path)).rejects.toMatchObject({ code: "document-unreadable" });
});

test("bundled files may be hard links, as some package managers make them", async () => {
  using shelf = new Shelf({ "store.yaml": "name: a\n", "bundled/loops/b.yaml": "" });
  linkSync(join(shelf.base, "store.yaml"), join(shelf.bundled, "loops/a.yaml"));
  expect(await shelf.library.loop("a")).toMatchObject({ origin: "bundled" });
});

test("settings are there or not", async () => {
  using shelf = new Shelf();
  expect(await shelf.library.settings()).toBeUndefined();
  shelf.write("repo/.pawl/config.yaml", "agents: {}\n");
  expect(await shelf.library.settings()).toMatchObject({ path: ".pawl/config.yaml", text: "agents: {}\n" });
});

test.each<[string, object | undefined]>([
  ["---\nticket: DM-1\nbranch: feat/x\n---\n# Spec\n", { ticket: "DM-1", branch: "feat/x" }],
  ["---\r\nticket_id: 42\r\nbranch: b\r\n---\r\n", { ticket: "42", branch: "b" }],
  ["---\nticket: null\nbranch:\n---\n", {}],
  ["---\nticket: [a, b]\n---\n", {}],
  ["# no front matter\n", {}],
  ["---\nticket: 'x\n---\n", { warning: expect.stringContaining("not YAML") }],
  ["---\n- a\n---\n", { warning: expect.stringContaining("not a list of keys") }],
  ["---\nticket: x\n", { warning: expect.stringContaining('second "---"') }],
  ["---\n__proto__: {ticket: evil}\nticket: !!js/function 'x'\n---\n", {}],
])("the spec %j is %j", async (text, want) => {
  using shelf = new Shelf({ "repo/.pawl/spec.md": text });
  const spec = await readSpec(shelf.repo);
  if (text.includes("__proto__")) expect(typeof ({} as { ticket?: string }).ticket).toBe("undefined");
  else expect(spec).toEqual(want);
});

test("without a spec there is none", async () => {
  using shelf = new Shelf();
  expect(await readSpec(shelf.repo)).toBeUndefined();
});
