// The setup of a command step, run for real: it alone has a way out, to hosts that are named; done once, it is stamped.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const loop = (step: string, head = "") => `name: loop\n${head}steps:\n  - {name: it, ${step}}\n`;
const text = (line: string) => JSON.stringify(line);
const finding = (result: { steps: { findings: { text: string; severity: string }[] }[] }) =>
  result.steps[0]?.findings.map((each) => each.text).join("\n") ?? "";
/** Each run of the setup leaves a line. */
const runs = (repository: Repository) => repository.read("ran").trim().split("\n").length;

describe("a setup", () => {
  it("fetches a package from the registry, where the step's own command reaches nobody", async () => {
    verifies("sandbox.setup.network-on", "sandbox.no-network");
    const fetch = (to: string) =>
      `node -e 'fetch("${to}").then((r) => console.log(r.status), (e) => { console.log("no way"); process.exit(7) })'`;
    using repository = Repository.make({
      "package.json": '{"name": "x", "version": "1.0.0", "dependencies": {"isarray": "2.0.5"}}',
      "loop.yaml": loop(
        `setup: "npm install --no-audit --no-fund 2>&1", command: ${text(`test -d node_modules/isarray && ! ${fetch("https://registry.npmjs.org/isarray")} && ! env | grep -qi _proxy`)}`,
      ),
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(finding(result)).toBe("");
    expect(result.exit).toBe(0);
    const verdict = repository.events(result).find(({ type }) => type === "verdict");
    expect(verdict.verdict.evidence.sandbox).toMatch(/^bubblewrap \d+\.\d+/);
    const folder = join(dirname(result.journal), "visits");
    const log = readFileSync(join(folder, "it-1", "egress.log"), "utf8");
    expect(log).toContain('"host":"registry.npmjs.org:443","verdict":"allowed"');
    expect(log).not.toContain("isarray");
  });

  it("reaches nobody else, past the proxy or through it, and the error names whom it asked for and its last words", async () => {
    verifies("sandbox.setup.network-on", "sandbox.setup.stamp");
    const script = `(exec 3<>/dev/tcp/1.1.1.1/443) 2>/dev/null && exit 1
curl -sS -m 5 https://registry.npmjs.org/ -o /dev/null || exit 2
curl -sS -m 5 https://example.com/ 2>&1; echo "the last words"; exit 3`;
    using repository = Repository.make({
      "setup.sh": script,
      "loop.yaml": loop(
        'setup: "bash setup.sh", command: "touch never"',
        "isolation: {egress: [registry.npmjs.org]}\n",
      ),
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(finding(result)).toContain('"setup" failed with exit code 3');
    expect(finding(result)).toContain("the last words");
    expect(finding(result)).toContain(
      'setup asked for "example.com:443", which `isolation: {egress: […]}` does not name',
    );
    expect(repository.has("never")).toBe(false);
    const told = await repository.pawl(["run", "loop.yaml"]);
    expect([told.code, told.out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining("403 the last words")]);
  });

  it("has no secret in its environment, and nothing of the run", async () => {
    using repository = Repository.make({
      "loop.yaml": loop(
        `setup: "env > seen", command: "test \\"$KEY\\" = hush", env: {COLOUR: green}`,
        "isolation: {env: {KEY: {from: MODEL_KEY}, SHAPE: round}}\n",
      ),
    });
    const end = await repository.pawl(["run", "loop.yaml", "--json"], { env: { MODEL_KEY: "hush" } });
    expect(end.json().exit).toBe(0);
    const seen = repository.read("seen");
    expect(seen).toMatch(/^COLOUR=green$/m);
    expect(seen).toMatch(/^SHAPE=round$/m);
    expect(seen).not.toMatch(/hush|PAWL_NONCE|PAWL_RUN/);
  });
});

describe("the stamp of a setup", () => {
  it("lets the setup be skipped, says so, and holds until the text changes; back again is a change too", async () => {
    verifies("sandbox.setup.stamp");
    const first = loop('setup: "echo one >> ran", command: "test -f ran"');
    using repository = Repository.make({ "loop.yaml": first });
    const run = async () => repository.json(["run", "loop.yaml"]);
    expect(finding(await run())).toBe("");
    const second = await run();
    expect([runs(repository), second.exit]).toEqual([1, 0]);
    expect(finding(second)).toMatch(/setup was not run: its text and the lock files are what they were .* on \d{4}-/);
    repository.write({ "loop.yaml": loop('setup: "echo two >> ran", command: "test -f ran"') });
    await run();
    expect(repository.read("ran")).toBe("one\ntwo\n");
    repository.write({ "loop.yaml": first });
    await run();
    expect(repository.read("ran")).toBe("one\ntwo\none\n");
  });

  it.each([
    ["a lock file in a folder below", { "web/package-lock.json": '{"changed": true}' }],
    ["a lock file that comes to be", { "requirements.txt": "six\n" }],
    ["a variable of the step", { "loop.yaml": loop('setup: "echo x >> ran", command: "true", env: {A: "2"}') }],
    [
      "the hosts it may reach",
      { "loop.yaml": loop('setup: "echo x >> ran", command: "true", env: {A: "1"}', "isolation: {egress: []}\n") },
    ],
  ])("does not hold when %s changes", async (_, change) => {
    using repository = Repository.make({
      "web/package-lock.json": "{}",
      "loop.yaml": loop('setup: "echo x >> ran", command: "true", env: {A: "1"}'),
    });
    for (let i = 0; i < 2; i += 1) await repository.json(["run", "loop.yaml"]);
    expect(runs(repository)).toBe(1);
    repository.write(change as Record<string, string>);
    await repository.json(["run", "loop.yaml"]);
    expect(runs(repository)).toBe(2);
  });

  it("does not hold when what the setup made is gone", async () => {
    using repository = Repository.make({
      "loop.yaml": loop('setup: "mkdir -p modules; echo x >> ran", command: "test -d modules"'),
    });
    await repository.json(["run", "loop.yaml"]);
    repository.sh("rmdir modules");
    expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
    expect(runs(repository)).toBe(2);
  });

  it("is not left by a setup that fails, runs out of time or is killed with Pawl, also where there was one", async () => {
    verifies("sandbox.setup.stamp");
    using repository = Repository.make({
      "package-lock.json": "1",
      "loop.yaml": loop(
        'setup: "echo x >> ran; test ! -f broken && test ! -f slow || { test -f slow && sleep 60; exit 9; }", command: "echo y >> done", timeout: 3',
      ),
    });
    const run = () => repository.json(["run", "loop.yaml"]);
    expect((await run()).exit).toBe(0);
    repository.write({ broken: "", "package-lock.json": "2" });
    expect(finding(await run())).toContain('"setup" failed with exit code 9');
    repository.sh("rm broken; touch slow");
    expect(finding(await run())).toContain('"setup" ran out of time after 3 s');
    const before = runs(repository);
    const killed = repository.start(["run", "loop.yaml"]);
    for (let i = 0; i < 200 && runs(repository) === before; i += 1) await new Promise((done) => setTimeout(done, 50));
    killed.kill("SIGKILL");
    await new Promise((done) => killed.once("close", done));
    expect(repository.read("done")).toBe("y\n");
    repository.sh("rm slow; echo 1 > package-lock.json; printf 1 > package-lock.json");
    expect((await repository.json(["resume"])).exit).toBe(0); // the very same lock file as in the beginning
    expect([runs(repository), repository.read("done")]).toEqual([before + 2, "y\ny\n"]);
  });

  it("lies where no step can see or forge it", async () => {
    verifies("sandbox.state-outside");
    using repository = Repository.make({
      "loop.yaml": loop(
        'setup: "echo x >> ran", command: "ls -A .git/pawl > seen; mkdir -p .git/pawl/setups; touch .git/pawl/setups/forged.json; true"',
      ),
    });
    expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
    expect(repository.read("seen").trim().split("\n")).toEqual(["runs"]); // the way to its own artifacts
    repository.sh("test ! -e .git/pawl/setups/forged.json && ls .git/pawl/setups/*.json");
  });
});

describe("git data that is read only", () => {
  it("is read by commands and agents alike, and changed by neither, in the words of the loop or without them", async () => {
    verifies("sandbox.isolation.git-mutation");
    const tries =
      "git log --format=%s > seen-$PAWL_STEP; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m no; git reset -q --hard HEAD; git push -q . HEAD:refs/heads/other; git update-ref refs/heads/main HEAD; true";
    const steps = `agents: {dev: {use: command, run: "sh agent.sh"}}\nsteps:\n  - {name: one, command: "sh agent.sh"}\n  - {name: two, agent: dev}\n`;
    for (const isolation of ["isolation: {git: readonly}\n", ""]) {
      using repository = Repository.make({ "agent.sh": tries, "loop.yaml": `name: loop\n${isolation}${steps}` });
      const head = repository.git("rev-parse", "HEAD");
      const result = await repository.json(["run", "loop.yaml"]);
      expect([result.exit, repository.read("seen-one"), repository.read("seen-two")]).toEqual([
        0,
        "start\n",
        "start\n",
      ]);
      expect([repository.git("rev-parse", "HEAD"), repository.commits()]).toEqual([head, ["start"]]);
      expect(repository.git("branch", "--format=%(refname:short)")).toBe("main\n");
    }
  });
});
