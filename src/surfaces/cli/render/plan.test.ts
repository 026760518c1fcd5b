import { describe, expect, it } from "vitest";
import { exampleFlow, flowOfText } from "../../../../test/harness/tale.js";
import { planText } from "./plan.js";
import { widthOf } from "./width.js";

const plan = (name: string): string =>
  planText(exampleFlow(name), { path: `.pawl/loops/${name}.yaml`, subject: "cart totals", warnings: [] });

describe("a plan", () => {
  it("of a pipeline says everything that would happen", () => {
    const text = plan("pipeline").replace(/[0-9a-f]{12}/g, "<digest>");
    expect(text).toBe(`Plan of loop "pipeline" (.pawl/loops/pipeline.yaml)
  subject   cart totals
  digest    <digest>

Steps
  1. dev (agent): at most 10 visits
      agent dev, may write, new session
      leaves implementation-summary.md
      pass → test
      block → failure
  2. test (command): at most 10 visits
      runs: node --test, timeout 600 s
      pass → review
      block → dev (spends max_attempts; none left → failure)
  3. review (agent): at most 10 visits
      agent review, may write, new session, verdict APPROVED | NEEDS CHANGES in
          review-findings.md
      leaves review-findings.md
      pass → qa
      pass-with-conditions → qa
      block → dev (spends max_attempts; none left → failure)
      unclear → review (spends max_attempts; none left → failure)
  4. qa (agent): at most 10 visits
      agent qa, may write, new session, verdict PASS | FAIL in qa-report.md, at
          most 200 turns
      leaves qa-report.md
      pass → commit
      pass-with-conditions → commit
      block → dev (spends max_attempts; none left → failure)
      unclear → qa (spends max_attempts; none left → failure)
  5. commit (action): at most 1 visit
      action commit {"message":"feat: construct {subject}"}
      pass → success
      not-committed → success

Gates on every path
  to the commit "commit": test (command), review (agent), qa (agent)
  to success: test (command), review (agent), qa (agent)

Bounds
  attempts: 10, set by max_attempts

Agents
  dev: command: sh agents/dev.sh; runs inside the sandbox, without network
  review: command: sh agents/review.sh; runs inside the sandbox, without network
  qa: command: sh agents/qa.sh; runs inside the sandbox, without network

Sandbox
  engine      auto: bubblewrap, then docker
  network     none for what runs inside
  memory      2 GiB, 512 processes, 2 cpus
  scratch     512 MiB; output 8 MiB; disk floor 1 GiB

Documents (loader: files)
  README.md  <digest>
`);
  });

  it("says in plain words that an agent is not confined, and which loop follows", () => {
    const text = plan("dev").replace(/\s+/g, " ");
    expect(text).toContain("claude-code: claude-code; runs outside the sandbox with network until egress lands");
    expect(text).toContain('on success the loop "validate" starts');
    expect(text).toContain(
      "to success: gate-after:implement-next-phase (a person), gate-after:commit (a person), :validators (validators), :until (check)",
    );
  });

  it("names the checks of each validator, and which may fail", () => {
    const text = plan("dev").replace(/\s+/g, " ");
    expect(text).toContain("run_tests: checks tests_pass, coverage_threshold (optional); timeout 600 s");
    expect(text).toContain("check all_phases_complete pass →");
  });

  it.each(["dev", "phase", "pipeline", "design", "validate"])("of %s fits 80 columns", (name) => {
    for (const line of plan(name).split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(80);
  });

  it("shows no value of a variable, and nothing that steers a terminal", () => {
    const text = planText(
      flowOfText(
        'name: x\ngoal_state: "a\\u001b[31mb"\nisolation: {env: {TOKEN: "hush", KEY: {from: HOME}}}\nsteps: [{name: t, command: "echo \\u001b[2Jx", env: {SECRET: "hush"}}]',
      ),
      { path: "x\u001b[1m.yaml", subject: "s\u202e", warnings: [] },
    );
    expect(text).toContain("goal      ab");
    expect(text).toContain("env         TOKEN, KEY");
    expect(text).not.toContain("hush");
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  });

  it("lists the warnings of the file", () => {
    const issue = { code: "shadowed", path: "a.yaml", line: 1, col: 1, message: "it is", severity: "warning" } as const;
    expect(planText(exampleFlow("validate"), { path: "a.yaml", warnings: [issue] })).toContain(
      "Warnings\n  a.yaml:1:1 warning: it is\n  1 warning",
    );
  });
});
