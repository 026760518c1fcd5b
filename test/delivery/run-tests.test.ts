// The bundled run_tests: which command it finds, and that nothing but tests that ran and passed is a pass.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Repository } from "../harness/repository.js";
import { until } from "../harness/until.js";
import { verifies } from "../harness/verifies.js";
import { ask, type Said } from "./ground.js";

const GREEN = 'require("node:test")("adds", () => {});\n';
const RED = 'require("node:test")("adds up", () => { throw new Error("3 is not 4"); });\n';
const manifest = (test: string): Record<string, string> => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const project = (files: Record<string, string>): Repository => Repository.make(files, { git: false });

describe("a suite", () => {
  test("that is green passes, and how many tests ran is said", () => {
    verifies("validator.bundled.run-tests");
    using repository = project({ ...manifest("node --test"), "test/a.test.js": GREEN });
    expect(ask(repository, "run_tests")).toMatchObject({
      pass: true,
      message: '"npm test" passed; tests run: 1',
      checks: [{ name: "tests_pass", pass: true }],
    });
  });

  test("that is red fails, with the names of what failed and the end of its output", () => {
    verifies("validator.bundled.run-tests");
    const noisy = `for (let i = 0; i < 5000; i++) console.log("noise", i);\n${RED}`;
    using repository = project({ ...manifest("node --test"), "test/a.test.js": GREEN, "test/b.test.js": noisy });
    const said = ask(repository, "run_tests");
    expect([said.pass, said.failed]).toEqual([false, ["tests_pass"]]);
    expect(said.message).toContain('"npm test" failed with exit code 1: adds up');
    expect(said.message).toContain("3 is not 4");
    expect(said.message.length).toBeLessThan(4_000);
  });

  test("that ran no test has proved nothing, whatever its exit code", () => {
    using repository = project(manifest("node --test"));
    const said = ask(repository, "run_tests");
    expect(said.failed).toEqual(["tests_pass"]);
    expect(said.message).toContain("ran no test: nothing is proved");
  });

  test("that takes too long is not called red, and is ended with all it started", () => {
    using repository = project({
      ".pawl/config.yaml": "test_command: sh slow.sh\ntest_timeout: 1\n",
      "slow.sh": "(trap '' TERM; echo $$ > pid; sleep 300) & echo begun; wait\n",
    });
    const said = ask(repository, "run_tests");
    expect(said.failed).toEqual(["tests_pass"]);
    expect(said.message).toMatch(/still running after 1 s .*not known.*test_timeout/);
    expect(said.message).toContain("begun");
    expect(said.message).not.toContain("failed with");
  });

  test("that leaves a server behind is not waited for, and the server goes", async () => {
    using repository = project({
      ".pawl/config.yaml": "test_command: sh leave.sh\n",
      "leave.sh": "sleep 300 & echo $! > pid; echo '# pass 1'\n",
    });
    expect(ask(repository, "run_tests").message).toContain("tests run: 1");
    const pid = readFileSync(join(repository.folder, "pid"), "utf8").trim();
    await until(() => !existsSync(`/proc/${pid}`) || isDead(pid), "the server is gone", 5_000);
  });

  test("whose program is not there is told apart from a red one", () => {
    using repository = project({ ".pawl/config.yaml": 'test_command: "no-such-runner --all"\n' });
    expect(ask(repository, "run_tests").message).toMatch(/cannot be run: .*no-such-runner.*isolation\.mounts/);
  });

  test("is not watched and not coloured", () => {
    using repository = project({ ".pawl/config.yaml": "test_command: 'echo \"# pass 1 $CI $NO_COLOR\" > seen'\n" });
    ask(repository, "run_tests");
    expect(repository.read("seen")).toBe("# pass 1 true 1\n");
  });
});
const isDead = (pid: string): boolean => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

