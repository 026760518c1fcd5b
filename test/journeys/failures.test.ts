// What a run does about the world's trouble with its agent: tries again, waits, hands over. The agent is the built-in one.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeModels, type Step, startFakeModels } from "../clients/fake-models/server.mjs";
import { reportPath } from "../clients/scenarios.mjs";
import { writeFile } from "../clients/tool-calls.mjs";
import { Repository } from "../harness/repository.js";

describe("a run whose agent meets trouble", () => {
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

  const env = { env: { MODEL_KEY: "sk-secret-0123456789" } };
  const says = (...steps: (Step | ((heard: { prompt: string; conversation: unknown }) => Step))[]) =>
    models.scenarios.push({ name: "work", match: "(?:^|\\n)Step: work(?=\\s|$)|no verdict", steps });
  const loop = (agents: object, step = "") => {
    const llm = JSON.stringify({ model: "m", base_url: `${models.url}/v1`, api_key_env: "MODEL_KEY" });
    const text = `name: one\nllm: ${llm}\nagents: ${JSON.stringify(agents)}\nmax_attempts: 2\nsteps:\n  - name: work\n    agent: dev\n${step}`;
    repository.write({ ".pawl/loops/one.yaml": text });
    repository.commit("loop");
  };

  test("tries a busy model again after a pause; the journal shows both tries and no attempt is spent", async () => {
    let calls = 0;
    loop({ dev: "llm" });
    says(() => (++calls <= 3 ? { status: 529 } : { text: "Done." })); // the library's own three, then ours
    const end = await repository.json(["run", "one"], env);
    expect(end).toMatchObject({ code: 0, outcome: "success", budgets: { attempts: { spent: 1 } } });
    const events = repository
      .events(end)
      .filter(({ type, ticket }) => ticket?.startsWith("work@") && type !== "remark");
    expect(events.map(({ type }) => type)).toEqual(["begun", "fault", "begun", "verdict"]);
    expect(events[1].error).toMatchObject({ code: "agent-overloaded", class: "overloaded" });
    expect(Date.parse(events[2].at) - Date.parse(events[1].at)).toBeGreaterThanOrEqual(4_990);
    expect(new Set(events.map(({ ticket }) => ticket)).size).toBe(1);
  });

  test("parks at a limit until the time that was told, holds nothing meanwhile, and goes on when asked", async () => {
    const seconds = Math.floor(Date.now() / 1000) + 4 * 3600;
    let isUsedUp = true;
    loop({ dev: "llm" });
    const message = `usage limit reached|${seconds}`;
    says(() =>
      isUsedUp ? { status: 400, body: { error: { type: "rate_limit_error", message } } } : { text: "Done." },
    );
    const parked = await repository.json(["run", "one"], env);
    const until = new Date((seconds + 120) * 1000).toISOString();
    expect(parked).toMatchObject({ code: 4, status: "paused", next: `pawl resume ${parked.run}` });
    expect(parked.reason).toMatch(/at its limit/);
    expect(parked.reason).toContain(`until ${until}`);
    const asked = models.requests.length;
    const again = await repository.json(["resume", parked.run], env); // one try at once
    expect([again.code, models.requests.length]).toEqual([4, asked + 1]);
    isUsedUp = false;
    const end = await repository.json(["resume", parked.run], env);
    expect(end).toMatchObject({ code: 0, budgets: { attempts: { spent: 1 } } });
  });

  test("hands the same visit to the next agent, and the journal says who did it", async () => {
    loop({ dev: { use: "llm", fallback: "other" }, other: { use: "command", run: "echo other > b.txt" } });
    says({ status: 402, body: { error: { type: "billing_error", message: "credit balance is too low" } } });
    const end = await repository.json(["run", "one"], env);
    expect(end).toMatchObject({ code: 0, outcome: "success", steps: [{ visits: 1 }] });
    expect(repository.read("b.txt")).toBe("other\n");
    const begun = repository.events(end).filter(({ type, ticket }) => type === "begun" && ticket.startsWith("work@"));
    expect(begun.map(({ performer }) => performer)).toEqual(["dev", "other"]);
  });

  test("asks for an unclear verdict once more in the same session, before it costs an attempt", async () => {
    loop({ dev: "llm" }, "    artifact: report.md\n    verdicts: {pass: PASS, fail: FAIL}\n");
    let path = "";
    says(
      ({ prompt }) => {
        path = reportPath(prompt) ?? path;
        const text = prompt.includes("no verdict") ? "VERDICT: PASS\n" : "It looks good to me.\n";
        return { calls: [writeFile(path, text)] };
      },
      { text: "Reviewed." },
    );
    const end = await repository.json(["run", "one"], env);
    expect(end, JSON.stringify(end.steps)).toMatchObject({ code: 0, budgets: { attempts: { spent: 1 } } });
    expect(end.steps[0]).toMatchObject({ visits: 1, verdict: "pass" });
    const { spent } = repository.events(end).find((event) => event.spent);
    expect(spent.inputTokens).toBe(4000); // both turns
  });

  test("an unclear verdict that stays unclear costs one attempt, not two", async () => {
    loop({ dev: "llm" }, "    artifact: report.md\n    verdicts: {pass: PASS, fail: FAIL}\n");
    says({ text: "VERDICT: PASS <promise>DONE</promise>" }); // prose settles nothing
    const end = await repository.json(["run", "one"], env);
    expect(end).toMatchObject({ code: 1, outcome: "exhausted" });
    expect(end.steps[0]).toMatchObject({ visits: 2, verdict: "unclear" });
    expect(models.requests).toHaveLength(4);
  });
});
