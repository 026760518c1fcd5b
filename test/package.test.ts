// The package as its user gets it: packed, installed for production into an empty folder, and used there.
import { execFileSync, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, PACKAGE } from "./harness/repository.js";

const SIZE_BYTES_MAX = 30e6;
const PACKAGES_MAX = 20;
let root = "";
let packed: string[] = [];
/** Nothing is asked of a registry: the package brings all it needs. */
const environment = () => ({
  PATH: process.env.PATH,
  HOME: root,
  npm_config_cache: join(root, "cache"),
  LANG: "C.UTF-8",
});
const npm = (args: string[], cwd: string): string =>
  execFileSync("npm", args, { cwd, env: environment(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const installed = () => join(root, "app", "node_modules");
const pawl = (args: string[], cwd = join(root, "empty")) =>
  ended(spawn(join(installed(), ".bin", "pawl"), args, { cwd, env: environment(), stdio: "pipe" }));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-package-"));
  for (const folder of ["app", "empty"]) mkdirSync(join(root, folder));
  if (!readdirSync(join(PACKAGE, "dist")).includes("types"))
    execFileSync("npx", ["--no-install", "tsc", "-p", "tsconfig.types.json"], { cwd: PACKAGE });
  const [told] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", root], PACKAGE));
  packed = told.files.map(({ path }: { path: string }) => path);
  writeFileSync(join(root, "app", "package.json"), '{"private": true, "type": "module"}');
  npm(["install", "--omit=dev", "--offline", join(root, told.filename)], join(root, "app"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("holds the program, its types, the demo and the licences, and nothing of our own workshop", () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      "dist/pawl.js",
      "dist/index.js",
      "dist/testing.js",
      "dist/typescript.js",
      "dist/types/src/index.d.ts",
      "dist/types/testing/index.d.ts",
      "demo/project/.pawl/loops/ship.yaml",
      "loops/spec.yaml",
      "skills/create-ticket/SKILL.md",
      "validators/run_tests.mjs",
      "plugin/.claude-plugin/plugin.json",
      "plugin/.mcp.json",
      "plugin/hooks/hooks.json",
      "plugin/skills/run/SKILL.md",
      "README.md",
      "LICENSE",
      "THIRD-PARTY.md",
    ]),
  );
  const known = /^(dist|demo|loops|plugin|skills|validators)\/|^(README\.md|LICENSE|THIRD-PARTY\.md|package\.json)$/;
  expect(packed.filter((path) => !known.test(path) || (path.includes(".test.") && !path.startsWith("demo/")))).toEqual(
    [],
  );
});

test(`takes at most ${SIZE_BYTES_MAX / 1e6} MB and ${PACKAGES_MAX} packages, installed for production`, () => {
  const files = readdirSync(installed(), { recursive: true, encoding: "utf8" });
  const bytes = files.map((name) => statSync(join(installed(), name))).reduce((sum, { size }) => sum + size, 0);
  const { packages } = JSON.parse(readFileSync(join(root, "app", "package-lock.json"), "utf8"));
  const count = Object.keys(packages).filter((name) => name !== "").length;
  console.log(`installed: ${(bytes / 1e6).toFixed(1)} MB, ${count} package(s)`);
  expect(bytes).toBeLessThan(SIZE_BYTES_MAX);
  expect(bytes).toBeGreaterThan(100_000);
  expect(count).toBeLessThanOrEqual(PACKAGES_MAX);
});

test("plans a loop, lists, and names what is missing, where there is no repository", async () => {
  const listed = await pawl(["list"]);
  expect([listed.code, listed.out, listed.err]).toEqual([0, "no runs here; start one with: pawl run LOOP\n", ""]);
  const unknown = await pawl(["plan", "nowhere"]);
  const there = /no loop called "nowhere"[\s\S]*there are: dev, phase, plan, release, spec, validate/;
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringMatching(there)]);
  for (const name of ["spec", "plan", "dev", "validate", "release"])
    expect([(await pawl(["plan", name, "--agent", "host"])).code, name]).toEqual([0, name]);
  writeFileSync(join(root, "empty", "hello.yaml"), "name: hello\nsteps:\n  - {name: greet, command: echo hello}\n");
  const planned = await pawl(["plan", "hello.yaml"]);
  expect([planned.code, planned.out]).toEqual([0, expect.stringMatching(/greet \(command\)/)]);
  expect(readdirSync(join(root, "empty"))).toEqual(["hello.yaml"]);
  expect((await pawl(["--version"])).out).toBe(
    `${JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")).version}\n`,
  );
});

test("is imported with its types by a strict program", { timeout: 240_000 }, () => {
  const app = join(root, "app");
  const text = `import { type Action, main } from "pawl";
import { Table } from "pawl/testing";
export const code: Promise<number> = main(["--version"]);
export type Both = [Action, typeof Table];
`;
  writeFileSync(join(app, "use.ts"), text);
  mkdirSync(join(installed(), "@types"));
  symlinkSync(join(PACKAGE, "node_modules", "@types", "node"), join(installed(), "@types", "node"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const words = [
    join(PACKAGE, "node_modules", "typescript", "bin", "tsc"),
    ...options,
    "--skipLibCheck",
    "false",
    "use.ts",
  ];
  const { status, stdout } = runNode(words, app);
  expect([status, stdout]).toEqual([0, ""]);
  const ran = runNode(
    ["--input-type=module", "-e", 'import { main } from "pawl"; import "pawl/testing"; await main(["--version"])'],
    app,
  );
  expect(ran).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

function runNode(args: string[], cwd: string): { status: number; stdout: string } {
  try {
    return { status: 0, stdout: execFileSync(process.execPath, args, { cwd, env: environment(), encoding: "utf8" }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string }; // execFileSync throws these
    return { status, stdout };
  }
}
