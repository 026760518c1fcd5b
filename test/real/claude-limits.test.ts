// What a run does when Claude Code is missing, too slow, cut off, refused by its model, or writes what it may only read.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { marked } from "../../src/adapters/agents/mark.js";
import { reportPath, review } from "../clients/scenarios.mjs";
import { runCommand, writeFile } from "../clients/tool-calls.mjs";
import { openWorkbench, skippedBecause, type Workbench } from "../clients/workbench.js";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

if (skippedBecause !== undefined) console.log(`skipped: ${skippedBecause}`);

describe.skipIf(skippedBecause !== undefined)("a run with Claude Code", { timeout: 120_000 }, () => {
  let bench: Workbench;
  let repository: Repository;
  beforeEach(async () => {
    bench = await openWorkbench(() => []);
    bench.hostEnv.PATH = `${dirname(bench.program)}:${bench.hostEnv.PATH}`;
    repository = Repository.make({ "a.txt": "a\n" });
  });
  afterEach(async () => {
    repository[Symbol.dispose]();
    await bench.close();
  });

  const json = (...args: string[]) => repository.json(args, { env: bench.hostEnv });
  /** One agent step as the loop, and what follows it. */
  const loop = (step: string, agent: object = {}) => {
    const performer = JSON.stringify({ use: "claude-code", env: bench.clientEnv, ...agent });
    const text = `name: one\nagents:\n  worker: ${performer}\nmax_attempts: 2\nsteps:\n  - name: work\n    agent: worker\n${step}`;
    repository.write({ ".pawl/loops/one.yaml": text });
    repository.commit("loop");
  };
  const says = (...steps: (typeof bench.models.scenarios)[number]["steps"]) =>
    bench.models.scenarios.push({ name: "work", match: "(?:^|\\n)Step: work(?=\\s|$)", steps });
  const VERDICT = "    artifact: report.md\n    verdicts: {pass: PASS, fail: FAIL}\n";

  test("that is not installed ends with 4 before there is anything of it, and says what to type", async () => {
    loop("");
    const before = repository.git("status", "--porcelain", "--ignored");
    const env = { ...bench.hostEnv, PATH: process.env.PATH?.replace(/[^:]*claude[^:]*:?/g, "") };
    const end = await repository.pawl(["run", "one"], { env });
    expect(end.code).toBe(4);
    expect(end.err).toContain("npm install -g @anthropic-ai/claude-code");
    expect(end.err).not.toContain("starts");
    expect((await repository.json(["list"], { env })).runs).toEqual([]);
    expect(repository.git("status", "--porcelain", "--ignored")).toBe(before);
    expect(existsSync(join(repository.folder, ".pawl/jobs"))).toBe(false);
  });

  test("is told about by the doctor, with its version and where it works", async () => {
    const { findings } = await json("doctor");
    expect(findings).toContainEqual({ what: "claude-code", ok: true, text: "2.1.332, works outside the sandbox" });
  });

  test("does not run what the workspace plants for it", async () => {
    const ran = join(bench.root, "planted-code-ran");
    const hook = [{ hooks: [{ type: "command", command: `touch ${ran}` }] }];
    repository.write({
      ".claude/settings.json": JSON.stringify({ hooks: { SessionStart: hook, UserPromptSubmit: hook, Stop: hook } }),
      ".mcp.json": JSON.stringify({ mcpServers: { planted: { command: "sh", args: ["-c", `touch ${ran}`] } } }),
    });
    loop("");
    says({ text: "Done." });
    expect(await json("run", "one")).toMatchObject({ code: 0, outcome: "success" });
    expect(existsSync(ran)).toBe(false);
  });

  test("is ended with everything it started when its time is over", async () => {
    loop("    timeout: 5\n");
    says({ text: "Waiting.", calls: [runCommand("trap '' TERM; setsid sleep 600 & tail -f /dev/null")] });
    const end = await json("run", "one");
    expect(end).toMatchObject({ code: 1, outcome: "failure" });
    expect(end.steps[0].findings).toMatchObject([{ rule: "limit time" }]);
    expect(marked({ PAWL_RUN: end.run })).toEqual([]);
  });

  test("whose model answers with an error parks the run, spends no attempt, and goes on with resume", async () => {
    loop("    on_fail: {goto: work, retry: true}\n");
    let isBroken = true;
    says(() =>
      isBroken
        ? { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "scripted" } } }
        : { text: "Done." },
    );
    const parked = await json("run", "one");
    expect(parked).toMatchObject({ code: 4, status: "paused" });
    expect(parked.reason).toMatch(/scripted/);
    expect(parked.budgets.attempts.spent).toBe(1);
    isBroken = false;
    const end = await json("resume", parked.run);
    expect(end).toMatchObject({ code: 0, outcome: "success" });
    expect(end.budgets.attempts.spent).toBe(1); // the first, which is counted
  });

  test("that is cut off by its number of turns counts with the verdict it had written", async () => {
    verifies("verdict.truncated-run-counts");
    loop(`${VERDICT}    max_iterations: 2\n`);
    says(({ prompt }) => ({ text: "Writing.", calls: [writeFile(reportPath(prompt) ?? "", "VERDICT: PASS\n")] }), {
      text: "On and on.",
      calls: [runCommand("true")],
    });
    expect(await json("run", "one")).toMatchObject({ code: 0, outcome: "success" });
  });

  test("that is cut off without a verdict is unclear, is asked again within the bound, and never routed", async () => {
    verifies("verdict.unclear-never-routes");
    loop(`${VERDICT}    max_iterations: 2\n    on_pass: success\n    on_fail: success\n`);
    says({ text: "On and on.", calls: [runCommand("true")] });
    const end = await json("run", "one");
    expect(end.code).toBe(1);
    expect(end.steps[0]).toMatchObject({ visits: 2, verdict: "unclear" });
    expect(end.steps[0].findings[0].text).toMatch(/not written.*did not come to its end/);
  });

  test("that may only read cannot write the workspace, and its verdict counts", async () => {
    loop(VERDICT, { access: "read" });
    const sneak = join(repository.folder, "a.txt");
    const judge = review("work", ["VERDICT: PASS\n"]);
    bench.models.scenarios.push({
      ...judge,
      steps: [{ text: "Sneaking.", calls: [writeFile(sneak, "b\n")] }, ...judge.steps],
    });
    const end = await json("run", "one"); // its report belongs below .git, which the client guards by itself
    expect(repository.read("a.txt")).toBe("a\n");
    expect(end, JSON.stringify(end.steps)).toMatchObject({ code: 0 });
    expect(JSON.stringify(repository.events(end))).toContain("refused the tool");
  });

  test("that may only read has no say when the tree changed under its hands; the finding names the file", async () => {
    loop(VERDICT, { access: "read" });
    const judge = review("work", ["VERDICT: PASS\n"]);
    const change = () => {
      repository.write({ "a.txt": `${repository.read("a.txt")}b\n` });
      return { text: "Reading.", calls: [{ tool: "^Read$", input: { file_path: join(repository.folder, "a.txt") } }] };
    };
    bench.models.scenarios.push({ ...judge, steps: [change, ...judge.steps] });
    const end = await json("run", "one");
    expect(end.code).toBe(1);
    expect(end.steps[0]).toMatchObject({ verdict: "unclear" });
    expect(end.steps[0].findings[0].text).toMatch(/may only read.*a\.txt/);
  });
});
