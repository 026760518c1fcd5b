// Programs that misbehave, as command steps and as agents: Pawl stays small, nothing of them lives on, the verdict is right.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { ended, Repository } from "../harness/repository.js";
import { buildThatDies, THAT_DIES } from "./build.js";
import { linesOf, processesAt, type Told } from "./traces.js";

buildThatDies();
/** What Pawl may take at most, whatever its child prints; idle it takes about 100 MB. */
const PEAK_MB_MAX = 350;
/** TERM, grace, KILL and a slow machine. */
const STOPPED_S_MAX = 30;
let repository: Repository;
afterEach(() => repository?.[Symbol.dispose]());

interface Seen {
  verdict: Told;
  peakMb: number;
  journal: string;
  seconds: number;
}

async function run(kind: "command" | "agent", script: string, timeout = 60): Promise<Seen> {
  const step =
    kind === "command"
      ? `{name: work, command: sh agents/work.sh, timeout: ${timeout}}`
      : `{name: work, agent: worker, timeout: ${timeout}, artifact: said.md, verdicts: {pass: APPROVED, fail: BLOCKED}}`;
  repository = Repository.make({
    ".pawl/loops/misbehaves.yaml": `name: misbehaves
agents: {worker: {use: command, run: "sh agents/work.sh"}}
max_attempts: 1
steps: [${step}]
`,
    "agents/work.sh": `${script}\n`,
  });
  const began = performance.now();
  const child = repository.start(["run", "misbehaves", "--json"], { program: THAT_DIES });
  const over = ended(child);
  let peakMb = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakMb = Math.max(peakMb, peakOf(child.pid));
    await sleep(20);
  }
  const end = await over;
  expect([0, 1], end.err).toContain(end.code);
  const { journal } = end.json();
  expect(processesAt(repository.root)).toEqual([]);
  const [said] = linesOf(journal).filter(({ type }) => type === "verdict");
  expect(said).toBeDefined();
  return { verdict: said.verdict, peakMb, journal, seconds: (performance.now() - began) / 1000 };
}
function peakOf(pid = 0): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
const approve = 'echo "VERDICT: APPROVED" > "$PAWL_ARTIFACTS/said.md"';
const textOf = ({ findings }: Told): string => findings.map((each: Told) => each.text).join("; ");

it.each(["command", "agent"] as const)(
  "200 MB without a line break leave Pawl small (%s)",
  { timeout: 300_000 },
  async (kind) => {
    const { verdict, peakMb } = await run(kind, `head -c 200000000 /dev/zero | tr '\\0' x; ${approve}`, 200);
    expect(verdict.status).toBe("pass");
    expect(peakMb).toBeLessThan(PEAK_MB_MAX);
    console.log(`${kind}: 200 MB in one line, peak ${Math.round(peakMb)} MB`);
  },
);

it.each(["command", "agent"] as const)("200 MB of lines leave Pawl small (%s)", { timeout: 300_000 }, async (kind) => {
  const { verdict, peakMb } = await run(
    kind,
    `yes "a line of output, as a build prints it" | head -c 200000000; ${approve}`,
    200,
  );
  expect(verdict.status).toBe("pass");
  expect(peakMb).toBeLessThan(PEAK_MB_MAX);
  console.log(`${kind}: 200 MB of lines, peak ${Math.round(peakMb)} MB`);
});

it.each(["command", "agent"] as const)("split UTF-8 is whole again, NUL bytes are no trouble (%s)", async (kind) => {
  const split = "printf 'caf\\303'; sleep 0.3; printf '\\251\\n'; printf 'a\\000b\\377c'";
  const { verdict, journal } = await run(kind, `${split}; ${approve}`);
  expect([verdict.status, verdict.output]).toEqual(["pass", expect.stringContaining("café")]);
  expect(readFileSync(journal, "utf8")).not.toContain("\\u0000");
});

it.each(["command", "agent"] as const)(
  "one that ignores TERM is ended all the same (%s)",
  { timeout: 120_000 },
  async (kind) => {
    const { verdict, seconds } = await run(kind, `trap '' TERM; echo here; while :; do sleep 0.2; done`, 1);
    expect(verdict.status).toBe("block");
    expect(textOf(verdict)).toMatch(/time/);
    expect(verdict.output).toContain("here");
    expect(seconds).toBeLessThan(STOPPED_S_MAX);
  },
);

it.each(["command", "agent"] as const)(
  "one that forks twice, closes its streams and leaves is gone with its step (%s)",
  async (kind) => {
    const away = "(trap '' TERM HUP; setsid sh -c '(sleep 300 &) ; sleep 300' </dev/null >/dev/null 2>&1 &)";
    const { verdict, seconds } = await run(kind, `${away}; ${approve}`);
    expect(verdict.status).toBe("pass");
    expect(seconds).toBeLessThan(STOPPED_S_MAX);
  },
);

it("an agent that ends well and has done nothing has done nothing", async () => {
  const { verdict } = await run("agent", "echo 'All done! VERDICT: APPROVED'");
  expect([verdict.status, verdict.outcome, textOf(verdict)]).toEqual([
    "block",
    "unclear",
    expect.stringContaining('"said.md" was not written'),
  ]);
});

it("an artifact that would be written after the time-out is not", { timeout: 120_000 }, async () => {
  const late = `trap '' TERM; (trap '' TERM; sleep 6; ${approve}) & sleep 300`;
  const { verdict, journal } = await run("agent", late, 1);
  expect([verdict.status, verdict.outcome]).toEqual(["block", "unclear"]);
  await sleep(6_000);
  expect(() => readFileSync(journal.replace("journal.jsonl", "visits/work-1/artifacts/said.md"))).toThrow();
});
