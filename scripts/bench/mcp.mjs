// The MCP server against a bare one of the same SDK: answers, start, memory, a long look, many jobs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { median, repository } from "./measure.mjs";

const CALLS = 15;
const JOBS = 200;
/** Ids are made of the loop's name and the second: so many loops take turns. */
const LOOPS = 10;
const SLOW_SECONDS = 60;
const loop = (i) => `name: dev-${i}\nskills: [alpha, beta]\ngoal_state: "done"\nhuman_gate: false\n`;
const SLOW = `name: slow\nskills: [alpha]\ngoal_state: "done"\nhuman_gate: false\nvalidators: [{tool: wait, checks: [{name: fine}]}]\n`;
const WAIT = `#!/bin/sh\ncat >/dev/null\nsleep ${SLOW_SECONDS}\necho '{"pass": true, "message": "", "checks": [{"name": "fine", "pass": true}]}'\n`;
const skill = (name) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`;

/** A connected client and how long it took from the start of the process to the first answer. */
async function connect(args, cwd) {
  const began = performance.now();
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" });
  await client.connect(transport);
  return { client, pid: transport.pid, ms: performance.now() - began };
}
async function timed(client, name, args) {
  const began = performance.now();
  const said = await client.callTool({ name, arguments: args });
  if (said.isError) throw new Error(`${name}: ${said.content[0].text}`);
  return performance.now() - began;
}
const memoryKb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
/** Seconds of processor time so far; a tick is 10 ms. */
function processorSeconds(pid) {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").map(Number);
  return (fields[9] + fields[10]) / 100;
}

export async function mcp({ pawl, echo, root, row }) {
  const place = repository(join(root, "mcp"), filesOf());
  await starts({ pawl, echo, row, ...place });
  const ours = await connect([pawl, "mcp"], place.folder);
  const bare = await connect([echo], place.folder);
  memory(ours, bare, row);
  await answers(ours, bare, row, place);
  await longLook(ours, row, place);
  await Promise.all([ours.client.close(), bare.client.close()]);
}

const filesOf = () => ({
  ...Object.fromEntries(Array.from({ length: LOOPS }, (_, i) => [`.pawl/loops/dev-${i}.yaml`, loop(i)])),
  ".pawl/loops/slow.yaml": SLOW,
  ".pawl/skills/alpha.md": skill("alpha"),
  ".pawl/skills/beta.md": skill("beta"),
  "validators/wait.sh": WAIT,
});

async function starts({ pawl, echo, row, folder }) {
  const starts = [];
  for (let i = 0; i < 9; i++) {
    const ours = await connect([pawl, "mcp"], folder);
    const bare = await connect([echo], folder);
    starts.push([ours.ms, bare.ms]);
    await Promise.all([ours.client.close(), bare.client.close()]);
  }
  const ratio = median(starts.map(([a, b]) => a / b));
  row(
    "pawl mcp, start to first answer",
    ratio,
    1.5,
    "× the bare echo server",
    `${median(starts.map(([a]) => a)).toFixed(0)} ms against ${median(starts.map(([, b]) => b)).toFixed(0)} ms`,
  );
}

function memory(ours, bare, row) {
  const idle = [memoryKb(ours.pid), memoryKb(bare.pid)];
  row(
    "pawl mcp, idle memory",
    idle[0] / idle[1],
    1.3,
    "× the bare echo server",
    `${(idle[0] / 1024).toFixed(0)} MiB against ${(idle[1] / 1024).toFixed(0)} MiB`,
  );
}

async function answers(ours, bare, row, { git }) {
  const asked = { run_loop: [], loop_advance: [] };
  const echoed = [];
  const jobs = [];
  for (let job = 1; job <= JOBS; job++) {
    git("switch", "-qc", `job-${job}`);
    const ms = await timed(ours.client, "run_loop", { name: `dev-${job % LOOPS}` });
    jobs.push(ms);
    if (job > CALLS) continue;
    echoed.push(await timed(bare.client, "echo", { text: "hello" }));
    asked.run_loop.push(ms);
    asked.loop_advance.push(await timed(ours.client, "loop_advance", { skill: "alpha", output: "done" }));
  }
  const echoMs = median(echoed);
  for (const [name, times] of Object.entries(asked))
    row(
      `${name}, median answer`,
      median(times) - 2 * echoMs,
      10,
      "ms beyond 2 × echo",
      `${median(times).toFixed(1)} ms against ${echoMs.toFixed(1)} ms`,
    );
  const [early, late] = [jobs.slice(15, 25), jobs.slice(-10)].map(median);
  row("the 200th job against the 20th", late / early, 1.2, "×", `${late.toFixed(1)} ms against ${early.toFixed(1)} ms`);
}

async function longLook(ours, row, { git }) {
  git("switch", "-qc", "slow");
  await timed(ours.client, "run_loop", { name: "slow" });
  await timed(ours.client, "loop_advance", { skill: "alpha", output: "done" });
  const [since, spent] = [performance.now(), processorSeconds(ours.pid)];
  for (;;) {
    const { content } = await ours.client.callTool({ name: "loop_status", arguments: {} });
    if (!/at work on it since/.test(content[0].text)) break;
  }
  const seconds = (performance.now() - since) / 1000;
  row(
    `loop_status during ${SLOW_SECONDS} s of checks`,
    (100 * (processorSeconds(ours.pid) - spent)) / seconds,
    1,
    "% of a core",
    `${seconds.toFixed(0)} s`,
  );
}
