// Carrying a steps run on, with the real program: after a kill, a stop, used-up attempts, by two people at once, from another folder.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, ended, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const loop = (list: string, head = "") => ({ "loop.yaml": `name: loop\n${head}steps:\n${list}` });
const until = async (fact: () => boolean) => {
  for (let i = 0; i < 600 && !fact(); i++) await new Promise((done) => setTimeout(done, 50));
  expect(fact()).toBe(true);
};
const there = (repository: Repository, name: string) => existsSync(join(repository.folder, name));
const visits = (result: { steps: { name: string; visits: number }[] }) =>
  Object.fromEntries(result.steps.map((step) => [step.name, step.visits]));

/** What an agent was given: the prompt, with the file that it points to for the older notes in the place of the pointer. */
const given = (repository: Repository, name: string): string =>
  repository
    .read(name)
    .replace(/\(what these older ones said stands whole in (\S+)\)/, (_, path: string) => readFileSync(path, "utf8"));

/** Fails twice, is slow the third time: the moment to kill it. */
const slow = () => ({
  ...loop(
    `  - {name: dev, agent: dev}
  - {name: test, command: "echo \\"says test $PAWL_ATTEMPT\\"; test $PAWL_ATTEMPT = 3", on_fail: {goto: dev, retry: true}}\n`,
    mapped("dev"),
  ),
  ...agents({
    dev: `cat > "prompt-$PAWL_ATTEMPT.txt"; echo $PAWL_ATTEMPT >> starts.txt
test $PAWL_ATTEMPT != 3 || test -e go || { touch slow; sleep 30; }`,
  }),
});

describe("a run that was killed", () => {
  it("goes on at the step it was in: no earlier one is repeated, every note is still there", async () => {
    verifies("resume.notes-intact", "resume.checkpoint-each-boundary");
    using repository = Repository.make(slow());
    const child = repository.start(["run", "loop.yaml"]);
    const end = ended(child);
    await until(() => there(repository, "slow"));
    child.kill("SIGKILL");
    await end;
    const looked = await repository.json(["status"]);
    expect([looked.code, looked.status, looked.next]).toEqual([0, "running", `pawl resume ${looked.run}`]);
    repository.write({ go: "" });
    const result = await repository.json(["resume"]);
    expect([result.run, result.exit, visits(result)]).toEqual([looked.run, 0, { dev: 3, test: 3 }]);
    expect(repository.read("starts.txt")).toBe("1\n2\n3\n3\n");
    const prompt = given(repository, "prompt-3.txt");
    expect([prompt.indexOf("says test 1") > 0, prompt.indexOf("says test 2") > prompt.indexOf("says test 1")]).toEqual([
      true,
      true,
    ]);
    expect(readdirSync(join(result.journal, "../visits")).filter((name) => name.startsWith("dev-3"))).toEqual([
      "dev-3",
      "dev-3.2",
    ]);
  });

  it("by Ctrl-C is parked with 130, leaves nobody at work, and goes on with its notes", async () => {
    verifies("resume.notes-intact");
    using repository = Repository.make(slow());
    const child = repository.start(["run", "loop.yaml", "--json"]);
    const end = ended(child);
    await until(() => there(repository, "slow"));
    child.kill("SIGINT");
    const told = await end;
    const parked = told.json();
    expect([told.code, parked.exit, parked.status, parked.reason]).toEqual([
      130,
      130,
      "paused",
      "interrupted by SIGINT",
    ]);
    repository.write({ go: "" });
    const result = await repository.json(["resume", parked.run]);
    expect([result.exit, visits(result)]).toEqual([0, { dev: 3, test: 3 }]);
    expect(given(repository, "prompt-3.txt")).toContain("says test 1");
  });

  it("is driven by one of two people who resume it at once; the other is told who holds it", async () => {
    using repository = Repository.make(slow());
    const child = repository.start(["run", "loop.yaml"]);
    const end = ended(child);
    await until(() => there(repository, "slow"));
    const { run } = await repository.json(["status"]);
    const second = await repository.pawl(["resume", run]);
    expect([second.code, second.err]).toEqual([
      3,
      expect.stringMatching(new RegExp(`${run}.*process ${child.pid}|process ${child.pid}`)),
    ]);
    const started = await repository.pawl(["run", "loop.yaml"]);
    expect([started.code, started.err]).toEqual([3, expect.stringContaining(`pawl resume ${run}`)]);
    child.kill("SIGKILL");
    await end;
    repository.write({ go: "" });
    const both = await Promise.all([
      repository.pawl(["resume", run, "--json"]),
      repository.pawl(["resume", run, "--json"]),
    ]);
    const codes = both.map((each) => each.code).sort();
    expect([codes[0], repository.read("starts.txt").startsWith("1\n2\n3\n3\n")]).toEqual([0, true]);
    expect([1, 3]).toContain(codes[1]); // held by the other, or over already
    const events = repository.events(both.find((each) => each.code === 0)?.json());
    expect(events.filter((event) => event.type === "verdict" && event.ticket.startsWith("test@3"))).toHaveLength(1);
  });
});

