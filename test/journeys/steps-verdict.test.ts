// Verdict steps, run for real: the report decides by its declared words, and what cannot be read decides nothing.
import { describe, expect, it } from "vitest";
import { agents, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const REPORT = '"$PAWL_ARTIFACTS/report.md"';
const judged = (list: string, scripts: Record<string, string>, head = "") => ({
  "loop.yaml": `name: loop\n${mapped(...Object.keys(scripts))}${head}steps:\n${list}`,
  ...agents(scripts),
});
const review = (more = "") =>
  `  - {name: review, agent: review, artifact: report.md, verdicts: {pass: APPROVED, fail: NEEDS CHANGES}${more}}\n`;
const visits = (result: { steps: { name: string; visits: number }[] }) =>
  Object.fromEntries(result.steps.map((step) => [step.name, step.visits]));

describe("a verdict step", () => {
  it("follows on_pass at the one word and on_fail at the other, with the whole report in the note", async () => {
    verifies("verdict.words", "steps.route.retry-feeds-back", "attempts.graph-wide");
    using repository = Repository.make(
      judged(
        `  - {name: dev, agent: dev}\n${review(", on_pass: done, on_fail: {goto: dev, retry: true}")}  - {name: done, command: "true"}\n`,
        {
          dev: 'cat > "prompt-$PAWL_ATTEMPT.txt"',
          review: `seq 1 3000 | sed 's/^/line /' > ${REPORT}
if test $PAWL_ATTEMPT = 1; then echo 'VERDICT: NEEDS CHANGES' >> ${REPORT}; else echo 'VERDICT: APPROVED' >> ${REPORT}; fi
echo 'VERDICT: APPROVED, all is done'`,
        },
      ),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.status, result.outcome]).toEqual([0, "complete", "success"]);
    expect(visits(result)).toEqual({ dev: 2, review: 2, done: 1 });
    expect(result.budgets.attempts).toMatchObject({ spent: 2, limit: 3, set_by: "max_attempts" });
    const note = repository.read("prompt-2.txt");
    for (const line of ["line 1\n", "line 1500\n", "line 3000\n", "VERDICT: NEEDS CHANGES"])
      expect(note).toContain(line);
  });

  it("that left no report, or one without a verdict, is itself asked again, told which of the two it was", async () => {
    verifies("verdict.unclear-retries");
    using repository = Repository.make(
      judged(`  - {name: dev, agent: dev}\n  - {name: test, command: "true"}\n${review(", on_fail: dev")}`, {
        dev: "echo > /dev/null",
        review: `cat > "review-$PAWL_ATTEMPT.txt"
case $PAWL_ATTEMPT in
1) echo 'VERDICT: APPROVED' ;;
2) echo 'It looks great to me, I approve.' > ${REPORT} ;;
3) echo 'VERDICT: APPROVED' > ${REPORT} ;;
esac`,
      }),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, visits(result)]).toEqual([0, { dev: 1, test: 1, review: 3 }]);
    expect(repository.read("review-2.txt")).toContain('no verdict: "report.md" was not written');
    const third = repository.read("review-3.txt");
    expect(third).toContain('"report.md" has no line that says "VERDICT: APPROVED" or "VERDICT: NEEDS CHANGES"');
    expect(third).toContain("It looks great to me, I approve.");
    expect(third.indexOf("was not written")).toBeLessThan(third.indexOf("has no line"));
  });

  it("that stays unclear ends the run as exhausted, whatever its routes are, and nothing behind it has run", async () => {
    verifies("verdict.unclear-never-routes", "cli.run.exit-code", "attempts.exhausted");
    using repository = Repository.make(
      judged(`${review(", on_pass: commit, on_fail: commit")}  - {name: commit, action: commit}\n`, {
        review: `echo 'VERDICT: APPROVED or VERDICT: NEEDS CHANGES?' > ${REPORT}; echo 'VERDICT: APPROVED'; date +%s%N > work.txt`,
      }),
    );
    const result = await repository.json(["run", "loop.yaml", "--max-attempts", "2"]);
    expect([result.exit, result.code, result.outcome]).toEqual([1, 1, "exhausted"]);
    expect(result.reason).toBe('exhausted: 2 attempts were made and "review" still fails');
    expect(visits(result)).toEqual({ review: 2, commit: 0 });
    expect(repository.commits()).toEqual(["start"]);
  });

  it("counts what was written before the agent was cut off or failed, and nothing that it only said", async () => {
    verifies("verdict.truncated-run-counts");
    using repository = Repository.make(
      judged(
        `${review(", timeout: 2, on_fail: second")}  - {name: never, command: "touch never"}
  - {name: second, agent: second, artifact: report.md, verdicts: {pass: PASS, fail: FAIL}}\n`,
        {
          review: `echo '**VERDICT: NEEDS CHANGES**' > ${REPORT}; echo 'VERDICT: APPROVED'; sleep 60`,
          second: `echo '## Verdict: pass' > ${REPORT}; exit 7`,
        },
      ),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, visits(result)]).toEqual([0, { review: 1, never: 0, second: 1 }]);
    expect(result.steps[0].verdict).toBe("block");
  });

  it("passes under a condition as a success with warnings, never as a clean one", async () => {
    using repository = Repository.make(
      judged(review(), { review: `echo 'VERDICT: APPROVED — pending the licence check' > ${REPORT}` }),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.outcome]).toEqual([0, "warning"]);
    expect(result.warnings.join()).toContain("pending the licence check");
    expect((await repository.pawl(["run", "loop.yaml", "--strict"])).code).toBe(1);
  });

  it("never takes a report from outside: a link, a folder or a file of the workspace is none", async () => {
    using repository = Repository.make({
      ...judged(review(), {
        review: `cat > "review-$PAWL_ATTEMPT.txt"
case $PAWL_ATTEMPT in
1) ln -s "$PAWL_WORKSPACE/approved.md" ${REPORT} ;;
2) mkdir ${REPORT}; echo 'VERDICT: APPROVED' > "$PAWL_ARTIFACTS/report.md/report.md" ;;
3) echo 'VERDICT: APPROVED' > report.md ;;
esac`,
      }),
      "approved.md": "VERDICT: APPROVED\n",
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.outcome]).toEqual([1, "exhausted"]);
    expect(repository.read("review-2.txt")).toContain('"report.md" is not read: it is a link');
    expect(repository.read("review-3.txt")).toContain('"report.md" is not read: it is not a plain file');
  });
});

