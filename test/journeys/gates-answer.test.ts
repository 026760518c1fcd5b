// Answers at gates: what is recorded, what is refused, and what reaches whoever works next.
import { describe, expect, it } from "vitest";
import { blocked, phase } from "../harness/phase.js";
import { agents, mapped, Repository } from "../harness/repository.js";

const gated = (extra = "") =>
  Repository.make({
    "loop.yaml": `name: gated\n${mapped("dev")}${extra}steps:
  - {name: look, gate: "Ship it?", options: [ship, hold]}
  - {name: work, agent: dev}\n`,
    ...agents({ dev: "cat > prompt.txt" }),
  });

describe("a gate", { timeout: 120_000 }, () => {
  it("parks a run without a terminal, its question stored, and never takes what stands on a closed input", async () => {
    using repository = gated();
    const result = await repository.json(["run", "loop.yaml"], { stdin: "ship\nyes\n" });
    expect(result).toMatchObject({
      code: 3,
      status: "paused",
      gate: { question: "Ship it?", options: ["ship", "hold"] },
    });
    expect(repository.record(result)).toMatchObject({ status: "paused", reason: expect.stringContaining("Ship it?") });
    expect((await repository.pawl([])).out).toContain(`pawl answer ${result.run} [ship|hold]`);
    const open = await repository.json(["answer", result.run]);
    expect(open).toMatchObject({ code: 3, gate: { question: "Ship it?" } });
  });

  it("refuses an answer that is none of its options, names them, and stays open", async () => {
    using repository = gated();
    const { run, journal } = await repository.json(["run", "loop.yaml"]);
    const before = repository.events({ journal }).length;
    for (const bad of ["yes", "SHIP", "ship ", ""]) {
      const refused = await repository.pawl(["answer", run, bad]);
      expect([bad, refused.code]).toEqual([bad, 2]);
      expect(refused.err).toContain("ship, hold");
    }
    expect(repository.events({ journal })).toHaveLength(before);
  });

  it("records who answered, through what, when, and what they were shown; a comment reaches the next prompt", async () => {
    using repository = gated();
    const asked = await repository.json(["run", "loop.yaml"]);
    const result = await repository.json(["approve", asked.run, "ship", "--comment", "mind the error path"]);
    expect(result).toMatchObject({ code: 0 });
    const [event] = repository.events(result).filter(({ answer }) => answer);
    expect(event).toMatchObject({
      by: "Test Person",
      at: expect.stringMatching(/^\d{4}-/),
      verdict: { outcome: "ship" },
    });
    expect(event.answer).toEqual({
      who: "Test Person",
      channel: "cli",
      shown: asked.gate.shown,
      comment: "mind the error path",
    });
    expect(repository.read("prompt.txt")).toContain("mind the error path");
  });

  it("takes an answer once: the second, and one for a run that asks nothing, are refused with what to do", async () => {
    using repository = gated();
    const { run, journal } = await repository.json(["run", "loop.yaml"]);
    const [one, two] = await Promise.all([
      repository.pawl(["answer", run, "ship"]),
      repository.pawl(["answer", run, "hold"]),
    ]);
    expect([one.code, two.code].filter((code) => code === 0 || code === 1).length).toBeGreaterThanOrEqual(1);
    expect(repository.events({ journal }).filter(({ answer }) => answer)).toHaveLength(1);
    const late = await repository.json(["answer", run, "ship"]);
    expect(late).toMatchObject({
      code: 1,
      error: { code: "no-question", message: expect.stringContaining("asks nothing now") },
    });
    expect((await repository.json(["answer", "nobody-123", "ship"])).code).not.toBe(0);
  });

  it("follows every step of any body where human_gate is true", async () => {
    using repository = Repository.make({
      "steps.yaml": `name: steps\nhuman_gate: true\nsteps:\n  - {name: one, command: "true"}\n`,
      "nodes.yaml": `name: nodes\nhuman_gate: true\nnodes:\n  - {id: one, actor: code, command: "true", on: {pass: success}}\n`,
    });
    for (const file of ["steps.yaml", "nodes.yaml"]) {
      const asked = await repository.json(["run", file]);
      expect(asked).toMatchObject({
        code: 3,
        gate: { question: '"one" is done. Go on?', options: ["continue", "pause", "abandon"] },
      });
      const paused = await repository.json(["answer", asked.run, "pause"]);
      expect(paused).toMatchObject({ code: 3, status: "paused" });
      expect(await repository.json(["resume", asked.run])).toMatchObject({ code: 3, gate: asked.gate });
      expect(await repository.json(["answer", asked.run, "continue"])).toMatchObject({ code: 0 });
    }
  });

  it("stands between doer and reviewer too where human_gate is true", async () => {
    using repository = phase({ keys: "human_gate: true\n", reviews: [blocked("one")] });
    const asked = await repository.json(["run", "phase"]);
    expect(asked).toMatchObject({ code: 3, gate: { question: '"doer" is done. Go on?' } });
    expect(await repository.json(["answer", asked.run, "abandon"])).toMatchObject({ code: 1, outcome: "aborted" });
  });
});

describe("policies of steps and doer loops", { timeout: 120_000 }, () => {
  const validator = (pass: string) =>
    `#!/bin/sh\ncat > /dev/null; ${pass}\nprintf '{"pass": %s, "checks": [{"name": "tests", "pass": %s}]}' $ok $ok\n`;
  const uses = "validators:\n  - {tool: ask, checks: [{name: tests}]}\n";

  it("ask the validators after the last step, and park where they fail", async () => {
    using repository = Repository.make({
      "loop.yaml": `name: loop\n${uses}steps:\n  - {name: one, command: "true"}\n`,
      "validators/ask.sh": validator("ok=false; test -e fixed && ok=true"),
    });
    const failed = await repository.json(["run", "loop.yaml"]);
    expect(failed).toMatchObject({
      code: 3,
      outcome: "failure",
      reason: expect.stringContaining("required checks failed"),
    });
    repository.write({ fixed: "" });
    expect(await repository.json(["resume", failed.run])).toMatchObject({ code: 0, outcome: "success" });
  });

  it("ask the validators of a doer loop after the approval, and an approval against them does not converge", async () => {
    using repository = phase({
      keys: `failure_handling: retry\nmax_attempts: 9\nmax_iter: 2\n${uses}`,
      reviewer: "cat > /dev/null; echo '**Verdict:** APPROVED' > $PAWL_ARTIFACTS/REVIEW.md",
      files: { "validators/ask.sh": validator("ok=false; grep -q 2 work.txt && ok=true") },
    });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0, outcome: "success" });
    expect(repository.read("work.txt")).toBe("1\n2\n");
  });

  it("repeat a steps loop until its condition holds", async () => {
    using repository = Repository.make({
      "loop.yaml": 'name: loop\nrepeat_until: all_phases_complete\nsteps:\n  - {name: one, command: "sh tick.sh"}\n',
      "tick.sh": "sed -i '0,/\\[ \\]/s//[x]/' .pawl/tasks.md\n",
      ".pawl/tasks.md": "- [ ] one\n* [ ] two\n",
    });
    expect(await repository.json(["run", "loop.yaml"])).toMatchObject({ code: 0, steps: [{ visits: 2 }] });
  });
});
