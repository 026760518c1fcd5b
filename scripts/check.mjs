// npm run check: one yes or no. Format, lint, types, pure types, build, documents in step, tests (the architecture is one of them).
// Everything is asked, also after a no. Ends with `N passed, N failed, N skipped` of the tests.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const STEPS = [
  ["format and lint", "npx --no-install biome ci --error-on-warnings --colors=off"],
  ["types", "npx --no-install tsc -p ."],
  ["pure types", "npx --no-install tsc -p tsconfig.pure.json"],
  ["build", "npm run --silent build"],
  ["documents in step", "node scripts/docs.mjs --check && node scripts/third-party.mjs --check"],
];
/** npm run test:slow is tests alone: the rest is asked by npm test. */
const asked = process.env.PAWL_SLOW === undefined ? STEPS : STEPS.filter(([name]) => name === "build");
const folder = mkdtempSync(join(tmpdir(), "pawl-check-"));
const report = join(folder, "tests.json");
const refused = [];
for (const [name, command] of asked) {
  const { code, said, seconds } = await run(command);
  console.log(`${code === 0 ? "ok" : "NO"}  ${name} (${seconds} s)`);
  if (code === 0) continue;
  refused.push(name);
  console.log(said);
}
const only = process.argv.slice(2).join(" ");
const tests = await run(
  `npx --no-install vitest run --reporter=default --reporter=json --outputFile.json=${report} ${only}`,
  { PAWL_BUILT: "1", NO_COLOR: "1" },
  true,
);
if (process.env.PAWL_SLOW === undefined)
  console.log(
    "not among these: packages of others, further clients, a second sandbox engine, networks; npm run test:slow",
  );
const counts = countsOf(report, tests);
rmSync(folder, { recursive: true, force: true });
if (refused.length) console.log(`refused: ${refused.join(", ")}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = refused.length || counts.failed || tests.code ? 1 : 0;

function run(command, env = {}, live = false) {
  const startedAt = performance.now();
  const child = spawn("sh", ["-c", command], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (live) process.stdout.write(text);
    });
  return new Promise((done) =>
    child.on("close", (code) => done({ code, said, seconds: Math.round((performance.now() - startedAt) / 1000) })),
  );
}

/** A file that could not even be read counts as one failed test; what was skipped is named, with the reasons that were said. */
function countsOf(path, { said, code }) {
  let told;
  try {
    told = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const tests = told.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((each) => ({ file: name, ...each })),
  );
  const skipped = tests.filter(({ status }) => !["passed", "failed"].includes(status));
  for (const { file, fullName } of skipped)
    console.log(`skipped: ${file.replace(`${process.cwd()}/`, "")}: ${fullName}`);
  for (const reason of new Set(said.match(/^skipped: .*$/gm) ?? [])) console.log(reason);
  const broken = told.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.length,
  );
  const failed = told.numFailedTests + broken.length;
  return { passed: told.numPassedTests, failed: failed || (code ? 1 : 0), skipped: skipped.length };
}
