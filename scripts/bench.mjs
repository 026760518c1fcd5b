// npm run bench: one table, each row a ratio (or a size) measured in this run, the one nearest to its bar first.
// With --write the table goes into docs/performance.md.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcp } from "./bench/mcp.mjs";
import { inTurn, peakMiB, repository, timeOf } from "./bench/measure.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const pawl = join(here, "dist", "pawl.js");
const node = process.execPath;
const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-bench-")));
const nothing = () => timeOf([node, "-e", "0"]);
const rows = [];
/** `value` must be at most `bar`. */
const row = (what, value, bar, unit, detail) => {
  rows.push({ what, value, bar, unit, detail, share: value / bar });
  console.error(`${what}: ${value.toFixed(2)} ${unit} (bar ${bar})`);
};

const steps = (count, line) => Array.from({ length: count }, (_, i) => `  - {name: s${i}, ${line}}`).join("\n");
/** A run in a fresh branch each, since a job has one open run and its own records. */
let branches = 0;
function run(folder, file, codes) {
  execFileSync("git", ["-C", folder, "switch", "-qc", `b${branches++}`], { stdio: "ignore" });
  return timeOf([node, pawl, "run", file, "--json"], { cwd: folder, codes });
}

function startUp() {
  const help = inTurn(15, () => timeOf([node, pawl, "--help"]), nothing);
  row(
    "pawl --help, whole process",
    help.ratio,
    1.8,
    "× node -e 0",
    `${help.a.toFixed(0)} ms against ${help.b.toFixed(0)} ms`,
  );
  const memory = peakMiB([node, pawl, "--help"]);
  if (memory !== undefined) row("pawl --help, memory", memory * 1.048576, 70, "MB", "peak of the process");
  const { folder } = repository(join(root, "plan"), {
    "hundred.yaml": `name: hundred\nsteps:\n${steps(100, 'command: "true"')}\n`,
  });
  const plan = inTurn(11, () => timeOf([node, pawl, "plan", "hundred.yaml"], { cwd: folder }), nothing);
  row(
    "pawl plan of a 100-step file",
    plan.ratio,
    4,
    "× node -e 0",
    `${plan.a.toFixed(0)} ms against ${plan.b.toFixed(0)} ms`,
  );
}

/** From the first step's start to the last one's verdict, as the journal tells, against two appends with fdatasync a step on the same disk. */
function durable() {
  const noop = "export default { actions: { noop: { run: async () => ({}) } } };\n";
  const loop = `name: noop\nextensions: [noop.mjs]\nsteps:\n${steps(100, "action: noop")}\n`;
  const { folder } = repository(join(root, "durable"), { "noop.mjs": noop, "noop.yaml": loop });
  const step = inTurn(
    9,
    () => {
      run(folder, "noop.yaml");
      const events = eventsOf(newest(folder));
      const of = (type) => events.filter((event) => event.type === type).map((event) => Date.parse(event.at));
      return (of("verdict").at(-1) - of("begun")[0]) / 100;
    },
    () => appends(100) / 100,
  );
  row(
    "100 steps of a no-op action, durable",
    step.ratio,
    6,
    "× two appends with fdatasync",
    `${step.a.toFixed(2)} ms a step against ${step.b.toFixed(2)} ms`,
  );
}
const eventsOf = (journal) =>
  readFileSync(journal, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
function appends(times) {
  const file = openSync(join(root, "appends"), "a");
  const line = `${"x".repeat(400)}\n`;
  const began = performance.now();
  for (let i = 0; i < 2 * times; i++) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  closeSync(file);
  return performance.now() - began;
}

/** Parts of the measurement that are TypeScript, bundled as the program is. */
async function bundled() {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: { sandbox: join(here, "scripts/bench/sandbox.ts"), echo: join(here, "scripts/bench/echo.ts") },
    platform: "node",
    transform: { target: "node20" },
  });
  await bundle.write({ dir: join(here, "build/bench"), format: "esm", minify: true });
}

async function sandboxed() {
  const { spawnStrict } = await import(join(here, "build/bench/sandbox.js"));
  const loop = (count) => `name: quick\nsteps:\n${steps(count, 'command: "true"')}\n`;
  const { folder } = repository(join(root, "sandboxed"), { "few.yaml": loop(10), "many.yaml": loop(110) });
  const state = join(folder, ".git", "pawl");
  const artifacts = join(state, "artifacts");
  mkdirSync(artifacts, { recursive: true });
  const pairs = [];
  for (let i = 0; i < 4; i++)
    pairs.push([run(folder, "many.yaml") - run(folder, "few.yaml"), await spawnStrict(folder, state, artifacts, 100)]);
  const [, ...counted] = pairs;
  const ratios = counted.map(([a, b]) => a / b).sort((a, b) => a - b);
  const [ms, bare] = counted[1];
  row(
    '100 steps of command: "true", sandboxed',
    ratios[1],
    1.5,
    "× the bare strict sandbox",
    `${(ms / 100).toFixed(1)} ms a step against ${(bare / 100).toFixed(1)} ms`,
  );
}