describe("an earlier report", () => {
  it("is out of sight in the next attempt and in the next run, so who writes nothing has no verdict", async () => {
    verifies("hygiene.cleared-each-attempt");
    using repository = Repository.make(
      judged(
        `  - {name: dev, agent: dev, produces: [summary.md, notes.md]}\n${review()}  - {name: test, command: "exit 1", on_fail: {goto: dev, retry: true}}\n`,
        {
          dev: `ls "$PAWL_ARTIFACTS" > "there-$PAWL_ATTEMPT.txt"; echo sum > "$PAWL_ARTIFACTS/summary.md"; echo n > "$PAWL_ARTIFACTS/notes.md"`,
          review: `test $PAWL_ATTEMPT -gt 1 || echo 'VERDICT: APPROVED' > ${REPORT}
ls "$PAWL_ARTIFACTS" > "reports-$PAWL_ATTEMPT.txt"`,
        },
      ),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.outcome, visits(result)]).toEqual(["exhausted", { dev: 2, review: 3, test: 1 }]);
    expect(result.steps[1].verdict).toBe("unclear");
    expect([repository.read("there-2.txt"), repository.read("reports-2.txt")]).toEqual(["", ""]);
    repository.write(agents({ review: 'ls "$PAWL_ARTIFACTS" > fresh.txt' }));
    const fresh = await repository.json(["run", "loop.yaml"]);
    expect([fresh.outcome, fresh.steps[1].verdict, repository.read("fresh.txt")]).toEqual(["exhausted", "unclear", ""]);
    const { visits: told } = await repository.json(["explain", result.run, "review"]);
    expect(told.map((visit: { outcome: string }) => visit.outcome)).toEqual(["pass", "unclear", "unclear"]);
  });

  it("stays readable to the steps behind it, while its step is not asked again", async () => {
    using repository = Repository.make(
      judged(`  - {name: dev, agent: dev, produces: summary.md}\n${review()}`, {
        dev: 'echo "what dev did" > "$PAWL_ARTIFACTS/summary.md"',
        review: `cat > "prompt-$PAWL_ATTEMPT.txt"
path=$(sed -n 's/^- summary.md: //p' "prompt-$PAWL_ATTEMPT.txt")
cat "$path" > "read-$PAWL_ATTEMPT.txt"
test $PAWL_ATTEMPT = 1 || echo 'VERDICT: APPROVED' > ${REPORT}`,
      }),
    );
    expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
    expect([repository.read("read-1.txt"), repository.read("read-2.txt")]).toEqual([
      "what dev did\n",
      "what dev did\n",
    ]);
  });
});

describe("what a step produces", () => {
  it("is asked for by name, kept in the folder of the visit, and never read for a verdict", async () => {
    verifies("hygiene.produces-not-parsed", "resume.state-dir");
    using repository = Repository.make(
      judged(`  - {name: dev, agent: dev, produces: [a.md, b.md]}\n  - {name: one, agent: one, produces: c.md}\n`, {
        dev: 'for f in a b extra; do echo "VERDICT: FAIL" > "$PAWL_ARTIFACTS/$f.md"; done; echo "VERDICT: FAIL"',
        one: 'echo "VERDICT: FAIL" > "$PAWL_ARTIFACTS/c.md"; case "$PAWL_ARTIFACTS/" in "$PAWL_WORKSPACE/.git/pawl/runs/"*) ;; *) exit 1 ;; esac',
      }),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.steps.map((step: { verdict: string }) => step.verdict)]).toEqual([0, ["pass", "pass"]]);
    const named = repository.events(result).flatMap((event) => event.verdict?.artifacts ?? []);
    expect(named.map((path: string) => path.replace(/.*\//, ""))).toEqual(["a.md", "b.md", "c.md"]);
    expect(repository.git("status", "--porcelain")).not.toMatch(/\.md/);
  });

  it("and is not there stops the step with its name, however well the agent ended", async () => {
    using repository = Repository.make(
      judged("  - {name: dev, agent: dev, produces: [a.md, b.md]}\n  - {name: next, command: 'touch next'}\n", {
        dev: 'echo > "$PAWL_ARTIFACTS/a.md"; echo "I have written b.md"',
      }),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, visits(result)]).toEqual([1, { dev: 1, next: 0 }]);
    expect(result.reason).toBe('"dev" failed: "b.md" was to be written and is not there');
  });
});
