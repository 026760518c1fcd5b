#!/usr/bin/env node
// Runs the project's own tests and says whether they passed: a suite that ran no test, and one that nobody could run, have not.
// One file, for it is copied into every run.
import { spawn } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";

const SETTINGS = ".pawl/config.yaml";
const MANIFEST_BYTES_MAX = 1 << 20;
const TIMEOUT_SECONDS = 1_800;
const GRACE_MS = 2_000;
/** For the rest of the output, where something outlived the suite and holds it open. */
const DRAIN_MS = 1_000;
/** Of the output that is shown when the suite is red. */
const TAIL_CHARS_MAX = 3_000;
const LINE_CHARS_MAX = 2_000;
const FAILURES_MAX = 10;

async function main() {
  readFileSync(0, "utf8"); // the context of the run says nothing about its tests
  const settings = settingsOf();
  const { pass, why, more } = settings.trouble ? { pass: false, why: settings.trouble } : await runAll(settings);
  const message = more ? `${why}\n${more}` : why;
  process.stdout.write(`${JSON.stringify({ pass, message, checks: [{ name: "tests_pass", pass }] })}\n`);
}

/** The commands in turn, up to the first that is not green. */
async function runAll(settings) {
  const all = commandsOf(settings);
  if (!all.length)
    return { pass: false, why: `no test command was found here; name it in ${SETTINGS}: test_command: "…"` };
  const told = [];
  for (const command of all) {
    const ran = await run(command, settings.seconds);
    const trouble = troubleOf(command, ran, settings.seconds);
    if (trouble) return { pass: false, why: trouble, more: tailOf(ran) };
    told.push(`"${command}" passed; ${ran.count ? `tests run: ${ran.count}` : "how many tests ran, it does not say"}`);
  }
  return { pass: true, why: told.join(", ") };
}

function troubleOf(command, { exit, signal, timedOut, missing, count, failures }, seconds) {
  if (timedOut)
    return `"${command}" was still running after ${seconds} s and was ended; whether the tests pass is not known. Raise "test_timeout" in ${SETTINGS}, and "timeout_seconds" of run_tests in the loop file above it`;
  if (missing)
    return `"${command}" cannot be run: ${missing}. Inside the sandbox there is /usr and this Node; make others visible with isolation.mounts of the loop file`;
  if (signal) return `"${command}" was ended by ${signal}`;
  const names = failures.length ? `: ${failures.join("; ")}` : "";
  if (exit === 5 && /pytest/.test(command)) return `"${command}" found no test: nothing is proved`;
  if (exit !== 0)
    return count === 0 && !names
      ? `"${command}" ran no test and ended with exit code ${exit}`
      : `"${command}" failed with exit code ${exit}${names}`;
  return count === 0 ? `"${command}" ended well and ran no test: nothing is proved` : undefined;
}

/** In a process group of its own, so that a server the suite left behind goes with it. */
function run(command, seconds) {
  const child = spawn("sh", ["-c", command], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CI: "true", NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined },
  });
  const reader = new Reader();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      process.stderr.write(text);
      reader.read(text);
    });
  let timedOut = false;
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // they are gone
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end("SIGTERM");
    setTimeout(() => end("SIGKILL"), GRACE_MS).unref();
  }, seconds * 1_000);
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => end("SIGKILL"));
  return new Promise((done) => {
    child.on("error", (error) => done({ ...reader.told(), missing: `the shell is missing (${error.code})` }));
    const ended = (exit, signal) => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy(); // else who left the group keeps us waiting
      const missing = exit ? reader.missing(exit) : undefined;
      done({ ...reader.told(), exit, signal, timedOut, missing });
    };
    child.on("exit", (exit, signal) => {
      clearTimeout(timer);
      end("SIGKILL"); // what the suite left running
      const late = setTimeout(() => ended(exit, signal), DRAIN_MS);
      child.on("close", () => {
        clearTimeout(late);
        ended(exit, signal);
      });
    });
  });
}

