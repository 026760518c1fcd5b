import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { entryOf } from "./entry.js";
import { MODULES_MAX, modulesOf } from "./modules.js";

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "modules-test-")));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));
function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
}
const parts = (entry: string) => modulesOf(workspace, entryOf(workspace, entry));

test("all that is imported by name is found, in every way of importing, and what is installed as a package", () => {
  write({
    "ext/a.mjs": `import b from "./b.mjs"; import "./c.mjs";\nexport * from './d.mjs';\nawait import("./e.mjs"); import { z } from "@acme/z/lib/deep.mjs"; import fs from "node:fs";`,
    "ext/b.mjs": `import { createRequire } from "node:module"; createRequire(import.meta.url)("./f"); const f = require("./f");`,
    "ext/c.mjs": 'import "./a.mjs";',
    "ext/d.mjs": 'import "./gone.mjs"; // told by Node itself',
    "ext/e.mjs": "",
    "ext/f.js": 'require("../data.json")',
    "data.json": "{}",
    "node_modules/@acme/z/package.json": '{"main": "main.js"}',
    "node_modules/@acme/z/lib/deep.mjs": 'import "y";',
    "node_modules/y/package.json": "{}",
    "node_modules/y/index.js": "",
  });
  expect(Object.keys(parts("ext/a.mjs:Own")).sort()).toEqual([
    "extension ext/a.mjs:Own",
    "module data.json",
    "module ext/b.mjs",
    "module ext/c.mjs",
    "module ext/d.mjs",
    "module ext/e.mjs",
    "module ext/f.js",
    "package node_modules/@acme/z",
    "package node_modules/y",
  ]);
  const before = parts("ext/a.mjs");
  write({ "node_modules/y/index.js": "process.exit()" });
  const changed = Object.entries(parts("ext/a.mjs")).filter(([key, digest]) => before[key] !== digest);
  expect(changed.map(([key]) => key)).toEqual(["package node_modules/y"]);
});

test("an import that leaves the repository, and too many of them, are refused", () => {
  const outside = `${workspace}-outside.mjs`;
  writeFileSync(outside, "");
  try {
    write({ "a.mjs": `import "../${outside.slice(outside.lastIndexOf("/") + 1)}";`, "b.mjs": 'import "./link.mjs";' });
    symlinkSync(outside, join(workspace, "link.mjs"));
    expect(() => parts("a.mjs")).toThrow(/it imports "\.\.\/.*" in "a\.mjs": it lies outside the repository/);
    expect(() => parts("b.mjs")).toThrow(/it imports "\.\/link\.mjs" in "b\.mjs": it lies outside the repository/);
  } finally {
    rmSync(outside);
  }
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`m/${i}.mjs`, `import "./${i + 1}.mjs";`]));
  write(many(MODULES_MAX));
  expect(Object.keys(parts("m/0.mjs"))).toHaveLength(MODULES_MAX);
  write(many(MODULES_MAX + 1));
  expect(() => parts("m/0.mjs")).toThrow(`it imports more than ${MODULES_MAX} files`);
});

test.each([
  "",
  ":Own",
  "a.mjs:",
  "a.mjs:1",
  "a.mjs :Own",
  "a b.mjs",
  "a.mjs:Own:Two",
  "a.ts:Own",
  "/etc/passwd",
  "../a.mjs",
  "..",
  ".git/a.mjs",
])("%j is no entry", (entry) => {
  write({ ".git/a.mjs": "", "a.ts": "" });
  expect(() => entryOf(workspace, entry)).toThrow();
});
