// The main job on real input: a published package with its own suite, broken on purpose, mended through the pipeline example by
// Claude Code itself (a scripted model behind it), tested in the real sandbox, committed once, whatever kills Pawl on the way.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { marked } from "../../src/adapters/agents/mark.js";
import { qa, review } from "../clients/scenarios.mjs";
import { openWorkbench, skippedBecause, type Workbench } from "../clients/workbench.js";
import { ended, type Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { developer } from "./players.js";
import { fetchPackage, replaceIn, repositoryOf } from "./registry.js";

const fetched = skippedBecause === undefined ? fetchPackage("minimist@1.2.8", ["tape@3.6.1"]) : undefined;
const why = skippedBecause ?? (fetched && "missing" in fetched ? fetched.missing : undefined);
if (why !== undefined) console.log(`skipped: ${why}`);

const RIGHT = "/^0x[0-9a-f]+$/i";
const BROKEN = "/^0x[0-9]+$/i";
const WRONG = "/^0x[0-9a-e]+$/i";
const EDITS = [
  { file: "index.js", from: BROKEN, to: WRONG },
  { file: "index.js", from: WRONG, to: RIGHT },
  {
    file: "CHANGELOG.md",
    from: "# Changelog",
    to: "# Changelog\n\n## Unreleased\n\n- hexadecimal numbers are read again",
  },
];
const SUBJECT = "hexadecimal numbers";

describe.skipIf(why !== undefined)("minimist 1.2.8, broken, in the hands of Claude Code", { timeout: 240_000 }, () => {
  let bench: Workbench;
  let repository: Repository;
  beforeEach(async () => {
    bench = await openWorkbench(() => []);
    bench.hostEnv.PATH = `${dirname(bench.program)}:${bench.hostEnv.PATH}`; // installed, as its user installs it
    if (!fetched || "missing" in fetched) throw new Error("unreachable: skipped without the package");
    repository = repositoryOf(fetched, (made) => {
      replaceIn(made, "index.js", RIGHT, BROKEN);
      made.write({ ".pawl/loops/pipeline.yaml": pipeline(bench) });
    });
  });
  afterEach(async () => {
    repository?.[Symbol.dispose]();
    await bench.close();
  });
  afterAll(() => {
    if (fetched && "folder" in fetched) fetched.remove();
  });

  const play = (first?: { visit: number; line: string }) =>
    bench.models.scenarios.push(
      developer(repository.folder, EDITS, first),
      review("review", [
        "# Review\n\nThe changelog says nothing.\n\nVERDICT: NEEDS CHANGES\n",
        "# Review\n\nGood.\n\nVERDICT: APPROVED\n",
      ]),
      qa("qa", "node --test", ["# QA\n\nThe suite is green.\n\nVERDICT: PASS\n"]),
    );
  const start = (...args: string[]) => repository.start(args, { env: bench.hostEnv });
  const pawl = (...args: string[]) => repository.pawl(args, { env: bench.hostEnv });
  const status = () => repository.json(["status"], { env: bench.hostEnv });
  const RUN = ["run", "pipeline", "--input", `subject=${SUBJECT}`];

  /** Twice mended, twice tested green, once sent back by the review; then one commit with nothing but the two files. */
  async function isTheWholeStory(): Promise<void> {
    const told = await status();
    expect(told).toMatchObject({ status: "complete", outcome: "success" });
    const visits = Object.fromEntries(
      told.steps.map((step: { name: string; visits: number }) => [step.name, step.visits]),
    );
    expect(visits).toMatchObject({ dev: 3, test: 3, review: 2, qa: 1, commit: 1 });
    for (const step of told.steps)
      if (["dev", "review", "qa"].includes(step.name)) expect(step.usd, step.name).toBeGreaterThan(0);
    expect(repository.commits()).toEqual([`feat: construct ${SUBJECT}`, "start"]);
    expect(repository.git("diff", "--stat=80", "HEAD~1", "HEAD", "--", ".", ":!.pawl")).toMatch(
      /CHANGELOG\.md .*\n.*index\.js .*\n 2 files changed, 5 insertions\(\+\), 1 deletion\(-\)/,
    );
    expect(repository.read("index.js")).toContain(RIGHT);
    expect(repository.git("status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
    const sessions = begun(told).filter((event) => event.session);
    expect(new Set(sessions.map((event) => event.session)).size).toBe(6); // dev three times, review twice, qa once
    expect(marked({ PAWL_RUN: told.run })).toEqual([]);
  }

  test("goes from red to one commit, and says who works outside the sandbox", async () => {
    play();
    const plan = await pawl("plan", "pipeline");
    expect(plan.out, plan.err).toMatch(/claude-code.*outside the sandbox/);
    const end = await ended(start(...RUN));
    expect(end.code, end.err).toBe(0);
    expect(end.err).toContain('agent "dev" (claude-code) works outside the sandbox');
    await isTheWholeStory();
    const told = await status();
    expect(told.unconfined).toEqual(["dev", "review", "qa"]);
    expect((await pawl("status")).out).toContain('agent "dev" works outside the sandbox');
    expect(readFileSync(told.record, "utf8")).toMatch(/outside the sandbox/);
    expect(bench.models.requests.filter((request) => request.missing)).toEqual([]);
  });

  test("killed while Claude works and again while the suite runs, it carries on to the same story", async () => {
    verifies("resume.checkpoint-each-boundary");
    play({ visit: 1, line: "trap '' TERM; sleep 600 & tail -f /dev/null" });
    const first = start(...RUN);
    const told = await reached(first, "dev", 2, (run) => programs(run).includes("sleep"));
    first.kill("SIGKILL");
    await ended(first);
    expect(programs(told.run)).toContain("sleep"); // orphans there are, until somebody carries on
    expect(await status()).toMatchObject({ run: told.run, status: "running" });

    const second = start("resume");
    await reached(second, "test", 2, (run) => programs(run).includes("node"));
    expect(programs(told.run)).not.toContain("sleep");
    second.kill("SIGKILL");
    await ended(second);
    await until(() => programs(told.run).length === 0); // the sandbox dies with who started it

    const end = await pawl("resume", told.run);
    expect(end.code, end.err).toBe(0);
    await isTheWholeStory();
    const tries = begun(told).filter((event) => event.ticket === tickets(told, "dev")[1]);
    expect(tries).toHaveLength(2);
    expect(new Set(tries.map((event) => event.session)).size).toBe(1); // the session of the one that was killed
  });

  test("rests at a gate before the commit until a person answers", async () => {
    repository.write({ ".pawl/loops/pipeline.yaml": withGate(pipeline(bench)) });
    repository.commit("ask a person");
    bench.models.scenarios.push(
      developer(repository.folder, [{ file: "index.js", from: BROKEN, to: RIGHT }]),
      review("review", ["VERDICT: APPROVED\n"]),
      qa("qa", "true", ["VERDICT: PASS\n"]),
    );
    const rest = await ended(start(...RUN));
    expect(rest.code, rest.err).toBe(3);
    expect(await status()).toMatchObject({ status: "paused", gate: { question: "Ship it?" } });
    expect(repository.commits()).toEqual(["ask a person", "start"]);
    const { run } = await status();
    const end = await pawl("answer", run, "approve", "--comment", "go ahead");
    expect(end.code, end.err).toBe(0);
    expect(repository.commits()).toEqual([`feat: construct ${SUBJECT}`, "ask a person", "start"]);
    const answers = repository.events(await status()).filter((event) => event.answer);
    expect(answers).toMatchObject([{ answer: { channel: "cli", comment: "go ahead" } }]);
  });

  /** Until the run stands at the n-th visit of the step and `holds`; where its journal is. */
  async function reached(child: ChildProcess, step: string, visit: number, holds: (run: string) => boolean) {
    const end = ended(child);
    let told: Told | undefined;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`pawl ended too early: ${(await end).err}`);
      const { out } = told ? { out: "" } : await pawl("status", "--json");
      if (out.includes('"journal"')) told = JSON.parse(out) as Told; // the answer of status
      if (!told) return false;
      const last = begun(told).at(-1)?.ticket;
      return last !== undefined && last === tickets(told, step)[visit - 1] && holds(told.run);
    });
    if (!told) throw new Error("unreachable: waited for it");
    return told;
  }
  const begun = (run: Told): { ticket: string; session?: string }[] =>
    repository.events(run).filter((event) => event.type === "begun");
  const tickets = (run: Told, step: string): string[] => [
    ...new Set(
      begun(run)
        .map((event) => event.ticket)
        .filter((ticket) => ticket.startsWith(`${step}@`)),
    ),
  ];
});

interface Told {
  run: string;
  journal: string;
}

/** Names of the living programs of a run. */
function programs(run: string): string[] {
  return marked({ PAWL_RUN: run }).map(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    } catch {
      return ""; // it has just ended
    }
  });
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + 90_000;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error("what was waited for did not come");
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** The example as it is shipped, with Claude Code for everybody. */
function pipeline(bench: Workbench): string {
  const text = readFileSync(new URL("../examples/loops/pipeline.yaml", import.meta.url), "utf8");
  const claude = JSON.stringify({ use: "claude-code", env: bench.clientEnv });
  return text.replace(/\{use: command, run: "sh agents\/\w+\.sh"\}/g, () => claude);
}

const withGate = (text: string): string =>
  text
    .replace("on_pass: commit", "on_pass: ask")
    .replace("  - name: commit", "  - name: ask\n    gate: Ship it?\n    on_pass: commit\n  - name: commit");