/** Reads what a suite prints: keeps its end, counts the tests that ran, notes the names of those that failed. */
class Reader {
  tail = "";
  rest = "";
  counts = [];
  failures = new Set();
  read(text) {
    this.tail = (this.tail + text).slice(-4 * TAIL_CHARS_MAX);
    const lines = (this.rest + text).split("\n");
    this.rest = (lines.pop() ?? "").slice(-LINE_CHARS_MAX);
    for (const line of lines) this.line(line.slice(0, LINE_CHARS_MAX));
  }
  line(text) {
    const line = plain(text);
    const counted = COUNTS.map(([form, count]) => [form.exec(line), count]).find(([found]) => found);
    if (counted) this.counts.push(counted[1](counted[0]));
    const [, name] = FAILURES.map((form) => form.exec(line)).find(Boolean) ?? [];
    if (name && this.failures.size < FAILURES_MAX) this.failures.add(name.trim().slice(0, 150));
  }
  /** `count` is undefined where nothing in the output tells it. */
  told() {
    if (this.rest) this.line(this.rest);
    this.rest = "";
    const count = this.counts.length ? this.counts.reduce((sum, each) => sum + each, 0) : undefined;
    return { tail: this.tail, count, failures: [...this.failures] };
  }
  /** The line that says which program is not there. */
  missing(exit) {
    const form =
      exit === 127 || exit === 126 ? /not found|permission denied|no such file/i : /No module named '?(?:pytest|tox)\b/;
    const line = plain(this.tail)
      .split("\n")
      .reverse()
      .find((each) => form.test(each));
    return line?.trim().slice(0, 300);
  }
}

