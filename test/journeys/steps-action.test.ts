// Actions, run for real: registered code of the repository, asked once a visit, with no verdict and no way of its own.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, mapped, PACKAGE, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const SAMPLE = join(PACKAGE, "examples", "extension");
const sample = () => ({ "ext/changelog.mjs": readFileSync(join(SAMPLE, "changelog.mjs"), "utf8") });
const loop = (list: string, head = "extensions: [ext/changelog.mjs]\n") => ({
  "loop.yaml": `name: loop\n${head}steps:\n${list}`,
});
const own = (run: string) => ({ "ext/own.mjs": `export default { actions: { own: { run: ${run} } } };\n` });
const OWN = "extensions: [ext/own.mjs]\n";

describe("the sample extension", () => {
  it("has a test of its own that passes", () => {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    expect(execFileSync(process.execPath, ["--test", SAMPLE], { encoding: "utf8", env })).toContain("fail 0");
  });

  it("is called with the run's state and its parameters, and what it returns is there for later steps and the commit", async () => {
    verifies("action.registered");
    using repository = Repository.make({
      ...sample(),
      ...loop(`  - {name: note, action: changelog, params: {line: "feat: {subject}"}}
  - {name: look, command: "test \\"$PAWL_INPUT_CHANGELOG\\" = '- feat: a new door'"}
  - {name: again, action: changelog, params: {line: "feat: {subject}"}, on_fail: failure}
  - {name: commit, action: commit, params: {message: "docs: {subject}"}}\n`),
    });
    const result = await repository.json(["run", "loop.yaml", "--input", "subject=a new door"]);
    expect([result.exit, result.outcome]).toEqual([0, "success"]);
    expect(result.steps.map((step: { verdict: string }) => step.verdict)).toEqual([
      "pass",
      "pass",
      "unchanged",
      "pass",
    ]);
    expect(repository.read("CHANGES.md")).toBe("- feat: a new door\n");
    expect(repository.commits()).toEqual(["docs: a new door", "start"]);
  });
});

