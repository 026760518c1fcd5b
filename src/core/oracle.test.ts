import { expect, it } from "vitest";
import { judgesTouched } from "./oracle.js";

const tree = (paths: string[], digest: string) => Object.fromEntries(paths.map((path) => [path, digest]));
const told = (changed: string[], there: string[] = changed, protects: string[] = []) =>
  judgesTouched(tree(there, "a"), { ...tree(there, "a"), ...tree(changed, "b") }, protects).map(
    ({ text, severity }) => `${severity}: ${text.replace("the work changed what judges it: ", "")}`,
  );

it.each([
  ["validators/lint.py", "warning: validators"],
  [".pawl/loops/dev.yaml", "warning: files of Pawl"],
  [".pawl/config.yaml", "warning: files of Pawl"],
  [".github/workflows/ci.yml", "warning: CI"],
  [".gitlab-ci.yml", "warning: CI"],
  ["src/__snapshots__/a.js", "info: snapshots"],
  ["test/a.js", "info: tests"],
  ["src/a.test.ts", "info: tests"],
  ["pkg/test_a.py", "info: tests"],
  ["pkg/a_test.go", "info: tests"],
])("%s is said", (path, text) => {
  expect(told([path])).toEqual([`${text} (${path})`]);
});

it.each(["src/latest.js", "src/contest/a.js", ".pawl/tasks.md", ".pawl/jobs/x/LOOP.md", "docs/ci.md", "testing.md"])(
  "%s is not",
  (path) => {
    expect(told([path])).toEqual([]);
  },
);

it("a test that was added is work; a check that was added decides", () => {
  expect(told(["test/new.js", "validators/new.sh"], [])).toEqual(["warning: validators (validators/new.sh)"]);
});

it("what the loop protects comes by its own word, many of a kind in one finding, the first of them by name", () => {
  const many = Array.from({ length: 7 }, (_, i) => `test/${i}.js`);
  expect(told(["flows/a.yaml", "lib/x/y.js", ...many], many, ["flows/a.yaml", "./lib/x/"])).toEqual([
    "warning: protected files (flows/a.yaml, lib/x/y.js)",
    "info: tests (test/0.js, test/1.js, test/2.js, test/3.js, test/4.js and 2 more)",
  ]);
});
