// The shipped example, examples/self-loop: its plan as it is, and its routes and rules with agents of a few lines in the place of clients.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, PACKAGE, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const HERE = "examples/self-loop";
const APPROVE = 'echo "VERDICT: APPROVED" >"$PAWL_ARTIFACTS/review-findings.md"';
const PASS = 'echo "VERDICT: PASS" >"$PAWL_ARTIFACTS/qa-report.md"';
const DEV = 'cat >/dev/null; echo "$PAWL_VISIT" >>work.txt; echo done >"$PAWL_ARTIFACTS/implementation-summary.md"';

/** The example in a repository of its own; the same names are mapped to scripts, and the tests are a line of shell. */
function example(
  scripts: { review?: string; qa?: string; test?: string },
  more: (text: string) => string = (text) => text,
) {
  const repository = Repository.make();
  for (const path of [HERE, "README.md", "AGENTS.md"])
    cpSync(join(PACKAGE, path), join(repository.folder, path), { recursive: true });
  const { review = APPROVE, qa = PASS, test = "true" } = scripts;
  const mapped = readFileSync(join(PACKAGE, HERE, "self.yaml"), "utf8").replace(
    /(\w+): \{ use: claude-code(, access: read)? \}/g,
    '$1: { use: command, run: "sh agents/$1.sh"$2 }',
  );
  repository.write({
    ...agents({ dev: DEV, review: `cat >/dev/null; ${review}`, qa: `cat >/dev/null; ${qa}` }),
    [`${HERE}/self.yaml`]: more(mapped),
    [`${HERE}/test.sh`]: `${test}\n`,
  });
  repository.commit("the example");
  return repository;
}
const start = (repository: Repository, ...args: string[]) =>
  repository.json(["run", `${HERE}/self.yaml`, "--input", "subject=a door", ...args]);
const visits = (result: { steps: { name: string; visits: number }[] }) => result.steps.map((step) => step.visits);
const at = (attempt: number, then: string, otherwise: string) =>
  `if [ "$PAWL_ATTEMPT" = ${attempt} ]; then ${then}; else ${otherwise}; fi`;

describe("the self loop", () => {
  it("is planned by its launch script as by the command, clean, with the project's README in context", () => {
    verifies("example.self-loop");
    const options = { cwd: PACKAGE, encoding: "utf8" } as const;
    const script = execFileSync("sh", [`${HERE}/run.sh`, "--dry-run"], options);
    const command = execFileSync(process.execPath, ["dist/pawl.js", "run", `${HERE}/self.yaml`, "--dry-run"], options);
    expect(script).toBe(command);
    expect(script.match(/^ {2}\d\. \w+/gm)).toEqual(["  1. dev", "  2. test", "  3. review", "  4. qa", "  5. commit"]);
    expect(script).toMatch(/^Documents.*\n {2}README\.md/m);
    for (const name of ["dev", "review", "qa"]) expect(script).toContain(`agent ${HERE}/agents/${name}.agent.md`);
    expect(script).toMatch(/to the commit "commit": test \(command\), review \(agent\), qa \(agent\)/);
    expect(script).not.toContain("Warnings");
  });

  it("goes back to dev when test, review or qa fails, and commits only after all three have passed", async () => {
    verifies("example.self-loop-routes");
    using repository = example({
      test: '[ "$PAWL_ATTEMPT" -gt 1 ]',
      review: at(2, 'echo "VERDICT: NEEDS CHANGES" >"$PAWL_ARTIFACTS/review-findings.md"', APPROVE),
      qa: at(3, 'echo "VERDICT: FAIL" >"$PAWL_ARTIFACTS/qa-report.md"', PASS),
    });
    const result = await start(repository);
    expect([result.exit, result.outcome, visits(result)]).toEqual([0, "success", [4, 4, 3, 2, 1]]);
    expect(repository.commits()[0]).toBe("feat: a door");
    const prompt = readFileSync(join(dirname(result.journal), "visits", "dev-1", "prompt.md"), "utf8");
    expect(prompt).toMatch(/^You are a developer of this repository/);
    expect(prompt).toContain('the document "README.md"');
    expect(prompt).toContain("Write implementation-summary.md to: ");
  });

  it("ends within the attempt bound, without a commit", async () => {
    verifies("example.self-loop-routes");
    using repository = example({ test: "false" });
    const result = await start(repository);
    expect([result.exit, result.outcome, visits(result)[0]]).toEqual([1, "exhausted", 6]);
    expect(repository.commits()[0]).toBe("the example");
  });
});

describe("the regression suite of the self loop", () => {
  it("takes decorated verdicts for what they say", async () => {
    verifies("example.fixtures");
    using repository = example({
      review: 'printf "# Review\\n\\n**VERDICT: APPROVED**\\n" >"$PAWL_ARTIFACTS/review-findings.md"',
      qa: 'printf "> VERDICT: FAIL\\n\\n- ✅ verdict: pass.\\n" >"$PAWL_ARTIFACTS/qa-report.md"',
    });
    const result = await start(repository);
    expect([result.exit, visits(result)]).toEqual([0, [1, 1, 1, 1, 1]]);
  });

  it("reads no stale artifact: a report that was not written is asked for again, from the same step", async () => {
    verifies("example.fixtures");
    using repository = example({
      review: at(1, 'echo "VERDICT: NEEDS CHANGES" >"$PAWL_ARTIFACTS/review-findings.md"', at(2, "true", APPROVE)),
    });
    const result = await start(repository);
    expect([result.exit, visits(result)]).toEqual([0, [2, 2, 3, 1, 1]]);
  });

  it("counts a verdict that stood there before the agent was cut off", async () => {
    verifies("example.fixtures");
    using repository = example(
      { qa: at(1, 'echo "VERDICT: FAIL" >"$PAWL_ARTIFACTS/qa-report.md"; sleep 60', PASS) },
      (text) => text.replace("max_iterations: 200", "timeout: 3"),
    );
    const result = await start(repository);
    expect([result.exit, visits(result)]).toEqual([0, [2, 2, 2, 2, 1]]);
  });

  it("asks again for an unclear verdict, which is no pass and no way back", async () => {
    verifies("example.fixtures");
    using repository = example({ qa: at(1, 'echo "VERDICT: PASS/FAIL" >"$PAWL_ARTIFACTS/qa-report.md"', PASS) });
    const result = await start(repository);
    expect([result.exit, visits(result)]).toEqual([0, [1, 1, 1, 2, 1]]);
  });

  it("commits nothing where the tree was dirty at the start, and says so with 5", async () => {
    verifies("example.fixtures");
    using repository = example({});
    repository.write({ "mine.txt": "a person's\n" });
    const result = await start(repository);
    expect([result.exit, result.outcome]).toEqual([5, "not-committed"]);
    expect(repository.commits()[0]).toBe("the example");
    expect(repository.read("mine.txt")).toBe("a person's\n");
  });

  it("stops before any agent when the context is empty", async () => {
    verifies("example.fixtures");
    using repository = example({});
    repository.write({ "plan.md": "\n" });
    const end = await repository.pawl(["run", `${HERE}/self.yaml`, "--plan", "plan.md"]);
    expect([end.code, end.err]).toEqual([2, expect.stringContaining('the loader "plan" came back empty')]);
    expect([repository.has("work.txt"), repository.has(".git/pawl")]).toEqual([false, false]);
  });
});
