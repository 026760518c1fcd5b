// OpenCode, Gemini CLI and Copilot themselves, driven over the Agent Client Protocol by one adapter, with a scripted model behind them.
// Each is skipped, with a word, where it is not installed.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acp } from "../../src/adapters/agents/acp/index.js";
import { marked } from "../../src/adapters/agents/mark.js";
import type { Turn } from "../../src/ports/agent.js";
import { deedsIn, review } from "./scenarios.mjs";
import { runCommand, writeFile } from "./tool-calls.mjs";
import { clientProgram, openWorkbench, type Workbench } from "./workbench.js";

const KEY = "fake-key-0000";
const MODEL = "fake-model";

/** What tells each client of the scripted model. */
const CLIENTS: Record<string, { program: string | undefined; env(bench: Workbench): Record<string, string> }> = {
  opencode: {
    program: clientProgram("opencode-linux-x64/bin/opencode"),
    env: ({ models }) => {
      const options = { baseURL: `${models.url}/v1`, apiKey: KEY };
      const known = { [MODEL]: { name: MODEL, tool_call: true, limit: { context: 200_000, output: 8_000 } } };
      const config = {
        ...{ share: "disabled", snapshot: false, model: `scripted/${MODEL}`, small_model: `scripted/${MODEL}` },
        enabled_providers: ["scripted"],
        provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models: known } },
        permission: { edit: "ask", bash: "ask", webfetch: "deny" },
      };
      const quiet = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
      return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", ...quiet };
    },
  },
  gemini: {
    program: clientProgram(".bin/gemini"),
    env: ({ models, home }) => {
      const settings = { security: { auth: { selectedType: "gemini-api-key" } }, general: { enableAutoUpdate: false } };
      mkdirSync(join(home, ".gemini"));
      writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
      return { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: models.url };
    },
  },
  copilot: {
    program: clientProgram(".bin/copilot"),
    env: ({ models, home }) => ({
      ...{ COPILOT_HOME: join(home, ".copilot"), COPILOT_OFFLINE: "true", COPILOT_PROVIDER_TYPE: "anthropic" },
      ...{ COPILOT_PROVIDER_BASE_URL: models.url, COPILOT_PROVIDER_API_KEY: KEY },
      COPILOT_MODEL: "claude-sonnet-4-20250514",
    }),
  },
};

for (const [use, { program }] of Object.entries(CLIENTS))
  if (program === undefined) console.log(`skipped: ${use} is not installed: node test/clients/install.mjs`);

describe.each(Object.keys(CLIENTS).filter((use) => CLIENTS[use]?.program !== undefined))("%s over ACP", (use) => {
  let bench: Workbench;
  let run: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    bench = await openWorkbench(deedsIn);
    run = randomUUID();
    env = CLIENTS[use]?.env(bench) ?? {};
  });
  afterEach(() => bench.close());

  const model = use === "gemini" ? { model: "gemini-2.5-flash" } : {};
  const turn = (more: Partial<Turn>): Turn => ({
    performer: { use, command: CLIENTS[use]?.program ?? "", ...model },
    prompt: "[[write]] please",
    access: "write",
    workspace: bench.workspace,
    artifacts: bench.artifacts,
    visitFolder: bench.visitFolder,
    env: { PAWL_RUN: run, PAWL_VISIT: "1", NO_PROXY: "127.0.0.1,localhost", ...env },
    session: "",
    resume: false,
    timeoutMs: 60_000,
    sandbox: () => Promise.reject(new Error("this agent does not run inside the sandbox")),
    onLine: () => {},
    mask: (text) => text.replaceAll(KEY, "***"),
    ...more,
  });
  const agent = () => acp({ env: bench.hostEnv, isRoot: true }).find((each) => each.use === use);
  const perform = async (more: Partial<Turn>, signal = new AbortController().signal) => {
    const end = await agent()?.perform(turn(more), signal);
    if (!end) throw new Error(`unreachable: "${use}" is registered`);
    return end;
  };

  test("says which version it is; writes a file; names its session before its model is asked; leaves nothing alive", async () => {
    const report = await agent()?.probe(turn({}).performer, new AbortController().signal);
    expect(report).toMatchObject({ use, usable: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const named: [string, number][] = [];
    const asked = () => bench.models.requests.filter(({ scenario }) => scenario).length;
    const end = await perform({ onSession: (session) => void named.push([session, asked()]) });
    expect(end).toMatchObject({ end: "finished", denials: [], output: "Done writing." });
    expect(named).toEqual([[end.session, 0]]);
    expect(end.spent.inputTokens).toBeGreaterThan(0);
    expect(readFileSync(join(bench.workspace, "hello.txt"), "utf8")).toBe("hello\n");
    expect(readFileSync(join(bench.visitFolder, "stream.jsonl"), "utf8")).not.toContain(KEY);
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("with read access its change of the workspace is refused and told, and its report is written", async () => {
    const path = join(bench.artifacts, "review.md");
    bench.models.scenarios.push({
      name: "review",
      match: "(?:^|\\n)Step: review",
      steps: [
        { text: "Sneaking.", calls: [writeFile(join(bench.workspace, "sneak.txt"), "x")] },
        ...review("review", ["VERDICT: PASS\n"]).steps,
      ],
    });
    const end = await perform({ access: "read", prompt: `Step: review\nWrite your report to: ${path}\n` });
    expect(existsSync(join(bench.workspace, "sneak.txt"))).toBe(false);
    // OpenCode and Gemini end their turn at a refusal; what matters is that nothing was written
    if (end.end === "finished" && use !== "copilot") expect(end.denials).not.toEqual([]);
    if (existsSync(path)) expect(readFileSync(path, "utf8")).toBe("VERDICT: PASS\n");
  });

  test("a model that answers with an error is the world's trouble", async () => {
    expect(await perform({ prompt: "[[error]]" })).toMatchObject({ end: "fault", fault: { class: "configuration" } });
  });

  test("is ended at its number of calls, when its time is over, and when it is cancelled, with all it started", async () => {
    bench.models.scenarios.push({ name: "on", match: "\\[\\[on\\]\\]", steps: [{ calls: [runCommand("true")] }] });
    const capped = await perform({ prompt: "[[on]]", turnsMax: 2 });
    expect(capped).toMatchObject({ end: "limit", limit: "turns" });
    expect(await perform({ prompt: "[[hang]]", timeoutMs: 6_000 })).toMatchObject({ end: "limit", limit: "time" });
    const control = new AbortController();
    const going = perform({ prompt: "[[hang]]" }, control.signal);
    setTimeout(() => control.abort(), 4_000);
    expect(await going).toMatchObject({ end: "cancelled" });
    expect(marked({ PAWL_RUN: run })).toEqual([]);
  });

  test("goes on with a session it can load, and says so where it cannot", async () => {
    const { session = "" } = await perform({});
    const end = await perform({ session, resume: true, prompt: "[[recall]]" });
    if (end.end === "no-session") return; // Gemini keeps none, and Pawl then begins a fresh one
    expect(end).toMatchObject({ end: "finished", session, output: "I recall." });
    expect(bench.models.requests.at(-1)?.markers).toContain("[[write]]");
    expect(await perform({ session: randomUUID(), resume: true })).toMatchObject({ end: "no-session" });
  });
});
