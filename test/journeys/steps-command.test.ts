// Command steps, run for real: the exit code alone decides, a time-out ends everything, and what was printed reaches who mends it.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { agents, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const steps = (list: string, head = "") => ({ "loop.yaml": `name: loop\n${head}steps:\n${list}` });
const verdicts = (result: { steps: { name: string; verdict: string | null }[] }) =>
  Object.fromEntries(result.steps.map((step) => [step.name, step.verdict]));

describe("a command step", () => {
  it("passes with exit 0 and with nothing else: not with 1, an unknown program or a signal", async () => {
    verifies("command.exit-code", "command.mechanical", "cli.run.exit-code");
    const lines: [string, string, number][] = [
      ["fine", "true", 0],
      ["one", "exit 1", 1],
      ["unknown", "no-such-program-at-all", 1],
      ["killed", "kill -KILL $$", 1],
      ["said-so", "echo VERDICT: PASS; echo all tests pass; exit 3", 1],
    ];
    const files = lines.map(([name, line]) => [
      `${name}.yaml`,
      `name: ${name}\nsteps:\n  - {name: it, command: ${JSON.stringify(line)}}\n`,
    ]);
    using repository = Repository.make(Object.fromEntries(files));
    const told: Record<string, string> = {};
    for (const [name, , exit] of lines) {
      const result = await repository.json(["run", `${name}.yaml`]);
      expect([name, result.code, result.exit]).toEqual([name, exit, exit]);
      expect(verdicts(result)).toEqual({ it: exit ? "block" : "pass" });
      told[name] = result.steps[0].findings[0]?.text;
    }
    expect(told.unknown).toBe('"no-such-program-at-all" failed with exit code 127');
    expect(told.killed).toMatch(/was ended by the signal SIGKILL|exit code 137/);
  });

  it("that runs out of time fails, and nothing of it is alive when the next step begins", async () => {
    verifies("command.timeout");
    const stubborn =
      "trap '' TERM INT HUP; (trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do date +%N > beat; sleep 0.05; done') & while :; do sleep 1; done";
    using repository = Repository.make(
      steps(`  - {name: slow, command: ${JSON.stringify(stubborn)}, timeout: 1, on_fail: look}
  - {name: look, command: "a=$(cat beat); sleep 0.4; test \\"$a\\" = \\"$(cat beat)\\""}\n`),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect(verdicts(result)).toEqual({ slow: "block", look: "pass" });
    expect(result.steps[0].findings[0].text).toContain("ran out of time after 1 s");
    expect(result.exit).toBe(0);
  });

  it("has ten minutes when it says nothing of its own, and the plan shows it", async () => {
    verifies("command.timeout");
    using repository = Repository.make(steps("  - {name: it, command: 'true'}\n"));
    const { flow } = await repository.json(["plan", "loop.yaml"]);
    expect(flow.nodes.it.work.timeoutMs).toBe(600_000);
    expect((await repository.pawl(["plan", "loop.yaml"])).out).toMatch(/600 s|10 min/);
  });

  it("hands the end of its output to the agent that mends it, and says whether it failed or ran out of time", async () => {
    verifies("command.output-tail", "attempts.notes-accumulate");
    using repository = Repository.make({
      ...steps(
        `  - {name: dev, agent: dev}
  - name: test
    command: "seq 1 20000; echo \\"tail of $PAWL_ATTEMPT\\"; test $PAWL_ATTEMPT = 1 && exit 9; test $PAWL_ATTEMPT = 2 && sleep 60; exit 0"
    timeout: 1
    on_fail: {goto: dev, retry: true}\n`,
        mapped("dev"),
      ),
      ...agents({ dev: 'cat > "prompt-$PAWL_ATTEMPT.txt"' }),
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.budgets.attempts.spent]).toEqual([0, 3]);
    expect(repository.read("prompt-1.txt")).not.toContain("What went wrong");
    const second = repository.read("prompt-2.txt");
    expect(second).toContain("failed with exit code 9");
    expect(second).toContain("tail of 1");
    expect(second).toContain("20000");
    expect(second).not.toContain("\n1\n2\n3\n"); // the end, not the beginning
    const third = repository.read("prompt-3.txt");
    expect(third).toContain("ran out of time after 1 s");
    expect(third).toContain("tail of 2");
    expect(third.indexOf("exit code 9")).toBeGreaterThan(0);
    expect(third.indexOf("exit code 9")).toBeLessThan(third.indexOf("ran out of time"));
  });

  it("is set up first, within its own time and environment, and a setup that fails is told as one", async () => {
    using repository = Repository.make(
      steps(`  - {name: a, setup: "echo ready > made", command: "test -f made && test \\"$COLOUR\\" = green", env: {COLOUR: green}}
  - {name: b, setup: "exit 4", command: "touch never"}\n`),
    );
    const result = await repository.json(["run", "loop.yaml"]);
    expect(verdicts(result)).toEqual({ a: "pass", b: "block" });
    expect(result.steps[1].findings[0].text).toContain('"setup" failed with exit code 4');
    expect(() => repository.read("never")).toThrow();
  });

  it("sees what was given for the run as variables, never as text of its command", async () => {
    using repository = Repository.make(
      steps(`  - {name: it, command: "printf %s \\"$PAWL_INPUT_WISH\\" > seen; echo $PAWL_INPUT_WISH > /dev/null"}\n`),
    );
    const wish = "x; touch owned; $(touch owned) `touch owned` \"'";
    const result = await repository.json(["run", "loop.yaml", "--input", `wish=${wish}`]);
    expect(result.exit).toBe(0);
    expect(repository.read("seen")).toBe(wish);
    expect(() => repository.read("owned")).toThrow();
  });

  it("finds a here-document of many lines whole, and no terminal", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `      line ${i} of $HOME and "quotes"`).join("\n");
    using repository = Repository.make(
      steps(`  - name: it
    command: |
      cat > out.txt <<'END'
${lines}
      END
      test "$(wc -l < out.txt)" = 60 && ! test -t 0 && ! test -t 1\n`),
    );
    expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
    expect(repository.read("out.txt").split("\n")[59]).toBe('line 59 of $HOME and "quotes"');
  });

  it("that leaves a server behind leaves nothing behind, though it ended well", async () => {
    using repository = Repository.make(
      steps(`  - {name: serve, command: "setsid sh -c 'while :; do date +%N > beat; sleep 0.05; done' & sleep 0.3"}
  - {name: look, command: "a=$(cat beat); sleep 0.3; test \\"$a\\" = \\"$(cat beat)\\""}\n`),
    );
    expect(verdicts(await repository.json(["run", "loop.yaml"]))).toEqual({ serve: "pass", look: "pass" });
  });
});

