import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText, Tale } from "../../test/harness/tale.js";
import { STORY_TEXT_CHARS_MAX, secondsText, storyOf } from "./story.js";

const PIPELINE = exampleFlow("pipeline");
const told = (tale: Tale): string[] => storyOf(tale.flow, tale.events).map((line) => line.text);
const last = (tale: Tale): string | undefined => told(tale).at(-1);

describe("the story of a run", () => {
  it("says for each visit what came of it, how long it took and where it led", () => {
    const tale = new Tale(PIPELINE)
      .passes({ ms: 12_000, usd: 0.12 })
      .works({ status: "block", findings: [{ text: "exit code 1", severity: "error" }] }, { spent: { ms: 3_200 } });
    expect(told(tale)).toEqual([
      "run pipeline-1 starts (job DM-1, by user-a) → dev",
      "dev visit 1: begins (doer)",
      "dev visit 1: passed in 12.0 s, 0.12 USD → test",
      "test visit 1: begins (doer)",
      "test visit 1: failed (exit code 1) in 3.2 s → retry dev (attempt 2 of 10)",
    ]);
  });

  it("says who answered a gate, through what, why, and the rounds before and after", () => {
    const tale = new Tale(exampleFlow("phase")).passes().fails("x", { print: "aaaaaaaaaaaa" });
    tale.passes().fails("x", { print: "aaaaaaaaaaaa" });
    expect(last(tale)).toBe("reviewer visit 2: failed (x) → gate (as visit 1 before, hash aaaaaaaaaaaa)");
    tale.answers("continue", "new index is in place");
    expect(last(tale)).toBe(
      'gate visit 1: "continue" by user-a (terminal): new index is in place → doer (round 2 of 3, before 1)',
    );
  });

  it("says of checks in turn that others come, and of answers side by side that others are at work", () => {
    const checks = "validators: [{tool: v, checks: [{name: c}]}, {tool: w, checks: [{name: d}]}]";
    const inTurn = new Tale(flowOfText(`name: x\nhuman_gate: false\nskills: [commit]\n${checks}`));
    expect(last(inTurn.passes().passes())).toBe(":validators/v visit 1: passed, others to come");
    const agents = 'agents: {a: {use: command, run: "true"}, b: {use: command, run: "true"}}';
    const atOnce = new Tale(flowOfText(`name: x\ndoer: a\nreviewer: [a, b]\n${agents}`));
    expect(last(atOnce.passes().passes())).toBe("reviewer/a visit 1: passed, others still at work");
  });

  it("says which budget is used up", () => {
    const flow = flowOfText(
      'name: x\nmax_attempts: 1\nsteps: [{name: t, command: "true", on_fail: {goto: t, retry: true}}]',
    );
    const tale = new Tale(flow).fails("exit code 2");
    expect(told(tale).at(-2)).toBe(
      "t visit 1: failed (exit code 2) → failure (exhausted) (max_attempts is used up: 1 of 1)",
    );
    tale.add({ type: "extended", budget: "attempts", limit: 2, was: 0 }, "user-a");
    expect(last(tale)).toBe("max_attempts raised from 1 to 3 by user-a → t");
  });

  it("tells faults, crashes, stops and resumes", () => {
    const tale = new Tale(PIPELINE);
    const ticket = `dev@${tale.run.since}`;
    for (let n = 0; n < 4; n++) tale.add({ type: "begun", ticket, performer: "sh" });
    expect(told(tale).slice(2)).toEqual([
      "dev visit 1: begins again (start 2 of 3)",
      "dev visit 1: begins again (start 3 of 3)",
      'dev visit 1: "sh" was started 3 times and never answered → parked (crash-loop): "sh" was started 3 times and never answered',
    ]);
    const other = new Tale(PIPELINE);
    other.add({ type: "fault", ticket, error: { code: "sbx-no-engine", message: "there is no sandbox" } });
    expect(last(other)).toBe(
      "dev visit 1: cannot be carried out (sbx-no-engine): there is no sandbox → parked (fault): there is no sandbox",
    );
    other.add({ type: "checkpointed", ticket: `checkpoint@${other.run.since}`, trouble: "disk full" });
    expect(last(other)).toBe("the record cannot be published: disk full");
    expect(last(other.add({ type: "resumed" }, "user-a"))).toBe("resumed by user-a → dev");
    expect(last(other.add({ type: "foreign", paths: ["a", "b"], accepted: true }, "user-a"))).toBe(
      "changes that are not the run's: a, b, accepted by user-a",
    );
    expect(last(other.add({ type: "renamed", job: "DM-1" }))).toMatch(
      /^the job is called DM-1 from here on, before \S+$/,
    );
  });

  it("goes on after an event that has been told", () => {
    const tale = new Tale(PIPELINE).passes();
    expect(storyOf(PIPELINE, tale.events, 2).map((line) => line.seq)).toEqual([3]);
  });

  it("keeps a long finding on one short line", () => {
    const line = last(new Tale(PIPELINE).passes().fails(`a\nb ${"x".repeat(5_000)}`));
    expect(line).toContain("(a b xxx");
    expect(line?.length).toBeLessThan(STORY_TEXT_CHARS_MAX + 80);
  });

  it("writes times as people say them", () => {
    expect([0, 3_200, 65_000, 7_800_000].map(secondsText)).toEqual(["0.0 s", "3.2 s", "1 min 5 s", "2 h 10 min"]);
  });
});
