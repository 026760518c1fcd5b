// Codex itself, driven through our adapter, with a scripted model behind it. Skipped, with a word, where it is not installed.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codex } from "../../src/adapters/agents/codex/index.js";
import { marked } from "../../src/adapters/agents/mark.js";
import type { Turn } from "../../src/ports/agent.js";
import { deedsIn, review } from "./scenarios.mjs";
import { runCommand, writeFile } from "./tool-calls.mjs";
import { codexArgs, codexProgram, openWorkbench, type Workbench } from "./workbench.js";

if (codexProgram === undefined) console.log("skipped: Codex is not installed: node test/clients/install.mjs");

describe.skipIf(codexProgram === undefined)("Codex", () => {
  let bench: Workbench;
  let run: string;
  beforeEach(async () => {
    bench = await openWorkbench(deedsIn);
    bench.hostEnv.CODEX_HOME = join(bench.home, ".codex");
    mkdirSync(bench.hostEnv.CODEX_HOME);
    run = randomUUID();
  });
  afterEach(() => bench.close());

  const host = () => ({ env: bench.hostEnv, isRoot: process.getuid?.() === 0 });
  const performer = (more: object = {}) => ({
    use: "codex",
    command: codexProgram ?? "",
    model: "fake-model",
    args: codexArgs(bench.models.url),
    ...more,
  });
  const lines: string[] = [];
  const turn = (more: Partial<Turn>): Turn => ({
    performer: performer(),
    prompt: "[[write]] please",
    access: "write",
    workspace: bench.workspace,
    artifacts: bench.artifacts,
    visitFolder: bench.visitFolder,
    env: { PAWL_RUN: run, PAWL_VISIT: "1", MODEL_KEY: "fake-key-0000", NO_PROXY: "127.0.0.1,localhost" },
    session: "",
    resume: false,
    timeoutMs: 30_000,
    sandbox: () => Promise.reject(new Error("this agent does not run inside the sandbox")),
    onLine: (line) => void lines.push(line),
    mask: (text) => text.replaceAll("fake-key-0000", "***"),
    ...more,
  });
  const perform = (more: Partial<Turn>, signal = new AbortController().signal) =>
    codex(host()).perform(turn(more), signal);
  const there = (file: string) => existsSync(join(bench.workspace, file));

  test("says which version it is, and what to type when it is not there", async () => {
    const { signal } = new AbortController();
    expect(await codex(host()).probe(performer(), signal)).toEqual({ use: "codex", usable: true, version: "0.171.0" });
    const missing = { use: "codex", command: "codex-that-is-not-here" };
    const report = await codex(host()).probe(missing, signal);
    expect(report).toMatchObject({ usable: false, mend: "npm install -g @openai/codex" });
    expect(await perform({ performer: missing })).toMatchObject({ end: "fault", fault: { code: "agent-missing" } });
  });

  test("writes a file, names its session at once, tells its tokens, and leaves its stream in the visit", async () => {
    const named: string[] = [];
    const end = await perform({ onSession: (session) => void named.push(session) });
    expect(end).toMatchObject({ end: "finished", denials: [], output: "Done writing." });
    expect(named).toEqual([end.session]);
    expect(end.spent).toMatchObject({ inputTokens: 2000, outputTokens: 100, model: "fake-model" });
    expect(end.spent.usd).toBeUndefined(); // it tells no price, and unknown is not zero
    expect(readFileSync(join(bench.workspace, "hello.txt"), "utf8")).toBe("hello\n");
    expect(readFileSync(join(bench.visitFolder, "stream.jsonl"), "utf8")).toContain('"turn.completed"');
    expect(lines).toContain("I will write the file.");
  });

  test("takes a prompt of 200 KB with quotes and options in it, through standard input", async () => {
    const end = await perform({ prompt: `--help "\n$(touch pwned)\n${"x ".repeat(100_000)}\n[[recall]]` });
    expect(end).toMatchObject({ end: "finished", output: "I recall." });
    expect(there("pwned")).toBe(false);
  });

  test("goes on with a session, remembers what was said in it, and counts only what the new turn cost", async () => {
    const { session = "", total } = await perform({});
    const again = { session, resume: true, prompt: "[[recall]]" };
    const end = await perform({ ...again, ...(total ? { before: total } : {}) });
    expect(end).toMatchObject({ end: "finished", session, output: "I recall." });
    expect(end.spent).toMatchObject({ inputTokens: 1000, outputTokens: 50 });
    expect(bench.models.requests.at(-1)?.markers).toEqual(["[[write]]", "[[recall]]"]);
    expect((await perform(again)).spent.inputTokens).toBeUndefined(); // what it had come to before is not known
  });

  test("says so when the session that was to go on is not there", async () => {
    expect(await perform({ resume: true, session: randomUUID() })).toMatchObject({ end: "no-session" });
    expect(await perform({ resume: true, session: "--help" })).toMatchObject({ end: "no-session" });
    expect(bench.models.requests.filter(({ api }) => api)).toEqual([]);
  });

  test("with read access it cannot write the workspace, but its report", async () => {
    const path = join(bench.artifacts, "review.md");
    bench.models.scenarios.push({
      name: "review",
      match: "(?:^|\\n)Step: review",
      steps: [
        { text: "Sneaking.", calls: [writeFile(join(bench.workspace, "sneak.txt"), "x")] },
        ...review("review", ["VERDICT: PASS\n"]).steps,
      ],
    });
    const prompt = `Step: review\nWrite your report to: ${path}\n`;
    expect(await perform({ access: "read", prompt })).toMatchObject({ end: "finished" });
    expect(there("sneak.txt")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("VERDICT: PASS\n");
  });

  test("a model that answers with an error, or without a sign-in, is the world's trouble, each in its class", async () => {
    const error = await perform({ prompt: "[[error]]" });
    expect(error).toMatchObject({ end: "fault", fault: { code: "agent-model-error", class: "configuration" } });
    expect(error.end === "fault" && error.fault.message).toMatch(/scripted bad request$/);
    expect(await perform({ prompt: "[[signed-out]]" })).toMatchObject({ end: "fault", fault: { class: "auth" } });
    bench.models.scenarios.push({ name: "busy", match: "\\[\\[busy\\]\\]", steps: [{ status: 529 }] });
    expect(await perform({ prompt: "[[busy]]" })).toMatchObject({ end: "fault", fault: { class: "overloaded" } });
  });

  test("is ended at its number of commands and calls, for it tells of no turns", async () => {
    bench.models.scenarios.push({ name: "on", match: "\\[\\[on\\]\\]", steps: [{ calls: [runCommand("true")] }] });
    const end = await perform({ prompt: "[[on]]", turnsMax: 3 });
    expect(end).toMatchObject({ end: "limit", limit: "turns", why: expect.stringContaining("after 3 commands") });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("is over when its time is, in the middle of a model call; and when it says nothing for too long", async () => {
    expect(await perform({ prompt: "[[hang]]", timeoutMs: 3_000 })).toMatchObject({ end: "limit", limit: "time" });
    const hung = await codex(host(), { idleMs: 2_000 }).perform(
      turn({ prompt: "[[hang]]" }),
      new AbortController().signal,
    );
    expect(hung).toMatchObject({ end: "fault", fault: { code: "agent-idle", class: "idle" } });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("leaves nothing alive when it is cancelled while a command runs that ignores TERM", async () => {
    const control = new AbortController();
    const going = perform({ prompt: "[[wait]]" }, control.signal);
    let steady = 0; // looks in a row: what the client starts on the way is there for a moment only
    for (let look = 0; look < 800 && steady < 10; look++) {
      await new Promise((done) => setTimeout(done, 25));
      steady = marked({ PAWL_RUN: run }).length >= 4 ? steady + 1 : 0;
    }
    expect(steady).toBe(10);
    control.abort();
    expect(await going).toMatchObject({ end: "cancelled" });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("servers and hooks planted in the workspace do not run, though the user trusts the folder", async () => {
    const ran = join(bench.root, "planted-code-ran");
    const plant = (file: string, text: string) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    const server = `[mcp_servers.planted]\ncommand = "sh"\nargs = ["-c", "touch ${ran}"]\n`;
    plant(join(bench.workspace, ".codex/config.toml"), server);
    plant(join(bench.home, ".codex/config.toml"), `[projects."${bench.workspace}"]\ntrust_level = "trusted"\n`);
    expect(await perform({})).toMatchObject({ end: "finished" });
    expect(existsSync(ran)).toBe(false);
    const trusting = ["-c", `projects={"${bench.workspace}"={trust_level="trusted"}}`];
    await perform({ performer: performer({ args: [...codexArgs(bench.models.url), ...trusting] }) });
    expect(existsSync(ran)).toBe(true); // it would have: the first half proves something
  });
});