const number = ([, digits]) => Number(digits);
const none = () => 0;
/** Lines that tell how many tests ran; skipped ones did not. */
const COUNTS = [
  [/^(?:ℹ|#) pass +(\d+)$/, number], // node --test, tape
  [/^(?:ℹ|#) fail +(\d+)$/, number],
  [/^1\.\.0\b/, none], // TAP
  [/^\s*Tests:?\s+(?=.*\b(?:passed|failed|skipped|todo)\b)(.*)$/, ([, rest]) => sumOf(rest)], // vitest, jest
  [/^No tests? (?:files )?found/, none],
  [/^\s*(\d+) (?:passing|failing)\b/, number], // mocha
  [/^=+ (.*\b(?:passed|failed|skipped|deselected|error|errors)\b.*) =+$/, ([, rest]) => sumOf(rest)], // pytest
  [/^((?:\d+ \w+, )*\d+ (?:passed|failed|skipped|deselected|errors?)\b.* in [\d.]+s)/, ([, rest]) => sumOf(rest)], // pytest -q
  [/^(?:=+ )?no tests ran/, none],
  [/^Ran (\d+) tests? in/, number], // unittest
  [/^ok\s+\S+\s.*\[no tests to run\]/, none], // go
  [/^\?\s+\S+\s+\[no test files\]/, none],
  [/^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))/, () => 1],
  [/^test result: .*?(\d+) passed; (\d+) failed/, ([, passed, failed]) => Number(passed) + Number(failed)], // cargo
  [
    /^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)(?!.*Time elapsed)/,
    ([, all, skipped]) => all - skipped,
  ], // maven
  [/No tests to run\./, none],
  [/:test NO-SOURCE$/, none], // gradle
  [/^> Task \S*:test$/, () => 1],
  [/^(?:Passed|Failed)!.*Failed:\s+(\d+), Passed:\s+(\d+)/, ([, failed, passed]) => Number(failed) + Number(passed)], // dotnet
  [/^\s*(?:Total tests: 0|No test is available in)/, none],
  [/^\s*(\d+) pass$/, number], // bun
];
const sumOf = (text) =>
  [...text.matchAll(/(\d+) (?:passed|failed|errors?|xfailed|xpassed)\b/g)].reduce(
    (sum, [, digits]) => sum + Number(digits),
    0,
  );

/** Lines that name a test that failed. */
const FAILURES = [
  /^\s*✖ (?!failing tests)(.+?)(?: \([\d.]+m?s\))?$/,
  /^\s*not ok \d+ - (?!.*# (?:skip|todo))(.+)$/i,
  /^\s*(?:×|✕|FAIL) +(.+?)(?: \d+ ?ms)?$/,
  /^(?:FAILED|ERROR) (\S.*)$/,
  /^\s*--- FAIL: (\S+)/,
  /^test (\S+) \.\.\. FAILED$/,
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what is taken out
const plain = (text) => text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r", "");

function tailOf({ tail }) {
  const text = plain(tail).trimEnd();
  if (!text) return "it printed nothing";
  return text.length <= TAIL_CHARS_MAX
    ? `its output:\n${text}`
    : `the end of its output:\n…${text.slice(-TAIL_CHARS_MAX)}`;
}

// ---- which command it is

/** `trouble`: what is there cannot be used. */
function settingsOf() {
  const lines = textOf(SETTINGS).split(/\r?\n/);
  const value = (key) => {
    const [, rest] = lines.map((line) => new RegExp(`^${key}:(?:\\s+(.*))?$`).exec(line)).find(Boolean) ?? [];
    return rest?.trim();
  };
  const command = unquoted(value("test_command") ?? "");
  const seconds = Number(unquoted(value("test_timeout") ?? "") || TIMEOUT_SECONDS);
  if (/^[|>&*!]/.test(command))
    return { trouble: `"test_command" in ${SETTINGS} must stand on one line, as plain or quoted text` };
  if (!(seconds > 0 && seconds <= 604_800))
    return { trouble: `"test_timeout" in ${SETTINGS} must be a number of seconds` };
  return { command, seconds };
}
function unquoted(value) {
  const [, single] = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(value) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(value) ?? [];
  if (double !== undefined) return JSON.parse(double);
  return value.replace(/(^|\s)#.*$/, "").trim();
}

/** The one that was named; else every one that the project's files stand for, and make where there is no other. */
function commandsOf({ command }) {
  if (command) return [command];
  const here = new Set(readdirSync("."));
  const found = [javascript(here), python(here), go(here), rust(here), java(here), dotnet(here)].filter(Boolean);
  return found.length ? found : [make(here)].filter(Boolean);
}

function javascript(here) {
  if (!here.has("package.json")) return undefined;
  const { scripts, packageManager } = jsonOf("package.json");
  const [named] = /^(?:npm|pnpm|yarn|bun)(?=@)/.exec(String(packageManager ?? "")) ?? [];
  const locks = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun" };
  const [, locked] = Object.entries(locks).find(([file]) => here.has(file)) ?? [];
  const program = named ?? locked ?? "npm";
  const script = scripts?.test;
  // what `npm init` writes is no test
  if (typeof script === "string" && script.trim() && !/no test specified/.test(script))
    return program === "bun" ? "bun run test" : `${program} test`;
  return program === "bun" ? "bun test" : undefined;
}

function python(here) {
  const project = textOf("pyproject.toml");
  const isTested =
    ["pytest.ini", "conftest.py", "tests", "test"].some((name) => here.has(name) && pythonIn(name)) ||
    /^\[tool\.pytest/m.test(project) ||
    /^\[tool:pytest\]/m.test(textOf("setup.cfg")) ||
    [...here].some((name) => /^test_.*\.py$|_test\.py$/.test(name));
  if (here.has("tox.ini") || /^\[tool\.tox/m.test(project)) return "tox";
  if (!isTested) return undefined;
  if (here.has("uv.lock")) return "uv run pytest";
  if (here.has("poetry.lock")) return "poetry run pytest";
  const own = [".venv/bin/python", "venv/bin/python"].find((path) => lstatSync(path, { throwIfNoEntry: false }));
  return `${own ?? "python3"} -m pytest`;
}
/** A folder "tests" may hold anything. */
function pythonIn(name) {
  if (!lstatSync(name).isDirectory()) return true;
  return readdirSync(name, { recursive: true, encoding: "utf8" }).some((path) =>
    /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/.test(path),
  );
}

const go = (here) => (here.has("go.mod") ? "go test ./..." : undefined);
const rust = (here) => (here.has("Cargo.toml") ? "cargo test" : undefined);
function java(here) {
  if (here.has("pom.xml")) return here.has("mvnw") ? "./mvnw -B test" : "mvn -B test";
  if (!["build.gradle", "build.gradle.kts"].some((name) => here.has(name))) return undefined;
  return here.has("gradlew") ? "./gradlew --console=plain cleanTest test" : "gradle --console=plain cleanTest test";
}
const dotnet = (here) =>
  [...here].some((name) => /\.(?:sln|slnx|csproj|fsproj)$/.test(name)) ? "dotnet test" : undefined;
function make(here) {
  const file = ["GNUmakefile", "makefile", "Makefile"].find((name) => here.has(name));
  const [target] = ["test", "check"].filter((name) => file && new RegExp(`^${name}\\s*:(?!=)`, "m").test(textOf(file)));
  return target && `make ${target}`;
}

function textOf(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MANIFEST_BYTES_MAX ? readFileSync(path, "utf8") : "";
}
function jsonOf(path) {
  try {
    return JSON.parse(textOf(path)) ?? {};
  } catch {
    return {};
  }
}

await main(); // last: what stands above must be there by then
