import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText, Tale } from "../../../../test/harness/tale.js";
import { chargesOf } from "../../../core/bill.js";
import { explain } from "../../../core/explain.js";
import { storyOf } from "../../../core/story.js";
import { viewOf } from "../../../core/view.js";
import { openAgents } from "./agents.js";
import { explainText } from "./explain.js";
import { issuesText } from "./issues.js";
import { inboxText, listText } from "./list.js";
import { logText } from "./log.js";
import { statusText } from "./status.js";
import { widthOf } from "./width.js";

const PIPELINE = exampleFlow("pipeline");
const view = (tale: Tale) => viewOf(tale.flow, tale.run);
const onceFailed = () => new Tale(PIPELINE).passes({ ms: 12_000, usd: 0.12 }).fails("exit code 1");
const STYLE = "\u001b[";

describe("a status", () => {
  it("says where the run stands, what was done, what is used up and by which key, and what to type", () => {
    expect(statusText(view(onceFailed().passes({ ms: 65_000 })))).toEqual([
      "pipeline-1  loop pipeline  job DM-1",
      'running: "test" is being worked on (visit 2)',
      "",
      "step    kind     visits  last verdict        time      cost",
      "dev     agent         2  pass          1 min 17 s  0.12 USD",
      "test    command       2  block",
      "review  agent         0  not reached",
      "qa      agent         0  not reached",
      "commit  action        0  not reached",
      "",
      "findings of test",
      "  error: exit code 1",
      "",
      "budget    used  limit  set by",
      "attempts     2     10  max_attempts",
      "",
      "spent so far: 1 min 17 s, 0.12 USD",
      "",
      "next: pawl resume pipeline-1",
    ]);
  });

  it("lists every budget", () => {
    const text = statusText(view(new Tale(exampleFlow("phase")))).join("\n");
    expect(text).toMatch(/iterations +1 +5 +max_iter/);
    expect(text).toMatch(/resets +1 +3 +max_resets/);
  });

  it("has colour only when told", () => {
    expect(statusText(view(onceFailed())).join("")).not.toContain(STYLE);
    expect(statusText(view(onceFailed()), { colour: true }).join("")).toContain(STYLE);
  });

  it("names agents outside the sandbox", () => {
    const dev = exampleFlow("dev");
    const lines = statusText(viewOf(dev, new Tale(dev).run), { notes: openAgents(dev), columns: 200 });
    expect(lines).toContain(
      'agent "claude-code" (claude-code) runs outside the sandbox with network until egress lands',
    );
    expect(openAgents(PIPELINE)).toEqual([]);
  });

  it("stays within 80 columns and steers no terminal, whatever agents and branches say", () => {
    const tale = new Tale(PIPELINE, `feature/\u001b[2J${"日".repeat(60)}`).passes();
    tale.fails(`\u001b]0;owned\u0007${"字".repeat(200)} \u202e\r\n${"x".repeat(300)}`);
    const told = [
      ...statusText(view(tale)),
      ...explainText(explain(PIPELINE, tale.run, tale.events)),
      ...listText([view(tale)]),
    ];
    for (const line of told) {
      expect(widthOf(line)).toBeLessThanOrEqual(80);
      expect(line).not.toMatch(/\p{C}/u);
    }
  });
});

describe("an explanation", () => {
  it("reads from where to what to type", () => {
    const tale = onceFailed();
    expect(explainText(explain(PIPELINE, tale.run, tale.events))).toEqual([
      "pipeline-1  loop pipeline  job DM-1",
      'running: "dev" is being worked on (visit 2)',
      "",
      "Where",
      "  dev, visit 2, since 2026-11-30T14:00:04.000Z, by pawl",
      "",
      "Why",
      '  "test" ends as "block" on visit 1. That outcome leads to "dev". The way spends',
      "  max_attempts: attempt 2 of 10.",
      "",
      "Evidence",
      '  "test", visit 1, said "block"',
      "  error: exit code 1",
      `  loop  ${PIPELINE.digest}`,
      "",
      "What else could have happened",
      '    pass → "review"',
      '  * block → "dev" (spends max_attempts; failure when max_attempts is used up)',
      "",
      "What can happen next",
      '    pass → "test"',
      "    block → failure",
      "",
      "Used up",
      "  budget    used     set by",
      "  attempts  2 of 10  max_attempts",
      "",
      "What was found so far",
      "  test visit 1: block",
      "    error: exit code 1",
      "",
      "What it cost",
      "  step  visit  performer  model    time  tokens in  out      cost",
      "  dev       1  doer              12.0 s                  0.12 USD",
      "",
      "To do next",
      "  pawl resume pipeline-1",
    ]);
  });
});