describe("a secret that a step takes by name", () => {
  it("is masked in the console, the journal, the notes and the record, and never passed on to another step", async () => {
    const secret = "s3cr3t-value-of-this-test";
    using repository = Repository.make({
      ...steps(
        `  - {name: dev, agent: dev}
  - name: test
    command: "test $PAWL_ATTEMPT = 2 || { env; exit 1; }"
    on_fail: {goto: dev, retry: true}\n`,
        `agents:\n  dev: {use: command, run: "sh agents/dev.sh", env: {KEY: {from: MODEL_KEY}}}\n`,
      ),
      ...agents({
        dev: 'cat > "$PAWL_ARTIFACTS/seen.txt"; echo "the key is $KEY"; echo "and $KEY" >&2; test -n "$KEY"',
      }),
    });
    const end = await repository.pawl(["run", "loop.yaml", "--json"], { env: { MODEL_KEY: secret } });
    const result = end.json();
    expect(result.exit).toBe(0);
    const found = execFileSync("sh", ["-c", `grep -rl ${secret} . || true`], {
      cwd: repository.folder,
      encoding: "utf8",
    });
    expect([found, end.out.includes(secret), end.err.includes(secret)]).toEqual(["", false, false]);
    expect(repository.events(result).some((event) => JSON.stringify(event).includes("the key is ***"))).toBe(true);
  });

  it("and that is not set is an issue that names the variable, before anything is done", async () => {
    using repository = Repository.make({
      ...steps(
        "  - {name: dev, agent: dev}\n",
        `agents:\n  dev: {use: command, run: "true", env: {KEY: {from: MODEL_KEY}}}\n`,
      ),
    });
    const end = await repository.pawl(["run", "loop.yaml"], { env: { MODEL_KEYS: "x" } });
    expect(end.code).toBe(2);
    expect(end.err).toContain('the variable "MODEL_KEY", which is not set');
    expect(() => repository.read(".git/pawl")).toThrow(/ENOENT/);
  });
});
