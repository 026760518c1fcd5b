// Stopping: by a signal, by another process, on a run at rest, and twice. Nothing is lost and nobody is left at work.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judged, loopMdOf, phase, workOf } from "../harness/phase.js";
import { ended, Repository } from "../harness/repository.js";
import { until } from "../harness/until.js";
import { verifies } from "../harness/verifies.js";

/** Ignores TERM, and has a child that does so as well. */
const STUBBORN =
  "trap '' TERM INT; echo one >> log.txt; touch at-work; (trap '' TERM INT; sleep 77.25) & sleep 77.25; wait";
const steps = () =>
  Repository.make({
    "loop.yaml": `name: loop\nsteps:\n  - {name: first, command: "echo zero >> log.txt"}\n  - {name: slow, command: "if [ -e at-work ]; then echo two >> log.txt; else sh slow.sh; fi"}\n`,
    "slow.sh": `${STUBBORN}\n`,
  });
const atWork = (repository: Repository) => until(() => repository.has("at-work"), "the step is at work");
/** Processes that still run the step of this test: by its sleep, which no other test uses. */
const sleepers = (): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === "sleep\u000077.25\u0000";
    } catch {
      return false; // it has ended meanwhile
    }
  });

describe("a signal", { timeout: 120_000 }, () => {
  it("parks the run, exits 130, leaves nobody at work, and the run can be resumed", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      using repository = steps();
      const child = repository.start(["run", "loop.yaml", "--json"]);
      const end = ended(child);
      await atWork(repository);
      child.kill(signal);
      const { code, json } = await end;
      expect([signal, code]).toEqual([signal, 130]);
      expect(json()).toMatchObject({ status: "paused", exit: 130, reason: `interrupted by ${signal}` });
      expect(sleepers()).toEqual([]);
      const { run } = json();
      expect(await repository.json(["resume", run])).toMatchObject({ code: 0, outcome: "success" });
      expect(repository.read("log.txt")).toBe("zero\none\ntwo\n");
    }
  });

  it("costs a doer loop nothing", async () => {
    verifies("doer.resume.running-is-free");
    using repository = phase({
      doer: `[ -e at-work ] || { touch at-work; sleep 60; }; echo $PAWL_VISIT > work.txt`,
      reviews: [judged("APPROVED")],
    });
    const child = repository.start(["run", "phase", "--json"]);
    const end = ended(child);
    await atWork(repository);
    child.kill("SIGINT");
    expect((await end).code).toBe(130);
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0 });
    expect(loopMdOf(result).front).toMatchObject({ iter: "1", total_resets: "0", status: "converged" });
  });
});

describe("pawl stop", { timeout: 120_000 }, () => {
  it("pauses a run that another process drives, with its reason; twice is no trouble", async () => {
    using repository = steps();
    const end = ended(repository.start(["run", "loop.yaml", "--json"]));
    await atWork(repository);
    const { run } = await repository.json(["status"]);
    const stopped = await repository.json(["stop", run, "--reason", "lunch"]);
    expect(stopped).toMatchObject({ code: 0, status: "paused", reason: "lunch", next: `pawl resume ${run}` });
    expect((await end).code).toBe(3);
    expect(sleepers()).toEqual([]);
    const before = repository.events(stopped).length;
    const again = await repository.pawl(["stop", run]);
    expect([again.code, again.err]).toEqual([0, expect.stringContaining("parked already")]);
    expect(repository.events(stopped)).toHaveLength(before);
    expect(await repository.json(["resume", run])).toMatchObject({ code: 0 });
  });

  it("costs a doer loop a round when it is resumed", async () => {
    verifies("doer.resume.parked-costs-reset");
    using repository = phase({
      doer: `[ -e at-work ] || { touch at-work; sleep 60; }; echo $PAWL_VISIT > work.txt`,
      reviews: [judged("APPROVED"), judged("APPROVED")],
    });
    const end = ended(repository.start(["run", "phase", "--json"]));
    await atWork(repository);
    const { run } = await repository.json(["status"]);
    await repository.json(["stop", run]);
    await end;
    const result = await repository.json(["run", "phase"]);
    expect(result).toMatchObject({ code: 0 });
    expect(loopMdOf(result).history[0]).toBe("--- RESUMED from paused at T (reset 1/3) ---");
  });

  it("pauses a run at a gate, whose question is asked again", async () => {
    verifies("cap.never-skipped");
    using repository = phase();
    const asked = await repository.json(["run", "phase", "--max-iter", "1"]);
    const stopped = await repository.json(["stop", asked.run]);
    expect(stopped).toMatchObject({ code: 0, status: "paused", next: `pawl resume ${asked.run}` });
    expect((await repository.json(["answer", asked.run, "continue"])).error.code).toBe("no-question");
    const again = await repository.json(["run", "phase"]);
    expect(again).toMatchObject({ code: 3, gate: { options: ["continue", "abort", "adjust"] } });
    expect(workOf(repository.events(again))).toHaveLength(2);
    expect(loopMdOf(again).front.total_resets).toBe("0");
  });
});

describe("pawl abandon", { timeout: 120_000 }, () => {
  it("ends a run that is driven, one at rest, and leaves an ended one as it is", async () => {
    using repository = steps();
    const end = ended(repository.start(["run", "loop.yaml", "--json"]));
    await atWork(repository);
    const { run } = await repository.json(["status"]);
    expect(await repository.json(["abandon", run])).toMatchObject({ code: 0, status: "failed", outcome: "aborted" });
    expect((await end).code).toBe(1);
    expect(sleepers()).toEqual([]);
    const again = await repository.pawl(["abandon", run]);
    expect([again.code, again.err]).toEqual([0, expect.stringContaining("ended already")]);
    expect((await repository.json(["resume", run])).code).toBe(1);
    const second = await repository.json(["run", "loop.yaml"]);
    expect(second).toMatchObject({ code: 0 });
  });

  it("ends a doer loop at its gate, which may then only be reset by a person", async () => {
    using repository = phase();
    const { run } = await repository.json(["run", "phase", "--max-iter", "1"]);
    expect(await repository.json(["abandon", run])).toMatchObject({ code: 0, outcome: "aborted" });
    expect((await repository.pawl(["run", "phase"])).code).toBe(1);
  });
});
