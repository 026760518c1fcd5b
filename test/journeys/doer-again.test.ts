// A doer loop that is started again: what it costs, what it may not, and what a reset takes.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocked, judged, loopMdOf, phase, workOf } from "../harness/phase.js";
import { until } from "../harness/until.js";
import { verifies } from "../harness/verifies.js";

const SMALL = ["run", "phase", "--max-iter", "2", "--max-resets", "2"];
/** Hangs in its second visit until it is killed; a second start of that visit goes through. */
const HANGS_ONCE =
  "cat > /dev/null; echo $PAWL_VISIT >> work.txt; if [ $PAWL_VISIT = 2 ] && [ ! -e hung ]; then touch hung; sleep 60; fi";

describe("a doer loop that is started again", { timeout: 120_000 }, () => {
  it("goes on in the same iteration after a crash, for nothing, with its caps as they were", async () => {
    verifies("doer.resume.running-is-free", "reset.never-lowered");
    using repository = phase({ doer: HANGS_ONCE, reviews: [blocked("one"), blocked("one")] });
    const child = repository.start(["run", "phase"]);
    const gone = new Promise((done) => child.on("close", done));
    await until(() => repository.has("hung"), "the doer works on iteration 2");
    child.kill("SIGKILL");
    await gone;
    const { run, record, journal } = await repository.json(["status"]);
    expect(loopMdOf({ record }).front).toMatchObject({ iter: "1", total_resets: "0", status: "running" });
    const again = await repository.pawl(["run", "phase", "--max-iter", "9"]);
    expect(again.err).toContain("max_iter was fixed at 5");
    expect(again.err).toContain("9 is not taken");
    // the finding of iteration 1 is still known in this round
    const result = await repository.json(["status", run]);
    expect(result.gate.question).toContain("circles");
    expect(loopMdOf({ record }).front).toMatchObject({ iter: "2", total_resets: "0" });
    expect(workOf(repository.events({ journal }))).toEqual(["doer", "reviewer", "doer", "doer", "reviewer"]);
  });

  it("costs a round after it was escalated, and says so in its history", async () => {
    verifies("doer.resume.parked-costs-reset", "oscillation.round-only", "reset.never-lowered");
    using repository = phase({ reviews: [blocked("one"), blocked("one"), blocked("one"), judged("APPROVED")] });
    const { run } = await repository.json(["run", "phase"]);
    const aborted = await repository.json(["answer", run, "abort", "--comment", "not like this"]);
    expect(aborted).toMatchObject({ code: 3, status: "paused" });
    expect(loopMdOf(aborted).front.status).toBe("escalated");
    writeFileSync(join(dirname(aborted.record), "LOOP.md"), "---\ntotal_resets: -7\n---\n"); // never read back
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0, run });
    expect(loopMdOf(result).history.slice(2)).toEqual([
      "--- RESUMED from escalated at T (reset 1/3) ---",
      expect.stringContaining("- iter 1: BLOCKED"),
      expect.stringContaining("- iter 2: APPROVED"),
    ]);
    expect(loopMdOf(result).front.total_resets).toBe("1");
  });

  it("costs a round after it was paused, and is killed without an iteration when none is left", async () => {
    verifies("doer.resume.parked-costs-reset");
    using repository = phase();
    const { run } = await repository.json(SMALL);
    const paused = await repository.json(["answer", run, "adjust"]);
    expect(loopMdOf(paused).front.status).toBe("paused");
    const round2 = await repository.json(["run", "phase"]);
    expect(loopMdOf(round2).history[2]).toBe("--- RESUMED from paused at T (reset 1/2) ---");
    expect(round2.code).toBe(3);
    await repository.json(["answer", run, "abort"]);
    const before = workOf(repository.events(round2)).length;
    const killed = await repository.json(["run", "phase"]);
    expect(killed).toMatchObject({ code: 1, outcome: "killed" });
    expect(workOf(repository.events(killed))).toHaveLength(before);
    expect(loopMdOf(killed).front).toMatchObject({ status: "killed", total_resets: "2" });
  });

  it("is refused when it has converged or was killed, with the next step, and nothing changes", async () => {
    verifies("doer.resume.ended-is-refused", "reset.never-lowered");
    for (const [reviews, word, next] of [
      [[judged("APPROVED")], "converged", "go on to the next loop"],
      [[], "killed", "review the plan"],
    ] as const) {
      using repository = phase({ reviews: [...reviews] });
      const result = await repository.json(["run", "phase", "--max-iter", "1", "--max-resets", "1"]);
      if (result.code === 3) await repository.json(["answer", result.run, "continue"]);
      const events = repository.events(result).length;
      for (const more of [[], ["--max-iter", "9"], ["--max-resets", "9"]]) {
        const again = await repository.pawl(["run", "phase", ...more]);
        expect([again.code, again.err]).toEqual([1, expect.stringContaining(word)]);
        expect(again.err).toContain(next);
      }
      const resumed = await repository.json(["resume", result.run]);
      expect([resumed.code, resumed.error.code]).toEqual([1, "has-ended"]);
      expect(repository.events(result)).toHaveLength(events);
      expect(loopMdOf(result).front.status).toBe(word);
      expect((await repository.json(["list"])).runs).toHaveLength(1);
    }
  });

  it("goes on for nothing after its doer did not come to its end, spending that iteration", async () => {
    using repository = phase({
      doer: "cat > /dev/null; echo $PAWL_VISIT > work.txt; test $PAWL_VISIT != 1",
      reviews: [judged("APPROVED")],
    });
    const stopped = await repository.json(["run", "phase"]);
    expect(stopped).toMatchObject({ code: 3, reason: expect.stringContaining("did not come to its end") });
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0, budgets: { iterations: { spent: 2 }, resets: { spent: 1 } } });
  });
});