describe("an action", () => {
  it("that nobody registered is refused with the registered names, before anything is done", async () => {
    verifies("action.unknown-name");
    using repository = Repository.make({
      ...sample(),
      ...loop("  - {name: a, command: 'touch ran'}\n  - {name: b, action: changlog}\n"),
    });
    for (const args of [
      ["run", "loop.yaml"],
      ["run", "loop.yaml", "--dry-run"],
      ["validate", "loop.yaml"],
    ]) {
      const end = await repository.pawl(args);
      expect(end.code).toBe(2);
      expect(end.out + end.err).toMatch(
        /loop.yaml:5:.*"changlog" is not registered.*commit.*changelog|changelog.*commit/s,
      );
      expect(end.out + end.err).toContain('did you mean "changelog"?');
    }
    expect([existsSync(join(repository.folder, "ran")), existsSync(join(repository.folder, ".git/pawl"))]).toEqual([
      false,
      false,
    ]);
  });

  it("with wrong parameters is refused where they stand", async () => {
    using repository = Repository.make({
      ...sample(),
      ...loop("  - {name: a, action: changelog, params: {lime: x}}\n"),
    });
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect([end.code, end.err.split("\n").length]).toEqual([2, 3]);
    expect(end.err).toContain('"lime" is no parameter of changelog');
    expect(end.err).toContain('"line" must be a text');
  });

  it("that throws stops the run as a fault, keeps what was done, and is asked again by a resume", async () => {
    verifies("action.throws");
    using repository = Repository.make({
      ...own(
        'async ({ workspace }) => { const { existsSync } = await import("node:fs"); if (!existsSync(workspace + "/mended")) throw new Error("the printer is on fire"); }',
      ),
      ...loop(
        "  - {name: before, command: 'echo once >> before.txt'}\n  - {name: print, action: own}\n  - {name: after, command: 'touch after'}\n",
        OWN,
      ),
    });
    const first = await repository.json(["run", "loop.yaml"]);
    expect([first.code, first.exit, first.status]).toEqual([4, 4, "paused"]);
    expect(first.reason).toMatch(/"own" of step "print" failed: Error: the printer is on fire/);
    expect(first.next).toBe(`pawl resume ${first.run}`);
    expect(existsSync(join(repository.folder, "after"))).toBe(false);
    const again = await repository.json(["resume", first.run]);
    expect([again.exit, again.status]).toEqual([4, "paused"]);
    repository.write({ mended: "" });
    const last = await repository.json(["resume", first.run]);
    expect([last.exit, last.outcome]).toEqual([0, "success"]);
    expect(repository.read("before.txt")).toBe("once\n");
    expect(last.steps.map((step: { visits: number }) => step.visits)).toEqual([1, 1, 1]);
  });

  it.each([
    ['({ outcome: "block" })', 'it answered "block", which it never declared'],
    ["({ set: { count: 3 } })", "its answer cannot be read: set must hold names and texts"],
    ['({ findings: ["bad"] })', "its answer cannot be read: findings must be a list of {text, severity}"],
  ])("that answers %s is at fault, for that is no answer", async (end, said) => {
    using repository = Repository.make({ ...own(`() => ${end}`), ...loop("  - {name: a, action: own}\n", OWN) });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, result.reason]).toEqual([4, expect.stringContaining(said)]);
  });

  it("comes from a file that work in the sandbox cannot change", async () => {
    using repository = Repository.make({
      ...own("() => ({})"),
      ...agents({
        dev: `echo 'import "node:fs"; export default { actions: { own: { run() { process.exit(66) } } } };' > ext/own.mjs; rm -rf ext; mv ext other; true`,
      }),
      ...loop(
        "  - {name: dev, agent: dev}\n  - {name: rest, gate: 'go on?'}\n  - {name: a, action: own}\n",
        `${mapped("dev")}${OWN}`,
      ),
    });
    const before = repository.read("ext/own.mjs");
    const gate = await repository.json(["run", "loop.yaml"]);
    expect(gate.exit).toBe(3);
    expect(repository.read("ext/own.mjs")).toBe(before);
    expect((await repository.json(["answer", gate.run, "approve"])).exit).toBe(0);
  });
});

describe("an extension that cannot be loaded", () => {
  it.each([
    ["is not there", {}, /ext\/own\.mjs.*cannot be loaded/],
    ["is no program", { "ext/own.mjs": "export default {" }, /ext\/own\.mjs.*cannot be loaded/],
    ["throws", { "ext/own.mjs": 'throw new Error("not today")' }, /cannot be loaded: not today/],
    ["exports nothing", { "ext/own.mjs": "export const a = 1;" }, /its default export is no object/],
    [
      "has an action without a function",
      { "ext/own.mjs": "export default { actions: { own: {} } };" },
      /no function "run"/,
    ],
    [
      "takes the name of a built-in action",
      { "ext/own.mjs": "export default { actions: { commit: { run() {} } } };" },
      /"commit" is registered twice/,
    ],
    ["has null for an action", { "ext/own.mjs": "export default { actions: { own: null } };" }, /no function "run"/],
  ])("because it %s is named, by a start and a dry run alike, and nothing is done", async (_why, files, said) => {
    using repository = Repository.make({ ...files, ...loop("  - {name: a, command: 'true'}\n", OWN) } as Record<
      string,
      string
    >);
    for (const args of [
      ["run", "loop.yaml"],
      ["run", "loop.yaml", "--dry-run"],
    ]) {
      const end = await repository.pawl(args);
      expect([end.code, end.err.replace(/\n/g, " ")]).toEqual([2, expect.stringMatching(said)]);
    }
    expect(existsSync(join(repository.folder, ".git/pawl"))).toBe(false);
  });
});
