// Claude Code itself, driven through our adapter, with a scripted model behind it. Skipped, with a word, where it is not installed.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claudeCode } from "../../src/adapters/agents/claude-code/index.js";
import { marked } from "../../src/adapters/agents/mark.js";
import type { Turn } from "../../src/ports/agent.js";
import { deedsIn, dev, review } from "./scenarios.mjs";
import { openWorkbench, skippedBecause, type Workbench } from "./workbench.js";

if (skippedBecause !== undefined) console.log(`skipped: ${skippedBecause}`);

describe.skipIf(skippedBecause !== undefined)("Claude Code", () => {
  let bench: Workbench;
  let run: string;
  beforeEach(async () => {
    bench = await openWorkbench(deedsIn);
    run = randomUUID();
  });
  afterEach(() => bench.close());

  const host = () => ({ env: bench.hostEnv, isRoot: process.getuid?.() === 0 });
  const lines: string[] = [];
  const turn = (more: Partial<Turn>): Turn => ({
    performer: { use: "claude-code", command: bench.program },
    prompt: "[[write]] please",
    access: "write",
    workspace: bench.workspace,
    artifacts: bench.artifacts,
    visitFolder: bench.visitFolder,
    env: { PAWL_RUN: run, PAWL_VISIT: "1", ...bench.clientEnv },
    session: randomUUID(),
    resume: false,
    timeoutMs: 30_000,
    sandbox: () => Promise.reject(new Error("this agent does not run inside the sandbox")),
    onLine: (line) => void lines.push(line),
    mask: (text) => text.replaceAll("fake-key-0000", "***"),
    ...more,
  });
  const perform = (more: Partial<Turn>, signal = new AbortController().signal) =>
    claudeCode(host()).perform(turn(more), signal);
  const there = (file: string) => existsSync(join(bench.workspace, file));

  test("says which version it is, and what to type when it is not there", async () => {
    const { signal } = new AbortController();
    const agent = claudeCode(host());
    const found = await agent.probe({ use: "claude-code", command: bench.program }, signal);
    expect(found).toEqual({ use: "claude-code", usable: true, version: "2.1.332" });
    const missing = await agent.probe({ use: "claude-code", command: "claude-that-is-not-here" }, signal);
    expect(missing).toMatchObject({ usable: false, mend: "npm install -g @anthropic-ai/claude-code" });
    const end = await perform({ performer: { use: "claude-code", command: "claude-that-is-not-here" } });
    expect(end).toMatchObject({ end: "fault", fault: { code: "agent-missing" } });
  });

  test("writes a file, keeps the session we chose, tells its cost, and leaves its stream in the visit", async () => {
    const session = randomUUID();
    const end = await perform({ session });
    expect(end).toMatchObject({ end: "finished", denials: [], session, output: "Done writing." });
    expect(end.spent).toMatchObject({ usd: expect.any(Number), inputTokens: 2000, outputTokens: 100 });
    expect(readFileSync(join(bench.workspace, "hello.txt"), "utf8")).toBe("hello\n");
    expect(readFileSync(join(bench.visitFolder, "stream.jsonl"), "utf8")).toContain('"type":"result"');
    expect(lines).toContain("I will write the file.");
  });

  test("takes a prompt of 200 KB with quotes and options in it, through standard input", async () => {
    const end = await perform({ prompt: `--help "\n$(touch pwned)\n${"x ".repeat(100_000)}\n[[recall]]` });
    expect(end).toMatchObject({ end: "finished", output: "I recall." });
    expect(there("pwned")).toBe(false);
  });

  test("cannot write the workspace with read access, and is offered no shell", async () => {
    const end = await perform({ access: "read" });
    expect(end).toMatchObject({ end: "finished", denials: [`Write(${join(bench.workspace, "hello.txt")})`] });
    expect(there("hello.txt")).toBe(false);
    expect(bench.models.requests[0]?.tools).not.toContain("Bash");
  });

  test("hands in its verdict with read access, in the folder of the visit", async () => {
    bench.models.scenarios.push(review("review", ["VERDICT: PASS\n"]));
    const path = join(bench.artifacts, "review.md");
    const end = await perform({ access: "read", prompt: `Step: review\nWrite your report to: ${path}\n` });
    expect(end).toMatchObject({ end: "finished", denials: [] });
    expect(readFileSync(path, "utf8")).toBe("VERDICT: PASS\n");
  });

  test("a path that climbs out of the folder of the visit is refused", async () => {
    bench.models.scenarios.push(review("review", ["VERDICT: PASS\n"]));
    const path = `${bench.artifacts}/../work/sneak.md`;
    const end = await perform({ access: "read", prompt: `Step: review\nWrite your report to: ${path}\n` });
    expect(end).toMatchObject({ end: "finished", denials: [expect.stringContaining("Write(")] });
    expect(there("sneak.md")).toBe(false);
  });

  test("plays another part at each visit of a step", async () => {
    const edits = [{ "a.txt": "first\n" }, { "a.txt": "second\n", "b.txt": "new\n" }];
    bench.models.scenarios.push(dev("dev", edits, { workspace: bench.workspace }));
    await perform({ prompt: "Step: dev\nvisit 1" });
    expect(readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("first\n");
    await perform({ prompt: "Step: dev\nvisit 2" });
    expect(readFileSync(join(bench.workspace, "b.txt"), "utf8")).toBe("new\n");
  });

  test("goes on with a session, and remembers what was said in it", async () => {
    const session = randomUUID();
    await perform({ session });
    const end = await perform({ session, resume: true, prompt: "[[recall]]" });
    expect(end).toMatchObject({ end: "finished", session, output: "I recall." });
    expect(bench.models.requests.at(-1)?.markers).toEqual(["[[write]]", "[[recall]]"]);
  });

  test("says so when the session that was to go on is not there", async () => {
    expect(await perform({ resume: true })).toMatchObject({ end: "no-session" });
    expect(await perform({ resume: true, session: "--help" })).toMatchObject({ end: "no-session" });
    expect(bench.models.requests).toEqual([]);
  });

  test("a model that answers with an error is the world's trouble", async () => {
    const end = await perform({ prompt: "[[error]]" });
    expect(end).toMatchObject({ end: "fault", fault: { code: "agent-model-error" } });
  });

  test("a missing sign-in ends after two refusals, not after three minutes", async () => {
    const env = { PAWL_RUN: run, ...bench.clientEnv, CLAUDE_CODE_MAX_RETRIES: "10" };
    const end = await perform({ prompt: "[[signed-out]]", env });
    expect(end).toMatchObject({ end: "fault", fault: { code: "agent-auth" } });
    expect(end.spent.ms).toBeLessThan(10_000);
  });

  test("stops at its number of turns", async () => {
    expect(await perform({ prompt: "[[two]]", turnsMax: 1 })).toMatchObject({ end: "limit", limit: "turns" });
  });

  test("is over when its time is, in the middle of a model call", async () => {
    const end = await perform({ prompt: "[[hang]]", timeoutMs: 2_000 });
    expect(end).toMatchObject({ end: "limit", limit: "time" });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("leaves nothing alive when it is cancelled while a command runs that ignores TERM", async () => {
    const control = new AbortController();
    const going = perform({ prompt: "[[wait]]" }, control.signal);
    await until(() => marked({ PAWL_RUN: run }).length >= 4);
    control.abort();
    expect(await going).toMatchObject({ end: "cancelled" });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("a server it started in a session of its own is gone after a good end", async () => {
    expect(await perform({ prompt: "[[serve]]" })).toMatchObject({ end: "finished" });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("its commands see nothing of our environment but what it needs", async () => {
    bench.hostEnv.npm_lifecycle_event = "test";
    bench.hostEnv.CLAUDECODE = "outer";
    bench.hostEnv.SECRET_OF_HOST = "x";
    await perform({ prompt: "[[bash]]" });
    const seen = readFileSync(join(bench.workspace, "env.txt"), "utf8");
    expect(seen).not.toMatch(/^npm_lifecycle_event|^CLAUDECODE=outer|^SECRET_OF_HOST/m);
    expect(seen).toMatch(/^GIT_PAGER=cat$/m);
    expect(seen).toMatch(new RegExp(`^PAWL_RUN=${run}$`, "m"));
  });

  test("hooks and MCP servers planted in the workspace do not run", async () => {
    const ran = join(bench.root, "planted-code-ran");
    const hook = [{ hooks: [{ type: "command", command: `touch ${ran}` }] }];
    plant(".claude/settings.json", { hooks: { SessionStart: hook, UserPromptSubmit: hook, Stop: hook } });
    plant(".mcp.json", { mcpServers: { planted: { command: "sh", args: ["-c", `touch ${ran}`] } } });
    expect(await perform({})).toMatchObject({ end: "finished" });
    expect(existsSync(ran)).toBe(false);
    const letIn = { use: "claude-code", command: bench.program, args: ["--setting-sources", "user,project"] };
    await perform({ performer: letIn });
    expect(existsSync(ran)).toBe(true); // they would have: the first half proves something
  });

  function plant(file: string, content: unknown): void {
    const path = join(bench.workspace, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  }
});

async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; look < 400 && !holds(); look++) await new Promise((done) => setTimeout(done, 25));
  expect(holds()).toBe(true);
}