describe("attempts that are used up", () => {
  it("are extended by a resume, with those made still counted and the notes still there, and the change in the journal", async () => {
    verifies("resume.after-exhaustion", "attempts.flag-overrides");
    using repository = Repository.make({
      ...loop(
        `  - {name: dev, agent: dev}
  - {name: test, command: "echo \\"says test $PAWL_ATTEMPT\\"; test $PAWL_ATTEMPT = 5", on_fail: {goto: dev, retry: true}}
  - {name: commit, action: commit}\n`,
        `${mapped("dev")}max_attempts: 9\n`,
      ),
      ...agents({ dev: 'cat > "prompt-$PAWL_ATTEMPT.txt"' }),
    });
    const first = await repository.json(["run", "loop.yaml", "--max-attempts", "2"]);
    expect([first.exit, first.outcome, first.budgets.attempts]).toEqual([
      1,
      "exhausted",
      { spent: 2, limit: 2, set_by: "max_attempts" },
    ]);
    expect([first.next, repository.commits()]).toEqual([`pawl resume ${first.run} --max-attempts 4`, ["start"]]);
    const refused = await repository.pawl(["resume", first.run]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--max-attempts 4")]);
    const second = await repository.pawl(["resume", first.run, "--max-attempts", "2"]);
    expect([second.code, second.err]).toEqual([2, expect.stringMatching(/2/)]);
    const last = await repository.json(["resume", first.run, "--max-attempts", "5"]);
    expect([last.exit, visits(last)]).toEqual([0, { dev: 5, test: 5, commit: 1 }]);
    expect(given(repository, "prompt-5.txt")).toMatch(
      /says test 1[\s\S]*says test 2[\s\S]*says test 3[\s\S]*says test 4/,
    );
    const extended = repository.events(last).filter((event) => event.type === "extended");
    expect(extended).toMatchObject([{ budget: "attempts", by: "Test Person" }]);
    const { story } = await repository.json(["log", last.run]);
    expect(JSON.stringify(story)).toMatch(/max_attempts.*2.*5/);
  });

  it("are explained: the rule, the step, what else could have been, and what to type", async () => {
    using repository = Repository.make(
      loop(
        `  - {name: dev, command: "true"}\n  - {name: test, command: "echo broken; exit 3", on_fail: {goto: dev, retry: true}}\n`,
      ),
    );
    const { run } = await repository.json(["run", "loop.yaml", "--max-attempts", "2"]);
    const { out } = await repository.pawl(["explain", run]);
    const text = out.replace(/\s+/g, " ");
    expect(text).toContain(
      '"test" ends as "block" on visit 2. The way to "dev" costs max_attempts, and all 2 are used up: the run goes to failure (exhausted) instead.',
    );
    expect(text).toContain('"echo broken; exit 3" failed with exit code 3');
    expect(text).toMatch(/What else could have happened .*pass → success/);
    expect(text).toContain(`To do next pawl resume ${run} --max-attempts 4`);
    const step = await repository.json(["explain", run, "test"]);
    expect(step.visits.map((visit: { outcome: string }) => visit.outcome)).toEqual(["block", "block"]);
    expect((await repository.pawl(["explain", run, "tset"])).err).toContain("the steps are: dev, test");
  });
});

describe("a run id", () => {
  it("that no run has is refused by every command with where it was looked for, and creates nothing", async () => {
    verifies("resume.run-id");
    using repository = Repository.make(loop("  - {name: a, command: 'true'}\n"));
    for (const args of [
      ["resume", "loop-zzzzzz"],
      ["status", "loop-zzzzzz"],
      ["answer", "loop-zzzzzz", "approve"],
      ["explain", "loop-zzzzzz"],
      ["stop", "loop-zzzzzz"],
      ["resume", "../../etc"],
    ]) {
      const end = await repository.pawl(args);
      expect(end.code).not.toBe(0);
      expect([args, end.err]).toEqual([args, expect.stringContaining(args[1] ?? "")]);
      expect(end.err).toContain(join(repository.folder, ".git/pawl/runs"));
    }
    expect([there(repository, ".git/pawl"), there(repository, ".pawl")]).toEqual([false, false]);
  });
});

describe("state_dir", () => {
  const list = `  - {name: dev, agent: dev, produces: a.md}
  - {name: look, command: "! ls state/* >/dev/null 2>&1; mkdir state/planted 2>/dev/null; rm -rf state 2>/dev/null; true"}
  - {name: ask, gate: 'go on?'}
  - {name: commit, action: commit}\n`;
  const files = agents({ dev: 'echo "$PAWL_ARTIFACTS" > "$PAWL_ARTIFACTS/a.md"; echo work > work.txt' });
  const artifact = (result: { journal: string }) => join(result.journal, "../visits/dev-1/artifacts/a.md");

  it("left out: journal and artifacts stand outside the tree, the artifacts within reach of the step", async () => {
    verifies("resume.state-dir");
    using repository = Repository.make({ ...loop(list, mapped("dev")), ...files });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(result.journal).toBe(join(repository.folder, ".git/pawl/runs", result.run, "journal.jsonl"));
    expect(readFileSync(artifact(result), "utf8")).toBe(`${dirname(artifact(result))}\n`);
  });

  it("keeps them in that folder of the repository, hidden from the work, no part of its tree and of no commit", async () => {
    verifies("resume.state-dir");
    using repository = Repository.make({ ...loop(list, `${mapped("dev")}state_dir: state\n`), ...files });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.journal]).toEqual([3, join(repository.folder, "state", result.run, "journal.jsonl")]);
    expect(existsSync(artifact(result))).toBe(true);
    expect(repository.git("status", "--porcelain", "--", ":!.pawl")).toBe("?? work.txt\n");
    const done = await repository.json(["answer", result.run, "approve"]);
    expect([done.exit, done.outcome]).toEqual([0, "success"]);
    expect(repository.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("work.txt");
    expect((await repository.pawl(["verify", result.run])).code).toBe(0);
  });

  it("that cannot be written, or is no folder of its own, is refused before any step", async () => {
    const step = "  - {name: a, command: 'touch ran'}\n";
    for (const [dir, code, said] of [
      ["blocked/state", 4, "blocked/state"],
      [".", 2, "cannot be the repository itself"],
      ["../out", 2, "state_dir"],
    ] as const) {
      using repository = Repository.make({ ...loop(step, `state_dir: ${dir}\n`), blocked: "a file\n" });
      const end = await repository.pawl(["run", "loop.yaml"]);
      expect([end.code, end.err, there(repository, "ran")]).toEqual([code, expect.stringContaining(said), false]);
    }
  });
});
