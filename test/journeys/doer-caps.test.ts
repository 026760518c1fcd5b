// The caps of a doer and reviewer loop: rounds, oscillation, the gate nobody skips, and the kill switch.
import { describe, expect, it } from "vitest";
import { blocked, judged, loopMdOf, phase, workOf } from "../harness/phase.js";
import { verifies } from "../harness/verifies.js";

const OPTIONS = ["continue", "abort", "adjust"];
const SMALL = ["run", "phase", "--max-iter", "2", "--max-resets", "2"];
const iterations = (events: { type: string; performer?: string }[]) =>
  workOf(events).filter((who) => who === "doer").length;

describe("the limits", { timeout: 120_000 }, () => {
  it("are 5 iterations a round and 3 rounds, and --max-iter and --max-resets replace them", async () => {
    verifies("doer.args.caps");
    for (const [args, iter, resets] of [
      [["run", "phase"], 5, 3],
      [SMALL, 2, 2],
    ] as const) {
      using repository = phase({ reviews: [judged("APPROVED")] });
      const result = await repository.json([...args]);
      expect(result.budgets).toMatchObject({ iterations: { limit: iter }, resets: { limit: resets } });
      expect(loopMdOf(result).front).toMatchObject({ max_iter_per_round: `${iter}`, max_resets: `${resets}` });
    }
  });

  it("that are no whole numbers from 1 on are refused before anything exists", async () => {
    verifies("doer.args.caps");
    using repository = phase();
    for (const bad of ["abc", "2.5", "1e9999", "0", "-1"]) {
      const { code, err } = await repository.pawl(["run", "phase", `--max-iter=${bad}`]);
      expect([bad, code]).toEqual([bad, 2]);
      expect(err).toContain(bad);
    }
    expect((await repository.json(["list"])).runs).toEqual([]);
  });
});

describe("the cap", { timeout: 120_000 }, () => {
  it("asks a person with exactly three choices, and parks while nobody answers", async () => {
    verifies("cap.gate", "cap.never-skipped");
    using repository = phase();
    const result = await repository.json(SMALL);
    expect(result).toMatchObject({ code: 3, status: "paused", gate: { options: OPTIONS } });
    expect(result.gate.question).toContain("job main");
    expect(result.gate.question).toContain("max_iter: 2");
    for (const again of [["run", "phase"], ["resume", result.run], ["resume"], ["run", "phase", "--max-iter", "9"]]) {
      expect((await repository.json(again)).code).toBe(3);
    }
    expect(iterations(repository.events(result))).toBe(2);
  });

  it("lets the last allowed iteration succeed", async () => {
    using repository = phase({ reviews: [blocked("one"), judged("APPROVED")] });
    expect(await repository.json(SMALL)).toMatchObject({ code: 0, outcome: "success" });
  });

  it("starts a new round when a person continues, and kills the loop when the rounds are used up", async () => {
    verifies("reset.continue", "reset.kills-at-max", "cap.hard");
    using repository = phase();
    const { run } = await repository.json(SMALL);
    const continued = await repository.json(["answer", run, "continue"]);
    expect(continued.code).toBe(3);
    expect(loopMdOf(continued).front).toMatchObject({ iter: "2", total_resets: "1" });
    expect(loopMdOf(continued).history[2]).toBe("--- RESET 1 at T ---");
    const killed = await repository.json(["answer", run, "continue"]);
    expect(killed).toMatchObject({ code: 1, status: "failed", outcome: "killed" });
    expect(loopMdOf(killed).front).toMatchObject({ status: "killed", total_resets: "2" });
    expect(iterations(repository.events(killed))).toBe(4);
  });

  it("allows fifteen iterations by default, whatever is answered and however often it is started", async () => {
    verifies("cap.hard", "reset.kills-at-max");
    using repository = phase({ doer: "echo $PAWL_VISIT > work.txt" });
    let result = await repository.json(["run", "phase"]);
    const { run } = result;
    while (result.code === 3) {
      await repository.json(["run", "phase", "--max-iter", "99", "--max-resets", "99"]);
      result = await repository.json(["answer", run, "continue"]);
    }
    expect(result).toMatchObject({ code: 1, outcome: "killed" });
    expect(iterations(repository.events(result))).toBe(15);
  });
});

describe("oscillation", { timeout: 120_000 }, () => {
  it("asks at once when a review comes back anywhere in the round, and says which", async () => {
    verifies("oscillation.repeat-escalates", "cap.gate", "oscillation.finding-hash");
    const reworded =
      "## Blockers\n\n- ONE at 2026-01-02T03:04:05Z\n\n- one at 2026-07-08T09:10:11Z\n\n**Verdict:** BLOCKED\n";
    const first = "Other text.\n\n## Blockers\n\n- one at 2025-01-01T00:00:00Z\n\n**Verdict:** BLOCKED\n";
    for (const reviews of [
      [first, reworded],
      [first, blocked("two"), reworded],
    ]) {
      using repository = phase({ reviews });
      const result = await repository.json(["run", "phase"]);
      expect(result).toMatchObject({ code: 3, gate: { options: OPTIONS } });
      const { history } = loopMdOf(result);
      const hash = history.at(-1)?.split("hash=")[1] ?? "";
      expect(history[0]?.split("hash=")[1]).toBe(hash);
      expect(hash).toMatch(/^[0-9a-f]{12}$/);
      expect(result.gate.question).toContain(hash);
      expect(result.gate.question).toContain("job main");
      expect(result.gate.question).toContain(`iteration ${reviews.length} of 5`);
      expect(iterations(repository.events(result))).toBe(reviews.length);
    }
  });

  it("forgets what was said before a reset", async () => {
    verifies("oscillation.round-only");
    using repository = phase({ reviews: [blocked("one"), blocked("one"), blocked("one"), judged("APPROVED")] });
    const { run, gate } = await repository.json(["run", "phase"]);
    expect(gate.question).toContain("circles");
    const result = await repository.json(["answer", run, "continue"]);
    expect(result).toMatchObject({ code: 0, outcome: "success" });
    expect(iterations(repository.events(result))).toBe(4);
  });

  it("sees a review that blocks without a reason come back as well", async () => {
    using repository = phase({ reviews: [judged("BLOCKED"), judged("BLOCKED")] });
    const result = await repository.json(["run", "phase"]);
    expect(result.code).toBe(3);
    expect(result.steps[1].findings[0].text).toBe("blocked without a reason given");
  });
});
