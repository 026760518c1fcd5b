import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText, Tale } from "../../test/harness/tale.js";
import { verifies } from "../../test/harness/verifies.js";
import { loopMd } from "./loop-md.js";
import { loopStatusOf, phaseStatusOf } from "./phase.js";
import { next } from "./run.js";
import { viewOf } from "./view.js";

const PHASE = exampleFlow("phase");
const SHORT = flowOfText(
  'name: x\nagents: {a: {use: command, run: "true"}}\ndoer: a\nreviewer: a\nmax_iter: 2\nmax_resets: 2\n',
);
const evidence = (head: string) => ({ loop: "x", inputs: { head } });
/** One iteration whose review blocks with findings of its own. */
function blocked(tale: Tale, n: number): Tale {
  const print = `${n}`.padStart(12, "a");
  return tale
    .passes()
    .fails(`finding ${n}`, { print, evidence: { ...evidence(`${n}`.repeat(40)), tree: `tree ${n}` } });
}
const read = (tale: Tale): string => loopMd(tale.flow, tale.events) ?? "";
const front = (tale: Tale, key: string): string | undefined => new RegExp(`^${key}: (.*)$`, "m").exec(read(tale))?.[1];
const history = (tale: Tale): string[] => read(tale).split("## History\n\n")[1]?.split("\n").filter(Boolean) ?? [];