/** One action and one look at a condition that is never met, round and round: two steps, five events a round. */
function long() {
  const files = (repeats) => ({
    "noop.mjs": "export default { actions: { noop: { run: async () => ({}) } } };\n",
    "long.yaml": `name: long\nextensions: [noop.mjs]\nsteps:\n  - {name: a, action: noop}\nrepeat_until: all_phases_complete\nmax_repeats: ${repeats}\n`,
    ".pawl/tasks.md": "- [ ] never\n",
  });
  const { folder } = repository(join(root, "long"), files(5000));
  run(folder, "long.yaml", [3]);
  const journal = newest(folder);
  const begun = eventsOf(journal)
    .filter((event) => event.type === "verdict")
    .map((event) => Date.parse(event.at));
  const window = (from) => begun[from + 400] - begun[from];
  row(
    "step 10,000 against step 100",
    window(begun.length - 401) / window(100),
    1.2,
    "×",
    `${(window(begun.length - 401) / 400).toFixed(2)} ms against ${(window(100) / 400).toFixed(2)} ms; ${begun.length} steps`,
  );
  const sizeBytes = statSync(journal).size / begun.length;
  row("journal, without outputs", sizeBytes / 1024, 2, "KB a step", `${begun.length} steps`);
  const { folder: short } = repository(join(root, "load"), files(Math.round(10_000 / 4)));
  run(short, "long.yaml", [3]);
  const lines = readFileSync(newest(short), "utf8").trim().split("\n").length;
  const load = inTurn(9, () => timeOf([node, pawl, "status", "--json"], { cwd: short }), nothing);
  row(
    "loading a run of 10,000 events",
    load.a - load.b,
    200,
    "ms beyond node -e 0",
    `${lines} events; pawl status ${load.a.toFixed(0)} ms`,
  );
}
function newest(folder) {
  const { runs } = JSON.parse(execFileSync(node, [pawl, "list", "--json"], { cwd: folder, encoding: "utf8" }));
  return join(folder, ".git/pawl/runs", runs.at(-1).run, "journal.jsonl");
}

async function packaged() {
  const folder = join(root, "package");
  mkdirSync(folder);
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: here,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--omit=dev", "--ignore-scripts", join(folder, filename)], {
    cwd: folder,
    stdio: "ignore",
  });
  const listed = JSON.parse(execFileSync("npm", ["ls", "--all", "--json"], { cwd: folder, encoding: "utf8" }));
  const count = (tree) => Object.values(tree.dependencies ?? {}).reduce((sum, each) => sum + 1 + count(each), 0);
  const kilobytes = Number(
    execFileSync("du", ["-sk", join(folder, "node_modules")], { encoding: "utf8" }).split("\t")[0],
  );
  row("installed package with its dependencies, size", (kilobytes * 1024) / 1e6, 30, "MB", "du of node_modules");
  row("installed package with its dependencies, packages", count(listed), 20, "packages", "npm ls --all");
}

function print() {
  rows.sort((a, b) => b.share - a.share);
  const line = ({ what, value, bar, unit, detail }) =>
    `| ${what} | ${value.toFixed(2)} | ${bar} | ${unit} | ${value <= bar ? "yes" : "**no**"} | ${detail} |`;
  const table = [
    "| what | measured | at most | unit | met | detail |",
    "|---|---|---|---|---|---|",
    ...rows.map(line),
  ].join("\n");
  console.log(table);
  const text = `# Performance\n\nMade by \`npm run bench -- --write\`; every ratio was measured in one run, the two sides in turn. Worst case first.\nMachine: ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}.\n\n${table}\n`;
  if (process.argv.includes("--write")) writeFileSync(join(here, "docs/performance.md"), text);
  const missed = rows.filter((each) => each.value > each.bar).length;
  console.log(`\n${rows.length - missed} of ${rows.length} bars met`);
  process.exitCode = missed ? 1 : 0;
}

try {
  execFileSync("npx", ["rolldown", "-c"], { cwd: here, stdio: "ignore" });
  await bundled();
  startUp();
  durable();
  await sandboxed();
  long();
  await mcp({ pawl, echo: join(here, "build/bench/echo.js"), root, row });
  await packaged();
  print();
} finally {
  rmSync(root, { recursive: true, force: true });
}
