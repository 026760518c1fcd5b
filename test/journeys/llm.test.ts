// The built-in agent: a model's address and a key, its loop in Pawl, its tools inside the sandbox. The model is scripted.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FakeModels, type Step, startFakeModels } from "../clients/fake-models/server.mjs";
import { reportPath } from "../clients/scenarios.mjs";
import { runCommand, writeFile } from "../clients/tool-calls.mjs";
import { ended, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const WAITS = { timeout: 20_000, interval: 100 };
const KEY = "sk-secret-0123456789";

describe.each(["openai", "anthropic"] as const)("the built-in agent, over the %s format", (api) => {
  let models: FakeModels;
  let repository: Repository;
  beforeEach(async () => {
    models = await startFakeModels();
    repository = Repository.make({ "a.txt": "a\n" });
  });
  afterEach(async () => {
    repository[Symbol.dispose]();
    await models.close();
  });

  const env = (more: object = {}) => ({ env: { MODEL_KEY: KEY, ...more } });
  const says = (...steps: (Step | ((heard: { prompt: string; conversation: unknown }) => Step))[]) =>
    models.scenarios.push({ name: "work", match: "(?:^|\\n)Step: work(?=\\s|$)", steps });
  const loop = (step = "", llm: object = {}) => {
    const settings = { model: "some-model", base_url: `${models.url}/v1`, api_key_env: "MODEL_KEY", api, ...llm };
    const text = `name: one\nllm: ${JSON.stringify(settings)}\nmax_attempts: 2\nsteps:\n  - name: work\n    agent: dev\n${step}`;
    repository.write({ ".pawl/loops/one.yaml": text });
    repository.commit("loop");
  };
  const at = (file: string) => join(repository.folder, file);
  const runs = () => join(repository.folder, ".git/pawl/runs");
  const journals = () =>
    existsSync(runs())
      ? readdirSync(runs())
          .map((run) => readFileSync(join(runs(), run, "journal.jsonl"), "utf8"))
          .join("")
      : "";
  const told = () => JSON.stringify(models.requests.at(-1));

  test("asks that model at that address with the key of the named variable, and works in the sandbox", async () => {
    verifies("llm.settings");
    loop("    produces: note.md\n", { timeout: null });
    says(
      ({ prompt }) => {
        const [, note = ""] = /^- (\S*note\.md)/m.exec(prompt) ?? /(\S+\/note\.md)/.exec(prompt) ?? [];
        return { text: "Writing.", calls: [writeFile(at("b.txt"), "b\n"), writeFile(note, "noted\n")] };
      },
      { text: "Looking.", calls: [runCommand("env > env.txt; (echo > /dev/tcp/127.0.0.1/1) 2>&1; cat b.txt")] },
      { text: "Done." },
    );
    const end = await repository.json(["run", "one"], env());
    expect(end, JSON.stringify(end)).toMatchObject({ code: 0, outcome: "success", unconfined: [] });
    expect(models.requests.map(({ model, auth }) => [model, auth?.replace("Bearer ", "")])).toEqual(
      models.requests.map(() => ["some-model", KEY.slice(0, auth(api).length)]),
    );
    expect(repository.read("b.txt")).toBe("b\n");
    expect(repository.read("env.txt")).not.toContain(KEY); // the tools never see it
    const { spent, verdict } = repository.events(end).find((event) => event.spent);
    expect(spent).toMatchObject({ inputTokens: 3000, outputTokens: 150, model: "some-model" });
    expect(verdict.output).toBe("Done.");
  });

  test("has no time limit of its own, and one of a call where `timeout` is a number", async () => {
    verifies("llm.settings");
    loop("", { timeout: 1 });
    says({ text: "late", hangMs: 3_000 });
    const child = repository.start(["run", "one", "--json"], env());
    const over = ended(child);
    await vi.waitFor(() => expect(journals()).toContain('"class":"overloaded"'), WAITS); // it would be tried again in 5 s
    child.kill("SIGTERM");
    expect((await over).json()).toMatchObject({ exit: 130, status: "paused" });
    expect(journals()).toContain("is busy or not reached: The operation was aborted due to timeout");
    loop("", {});
    await repository.json(["abandon", (await repository.json(["status"])).run], env());
    expect(await repository.json(["run", "one"], env())).toMatchObject({ code: 0 });
  });

  test("is stopped after its number of turns, and the step is judged by what it wrote", async () => {
    verifies("agent.max-iterations");
    loop("    max_iterations: 3\n    artifact: report.md\n    verdicts: {pass: PASS, fail: FAIL}\n");
    says(({ prompt }) => ({ calls: [writeFile(reportPath(prompt) ?? "", "VERDICT: PASS\n")] }), {
      text: "On and on.",
      calls: [runCommand("true")],
    });
    expect(await repository.json(["run", "one"], env())).toMatchObject({ code: 0, outcome: "success" });
    expect(models.requests).toHaveLength(3);
  });

  test.each([
    ["unset", {}, 'the variable "OPENAI_API_KEY" that "api_key_env" names is not set'],
    ["empty", { OPENAI_API_KEY: "" }, 'the variable "OPENAI_API_KEY" that "api_key_env" names is empty'],
  ])("whose key is %s stops before any step, names it, and takes no other variable", async (_, given, why) => {
    verifies("policy.fail-fast-config");
    loop("", { api_key_env: "OPENAI_API_KEY" });
    const end = await repository.pawl(["run", "one"], env({ ...given, ANTHROPIC_API_KEY: KEY, LLM_API_KEY: KEY }));
    expect(end.code).toBe(4);
    expect(end.err).toContain(why);
    expect(end.err).toContain("export OPENAI_API_KEY=");
    expect((await repository.json(["list"])).runs).toEqual([]);
    expect(models.requests).toEqual([]);
  });

  test.each(["base_url", "api_key_env", "model"])(
    "without %s is refused at its place, and nothing runs",
    async (key) => {
      verifies("policy.fail-fast-config");
      loop("", { [key]: undefined });
      const end = await repository.pawl(["run", "one"], env({ OPENAI_BASE_URL: models.url, OPENAI_API_KEY: KEY }));
      expect(end.code).toBe(2);
      expect(end.err).toMatch(new RegExp(`one\\.yaml:2:\\d+ .*"${key}"`));
      expect(models.requests).toEqual([]);
    },
  );

  test("cannot write outside, nor into .git; what it reads there is nothing, and it is told", async () => {
    loop();
    says(
      { calls: [writeFile(join(repository.root, "out.txt"), "x"), writeFile(at(".git/hooks/pre-commit"), "x")] },
      { text: "Done." },
    );
    expect(await repository.json(["run", "one"], env())).toMatchObject({ code: 0 });
    expect(repository.has("../out.txt")).toBe(false);
    expect(repository.has(".git/hooks/pre-commit")).toBe(false);
    expect(told()).toMatch(/exit code/);
  });

  test("whose key is refused parks the run, says how to mend it, and tells nobody the key", async () => {
    loop();
    says({ status: 401, body: { type: "error", error: { type: "authentication_error", message: `bad key ${KEY}` } } });
    const end = await repository.json(["run", "one"], env());
    expect(end).toMatchObject({ code: 4, status: "paused" });
    expect(end.reason).toMatch(/not signed in/);
    expect(JSON.stringify([end, repository.events(end)])).not.toContain(KEY);
    expect(end.budgets.attempts.spent).toBe(1);
  });
});

const auth = (api: string): string => (api === "openai" ? KEY.slice(0, 23) : KEY);
