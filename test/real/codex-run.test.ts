// A whole run with Codex: a doer and a reviewer, its session and tokens in the journal, and said where it works.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { marked } from "../../src/adapters/agents/mark.js";
import { dev, review } from "../clients/scenarios.mjs";
import { codexArgs, codexProgram, openWorkbench, type Workbench } from "../clients/workbench.js";
import { Repository } from "../harness/repository.js";

if (codexProgram === undefined) console.log("skipped: Codex is not installed: node test/clients/install.mjs");

describe.skipIf(codexProgram === undefined)("a run with Codex", { timeout: 120_000 }, () => {
  let bench: Workbench;
  let repository: Repository;
  beforeEach(async () => {
    bench = await openWorkbench(() => []);
    bench.hostEnv.PATH = `${dirname(codexProgram ?? "")}:${bench.hostEnv.PATH}`;
    bench.hostEnv.CODEX_HOME = join(bench.home, ".codex");
    mkdirSync(bench.hostEnv.CODEX_HOME);
    repository = Repository.make({ "a.txt": "a\n" });
  });
  afterEach(async () => {
    repository[Symbol.dispose]();
    await bench.close();
  });

  test("mends and reviews to success, and everything that was promised of it stands in the journal", async () => {
    const env = { MODEL_KEY: "fake-key-0000", NO_PROXY: "127.0.0.1,localhost" };
    const agent = { use: "codex", model: "fake-model", args: codexArgs(bench.models.url), env };
    const agents = JSON.stringify({ doer: agent, judge: { ...agent, access: "read" } });
    const steps = `steps:
  - {name: dev, agent: doer}
  - {name: review, agent: judge, artifact: review.md, verdicts: {pass: APPROVED, fail: NEEDS CHANGES}, on_fail: {goto: dev, retry: true}}
`;
    repository.write({ ".pawl/loops/one.yaml": `name: one\nagents: ${agents}\n${steps}` });
    repository.commit("loop");
    bench.models.scenarios.push(
      dev("dev", [{ "a.txt": "b\n" }, { "a.txt": "c\n" }], { workspace: repository.folder }),
      review("review", ["VERDICT: NEEDS CHANGES\n", "VERDICT: APPROVED\n"]),
    );
    const run = await repository.json(["run", "one"], { env: bench.hostEnv });
    expect(run, JSON.stringify(run)).toMatchObject({ code: 0, outcome: "success", unconfined: ["doer", "judge"] });
    expect(repository.read("a.txt")).toBe("c\n");
    const verdicts = repository.events(run).filter(({ spent }) => spent?.inputTokens !== undefined);
    expect(verdicts.map(({ spent }) => spent.inputTokens)).toEqual([2000, 2000, 2000, 2000]);
    expect(new Set(verdicts.map(({ session }) => session)).size).toBe(4); // each visit a session of its own
    expect(marked({ PAWL_RUN: run.run })).toEqual([]);
  });
});