describe("the ledger", () => {
  const tale = new Tale(PIPELINE)
    .works({ status: "pass" }, { spent: { ms: 60_000, usd: 0.5, inputTokens: 900, outputTokens: 80, model: "large" } })
    .fails("exit code 1")
    .works(
      { status: "pass" },
      { spent: { ms: 30_000, usd: 0.25, inputTokens: 400, outputTokens: 20, model: "large" } },
    );
  const bill = chargesOf(PIPELINE, tale.events);

  it("adds up what each step cost, by performer and model, and leaves blank what is not known", () => {
    expect(statusText(view(tale), { bill }).slice(-4, -2)).toEqual([
      "step  visits  performer  model        time  tokens in  out      cost",
      "dev        2  doer       large  1 min 30 s       1300  100  0.75 USD",
    ]);
  });

  it("tells it visit by visit where a run is explained", () => {
    const text = explainText(explain(PIPELINE, tale.run, tale.events));
    expect(text.slice(text.indexOf("What it cost"))).toEqual([
      "What it cost",
      "  step  visit  performer  model       time  tokens in  out      cost",
      "  dev       1  doer       large  1 min 0 s        900   80  0.50 USD",
      "  dev       2  doer       large     30.0 s        400   20  0.25 USD",
      "",
      "To do next",
      "  pawl resume pipeline-1",
    ]);
  });
});

describe("a list", () => {
  it("puts gates, pauses and used-up budgets into one inbox, each with its reason and its command", () => {
    const gate = new Tale(exampleFlow("dev")).passes();
    const paused = new Tale(PIPELINE).add({ type: "stopped", code: "paused", reason: "lunch" });
    const flow = flowOfText('name: laps\nsteps: [{name: t, command: "true", on_fail: t}]');
    const used = new Tale(flow);
    for (let n = 0; n <= 100; n++) used.fails(`${n}`);
    const ended = flowOfText('name: once\nsteps: [{name: t, command: "true"}]');
    const runs = [gate, paused, used, new Tale(ended).passes()].map(view);
    const text = inboxText(runs, { columns: 200 });
    expect(text).toEqual([
      "waits for somebody:",
      '  dev-1: waits for a person: "implement-next-phase" is done. Go on?',
      "    pawl answer dev-1 [continue|pause|abandon]",
      "  pipeline-1: lunch",
      "    pawl resume pipeline-1",
      "  laps-1: 100 uncounted ways back were taken; give one of them retry: true",
      "    pawl resume laps-1",
    ]);
    expect(listText(runs)[4]).toMatch(/^once-1 +once +DM-1 +complete \(success\)$/);
  });

  it("says what to do where there are no runs", () => {
    expect(listText([])).toEqual(["no runs here; start one with: pawl run LOOP"]);
  });
});

describe("a log", () => {
  it("has the times of the day and a line for a new day", () => {
    const lines = logText(
      storyOf(PIPELINE, new Tale(PIPELINE, "DM-1", Date.UTC(2026, 10, 30, 23, 59, 59)).passes().events),
    );
    expect(lines).toEqual([
      "2026-11-30 (UTC)",
      "23:59:59 run pipeline-1 starts (job DM-1, by user-a) → dev",
      "2026-12-01 (UTC)",
      "00:00:00 dev visit 1: begins (doer)",
      "00:00:01 dev visit 1: passed → test",
    ]);
  });
});

describe("issues", () => {
  it("stand in the order of the file, with their number", () => {
    const at = { path: "a.yaml", col: 1 };
    expect(
      issuesText([
        {
          ...at,
          code: "unknown-key",
          line: 7,
          message: 'unknown key "x\u001b[1m"',
          hint: 'did you mean "y"?',
          severity: "error",
        },
        { ...at, code: "shadowed", line: 2, message: "it is ignored", severity: "warning" },
      ]),
    ).toEqual([
      "a.yaml:2:1 warning: it is ignored",
      expect.stringMatching(/^a\.yaml:7:1 unknown key "x.*" \(did you mean "y"\?\)$/),
      "1 error, 1 warning",
    ]);
    expect(issuesText([])).toEqual([]);
  });
});