describe("the command", () => {
  const PYTEST = { "tests/test_a.py": "def test_a(): pass\n" };
  test.each<[string, Record<string, string>]>([
    ["npm test", { ...manifest("x"), "package-lock.json": "{}" }],
    ["pnpm test", { ...manifest("x"), "pnpm-lock.yaml": "" }],
    ["yarn test", { ...manifest("x"), "yarn.lock": "" }],
    ["bun run test", { ...manifest("x"), "bun.lock": "" }],
    ["bun test", { "package.json": "{}", "bun.lockb": "" }],
    ["pnpm test", { "package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}', "yarn.lock": "" }],
    ["python3 -m pytest", PYTEST],
    ["python3 -m pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }],
    [".venv/bin/python -m pytest", { ...PYTEST, ".venv/bin/python": "" }],
    ["uv run pytest", { ...PYTEST, "uv.lock": "" }],
    ["poetry run pytest", { ...PYTEST, "poetry.lock": "" }],
    ["tox", { ...PYTEST, "tox.ini": "[testenv]\n" }],
    ["go test ./...", { "go.mod": "module x\n" }],
    ["cargo test", { "Cargo.toml": "" }],
    ["mvn -B test", { "pom.xml": "" }],
    ["./mvnw -B test", { "pom.xml": "", mvnw: "" }],
    ["./gradlew --console=plain cleanTest test", { "build.gradle.kts": "", gradlew: "" }],
    ["gradle --console=plain cleanTest test", { "build.gradle": "" }],
    ["dotnet test", { "App.sln": "" }],
    ["make test", { Makefile: "TEST := 1\ntest: build\n\ttrue\n" }],
    ["make check", { Makefile: "check:\n\ttrue\n" }],
    ["npm test", { ...manifest("x"), Makefile: "test:\n\ttrue\n" }],
    ["mine --all", { ...manifest("x"), ".pawl/config.yaml": "agent: host\ntest_command: mine --all # ours\n" }],
    ["mine 'a b'", { ".pawl/config.yaml": "test_command: 'mine ''a b'''\n" }],
    ['mine "a b"', { ".pawl/config.yaml": 'test_command: "mine \\"a b\\""\n' }],
  ])("%s is found", (command, files) => {
    using repository = project(files);
    expect(spoken(repository)).toEqual([command]);
  });

  test("of each language runs, where a project has several, and one red is red", () => {
    using repository = project({ ...manifest("x"), "go.mod": "module x\n", "Cargo.toml": "" });
    expect(spoken(repository)).toEqual(["npm test", "go test ./...", "cargo test"]);
    expect(spoken(repository, "go").at(-1)).toBe("go test ./...");
  });

  test.each<[string, Record<string, string>, string]>([
    ["nothing", {}, "no test command was found"],
    ["what npm init writes", manifest('echo "Error: no test specified" && exit 1'), "no test command was found"],
    ["a broken manifest", { "package.json": "{" }, "no test command was found"],
    ["a folder tests without tests", { "tests/data.json": "{}" }, "no test command was found"],
    ["a command over several lines", { ".pawl/config.yaml": "test_command: >\n  a\n  b\n" }, "must stand on one line"],
    ["a time that is none", { ".pawl/config.yaml": "test_timeout: soon\n" }, "must be a number of seconds"],
  ])("is not made up from %s", (_, files, says) => {
    using repository = project(files);
    const said = ask(repository, "run_tests");
    expect(said.failed).toEqual(["tests_pass"]);
    expect(said.message).toContain(says);
  });
});

/** The commands as they reach the shell: a shell of our own writes them down, and fails for the program named. */
function spoken(repository: Repository, red = "nobody"): string[] {
  const folder = join(repository.root, "bin");
  const log = join(repository.root, "spoken");
  mkdirSync(folder, { recursive: true });
  writeFileSync(log, "");
  const shell = `#!/bin/bash\nprintf '%s\\n' "$2" >> ${log}\necho "# pass 1"\n[[ "$2" != ${red}* ]]\n`;
  writeFileSync(join(folder, "sh"), shell);
  chmodSync(join(folder, "sh"), 0o755);
  ask(repository, "run_tests", { PATH: `${folder}:${process.env.PATH}` });
  return readFileSync(log, "utf8").trim().split("\n");
}

describe("the number of tests that ran is read from what is printed by", () => {
  const printing = (text: string, exit = 0): Said => {
    using repository = project({ ".pawl/config.yaml": `test_command: cat out; exit ${exit}\n`, out: `${text}\n` });
    return ask(repository, "run_tests");
  };
  test.each<[string, string, number]>([
    ["tape", "1..4\n# tests 4\n# pass  4\n\n# ok", 4],
    ["node", "ℹ tests 3\nℹ pass 2\nℹ fail 0\nℹ skipped 1", 2],
    ["vitest", " Test Files  1 passed (1)\n      Tests  4 passed | 1 skipped (5)", 4],
    ["vitest in colours", "\x1b[2m      Tests \x1b[22m \x1b[32m4 passed\x1b[39m (4)", 4],
    ["jest", "Tests:       1 skipped, 5 passed, 6 total", 5],
    ["mocha", "  7 passing (12ms)\n  1 pending", 7],
    ["pytest", "========== 5 passed, 1 skipped, 2 warnings in 0.12s ==========", 5],
    ["pytest -q", "5 passed, 1 skipped in 0.12s", 5],
    ["unittest", "Ran 6 tests in 0.001s\n\nOK", 6],
    ["go", "?   \tx/a\t[no test files]\nok  \tx/b\t0.01s", 1],
    ["cargo", "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured", 2],
    ["maven", "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1", 3],
    ["gradle", "> Task :lib:test NO-SOURCE\n> Task :app:test", 1],
    ["dotnet", "Passed!  - Failed:     0, Passed:     8, Skipped:     0, Total:     8", 8],
    ["bun", " 3 pass\n 0 fail", 3],
  ])("%s", (_, text, count) => {
    expect(printing(text).message).toContain(`tests run: ${count}`);
  });

  test.each<[string, string]>([
    ["node", "1..0\n# tests 0\n# pass 0\n# fail 0"],
    ["vitest", "No test files found, exiting with code 0"],
    ["vitest with all skipped", "      Tests  3 skipped (3)"],
    ["jest", "No tests found, exiting with code 0"],
    ["mocha", "  0 passing (1ms)"],
    ["pytest with all skipped", "===== 3 skipped in 0.01s ====="],
    ["unittest", "Ran 0 tests in 0.000s\n\nOK"],
    ["go", "?   \tx\t[no test files]\nok  \ty\t0.01s [no tests to run]"],
    ["cargo", "running 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored"],
    ["maven", "[INFO] No tests to run."],
    ["gradle", "> Task :test NO-SOURCE"],
    ["dotnet", "No test is available in /x/y.dll. Make sure"],
  ])("%s when there were none", (_, text) => {
    expect(printing(text).message).toContain("ran no test: nothing is proved");
  });

  test("nothing where nothing tells it, and that is said", () => {
    expect(printing("all fine").message).toContain("how many tests ran, it does not say");
    expect(printing("all fine", 3).message).toContain("failed with exit code 3");
  });
});

test("the real pytest is understood, where there is one", (context) => {
  if (spawnSync("python3", ["-c", "import pytest"]).status !== 0) context.skip();
  using repository = project({ "test_a.py": "def test_a():\n  assert 1 == 2\n" });
  expect(ask(repository, "run_tests").message).toContain("test_a.py::test_a");
  repository.write({ "test_a.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n" });
  expect(ask(repository, "run_tests").message).toContain("nothing is proved");
  repository.write({ "test_a.py": "" });
  expect(ask(repository, "run_tests").message).toContain("found no test");
});