describe("LOOP.md", () => {
  it("begins with the caps, no iteration and no history", () => {
    expect(read(new Tale(PHASE))).toBe(
      [
        "---",
        "phase_slug: DM-1",
        "phase_position: null",
        "iter: 0",
        "total_resets: 0",
        "status: running",
        "max_iter_per_round: 5",
        "max_resets: 3",
        "created_at: 2026-11-30T14:00:00.000Z",
        "---",
        "",
        "## History",
        "",
        "",
      ].join("\n"),
    );
  });

  it("has a line for each iteration, and converges", () => {
    const tale = blocked(new Tale(PHASE), 1).passes().works({ status: "pass", outcome: "approved-with-warnings" });
    expect(history(tale)).toEqual([
      "- iter 1: BLOCKED, hash=aaaaaaaaaaa1, commit=1111111, ts=2026-11-30T14:00:06.000Z",
      "- iter 2: APPROVED_WITH_WARNINGS, hash=-, commit=-, ts=2026-11-30T14:00:13.000Z",
    ]);
    expect([front(tale, "status"), front(tale, "iter")]).toEqual(["converged", "2"]);
  });

  it("marks a reset and begins a round at 0", () => {
    verifies("reset.continue");
    const tale = blocked(blocked(new Tale(SHORT), 1), 2).answers("continue");
    expect(history(tale).at(-1)).toMatch(/^--- RESET 1 at 2026-11-30T14:00:\d\d\.000Z ---$/);
    expect([front(tale, "iter"), front(tale, "total_resets"), front(tale, "status")]).toEqual(["0", "1", "running"]);
    expect(history(blocked(tale, 3)).at(-1)).toContain("- iter 1: BLOCKED");
  });

  it("is killed at max_resets with max_resets counted", () => {
    verifies("reset.kills-at-max");
    let tale = blocked(blocked(new Tale(SHORT), 1), 2).answers("continue");
    tale = blocked(blocked(tale, 3), 4).answers("continue");
    expect([front(tale, "status"), front(tale, "total_resets")]).toEqual(["killed", "2"]);
    expect(history(tale).filter((line) => line.startsWith("- iter"))).toHaveLength(4);
    expect([viewOf(SHORT, tale.run).exit, next(SHORT, tale.run)]).toEqual([1, []]);
  });

  it("says that a resume from an aborted or paused round has cost a reset", () => {
    verifies("doer.resume.parked-costs-reset");
    const tale = blocked(blocked(new Tale(PHASE), 1), 1).answers("abort");
    expect(front(tale, "status")).toBe("escalated");
    tale.add({ type: "resumed" }, "user-a");
    expect(history(tale).at(-1)).toMatch(/^--- RESUMED from escalated at \S+ \(reset 1\/3\) ---$/);
    expect([front(tale, "iter"), front(tale, "total_resets"), front(tale, "status")]).toEqual(["0", "1", "running"]);
    tale.add({ type: "stopped", code: "paused", reason: "later" }, "user-a");
    expect(front(tale, "status")).toBe("paused");
  });

  it("is killed by a resume that cannot be paid", () => {
    const once = flowOfText(
      'name: x\nagents: {a: {use: command, run: "true"}}\ndoer: a\nreviewer: a\nmax_iter: 1\nmax_resets: 1\n',
    );
    const tale = blocked(new Tale(once), 1).answers("abort").add({ type: "resumed" });
    expect([front(tale, "status"), front(tale, "total_resets")]).toEqual(["killed", "1"]);
  });

  it("stays running after Ctrl-C and goes on in the same iteration for nothing", () => {
    verifies("doer.resume.running-is-free");
    const tale = blocked(new Tale(PHASE), 1);
    tale.add({ type: "stopped", code: "interrupted", reason: "Ctrl-C" });
    expect([front(tale, "status"), front(tale, "iter")]).toEqual(["running", "1"]);
    tale.add({ type: "checkpointed", ticket: `checkpoint@${tale.run.since}` }).add({ type: "resumed" });
    expect(front(tale, "total_resets")).toBe("0");
    expect(history(blocked(tale, 2)).at(-1)).toContain("- iter 2: BLOCKED");
  });

  it("has no line for a review without a verdict", () => {
    const tale = new Tale(PHASE).passes().works({ status: "block", outcome: "unclear" });
    expect(history(tale)).toEqual([]);
    expect(front(tale, "status")).toBe("running");
  });

  it("has converged while manual items are pending, and is open again when they do not work", () => {
    verifies("review.pending-manual");
    const tale = new Tale(PHASE).passes().works({ status: "pass", outcome: "pending-manual" });
    expect([front(tale, "status"), phaseStatusOf(PHASE, tale.run)]).toEqual(["converged", "pending_manual_dod"]);
    expect(history(tale)[0]).toContain("APPROVED_PENDING_MANUAL");
    expect(viewOf(PHASE, tale.run).reason).toContain("manual items are pending");
    tale.answers("does-not-work");
    expect([front(tale, "status"), phaseStatusOf(PHASE, tale.run)]).toEqual(["running", undefined]);
    expect(loopStatusOf(PHASE, tale.run)).toBe("running");
  });

  it("keeps what was there: older history is the beginning of newer, and resets never become fewer", () => {
    verifies("reset.never-lowered");
    let tale = blocked(blocked(new Tale(SHORT), 1), 2)
      .answers("abort")
      .add({ type: "resumed" });
    tale = blocked(blocked(tale, 3), 4).answers("continue");
    let before: string[] = [];
    let resets = 0;
    for (let n = 1; n <= tale.events.length; n++) {
      const text = loopMd(SHORT, tale.events.slice(0, n)) ?? "";
      const lines = text.split("## History\n\n")[1]?.split("\n").filter(Boolean) ?? [];
      expect(lines.slice(0, before.length)).toEqual(before);
      const now = Number(/^total_resets: (\d+)$/m.exec(text)?.[1]);
      expect(now).toBeGreaterThanOrEqual(resets);
      before = lines;
      resets = now;
    }
    expect(resets).toBe(2);
  });

  it("quotes a job whose name YAML would read as something else", () => {
    expect(front(new Tale(PHASE, "feature/a b: #1"), "phase_slug")).toBe('"feature/a b: #1"');
    expect(front(new Tale(PHASE, "null"), "phase_slug")).toBe('"null"');
  });

  it("is not made for other bodies", () => {
    const pipeline = exampleFlow("pipeline");
    expect(loopMd(pipeline, new Tale(pipeline).events)).toBeUndefined();
  });
});
