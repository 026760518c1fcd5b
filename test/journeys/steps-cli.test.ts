// The command line around a steps run: what is asked for, what is refused, what a dry run may do, and one document for programs.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const loop = (list: string, head = "") => `name: loop\n${head}steps:\n${list}`;
const PASSING = { "loop.yaml": loop("  - {name: a, command: 'true'}\n") };
const hasState = (repository: Repository) =>
  existsSync(join(repository.folder, ".git/pawl")) || existsSync(join(repository.folder, ".pawl/jobs"));
/** A PATH with node and git, and no sandbox engine on it. */
function withoutEngine(repository: Repository): Record<string, string> {
  const bin = join(repository.root, "bin");
  mkdirSync(bin);
  for (const name of ["git", "sh", "cat"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  return { PATH: bin };
}

describe("a run", () => {
  it("takes a name or the path of a file anywhere, says its id, and answers with one document", async () => {
    verifies("cli.run.by-path", "resume.run-id", "cli.run.exit-code");
    using repository = Repository.make({ ".pawl/loops/named.yaml": PASSING["loop.yaml"].replace("loop", "named") });
    const outside = join(repository.root, "some where.yaml");
    writeFileSync(outside, PASSING["loop.yaml"]);
    for (const what of [outside, "../some where.yaml", "named"]) {
      const end = await repository.pawl(["run", what, "--json"]);
      const result = end.json();
      expect([end.code, result.exit, result.status]).toEqual([0, 0, "complete"]);
      expect(end.err).toContain(`run ${result.run} starts`);
      const keys = [
        "run",
        "job",
        "loop",
        "status",
        "outcome",
        "reason",
        "next",
        "exit",
        "steps",
        "budgets",
        "journal",
        "record",
      ];
      expect(Object.keys(result)).toEqual(expect.arrayContaining(keys));
      const again = await repository.json(["status", result.run]);
      expect([again.run, again.code]).toEqual([result.run, 0]);
    }
  });

  it("that may not start leaves nothing behind and says what is wrong, with 2", async () => {
    verifies("cli.run.exit-code", "loop.resolve.unknown-name");
    using repository = Repository.make({
      ".pawl/loops/other.yaml": PASSING["loop.yaml"].replace("loop", "other"),
      ...PASSING,
      "empty.yaml": "",
    });
    const refused: [string[], RegExp][] = [
      [["run", "x"], /there is no loop called "x"\n {2}there are: .*other/],
      [["run", "no/such.yaml"], /no\/such\.yaml/],
      [["run", "empty.yaml"], /empty\.yaml/],
      [["run", "loop.yaml", "--max-attempts", "abc"], /--max-attempts.*whole number from 1 to .*"abc"/],
      [["run", "loop.yaml", "--max-attempts", "0"], /"0"/],
      [["run", "loop.yaml", "--max-attempts", "-1"], /"-1"/],
      [["run", "loop.yaml", "--max-attempts", "1e9"], /"1e9"/],
      [["run", "loop.yaml", "--input", "novalue"], /key=value/],
      [["run", "loop.yaml", "--no-such-flag"], /unknown option/],
      [["resume", "--max-attempts", "2.5"], /"2\.5"/],
      [["nonsense"], /unknown command|too many arguments/],
      [["run"], /missing required argument/],
    ];
    for (const [args, said] of refused) {
      const end = await repository.pawl(args);
      expect([args.join(" "), end.code, end.err, end.out]).toEqual([
        args.join(" "),
        2,
        expect.stringMatching(said),
        "",
      ]);
    }
    expect(hasState(repository)).toBe(false);
  });

  it("without a sandbox engine stops with 4 before any state, and says what was tried and how to mend it", async () => {
    using repository = Repository.make({ "loop.yaml": loop("  - {name: a, command: 'touch ran'}\n") });
    const env = withoutEngine(repository);
    const end = await repository.pawl(["run", "loop.yaml"], { env });
    expect([end.code, end.err]).toEqual([
      4,
      expect.stringMatching(
        /SBX-NO-ENGINE: .*(bubblewrap|bwrap)[\s\S]*apt-get install bubblewrap|SBX-NO-ENGINE[\s\S]*install/,
      ),
    ]);
    expect([hasState(repository), existsSync(join(repository.folder, "ran"))]).toEqual([false, false]);
    const told = await repository.pawl(["run", "loop.yaml", "--json"], { env });
    expect([told.code, told.json()]).toMatchObject([4, { exit: 4, error: { code: "sbx-no-engine" } }]);
  });

  it("of actions and gates alone needs no engine", async () => {
    using repository = Repository.make({ "loop.yaml": loop("  - {name: ask, gate: 'go on?'}\n") });
    const env = withoutEngine(repository);
    const gate = await repository.json(["run", "loop.yaml"], { env });
    expect([gate.exit, gate.gate.options]).toEqual([3, ["approve", "reject"]]);
    expect((await repository.json(["answer", gate.run, "reject"], { env })).exit).toBe(1);
  });

  it("prints one JSON document and nothing else on stdout, whatever the command and however it ends", async () => {
    using repository = Repository.make({
      ...PASSING,
      "bad.yaml": "name: bad\nsteps: []\n",
      "noisy.yaml": `name: noisy\n${mapped("dev")}steps:\n  - {name: dev, agent: dev, on_fail: t}\n  - {name: t, command: "echo loud; exit 1"}\n`,
      ...agents({ dev: "echo loud; echo loud >&2; exit 1" }),
    });
    const done = (await repository.pawl(["run", "loop.yaml", "--json"])).json();
    const commands = [
      ["run", "noisy.yaml"],
      ["run", "bad.yaml"],
      ["run", "x"],
      ["resume", done.run],
      ["resume", "nobody-000000"],
      ["status", done.run],
      ["list"],
      ["log", done.run],
      ["explain", done.run],
      ["plan", "loop.yaml"],
      ["validate", "loop.yaml", "bad.yaml"],
      ["verify", done.run],
      ["schema"],
      ["doctor"],
      [],
    ];
    for (const args of commands) {
      const end = await repository.pawl([...args, "--json"]);
      expect(() => end.json(), `${args.join(" ")}: ${end.out}`).not.toThrow();
      expect(end.out).not.toContain("loud\n");
    }
    const { error, exit } = (await repository.pawl(["run", "bad.yaml", "--json"])).json();
    expect([error.code, exit]).toEqual(["bad-loop", 2]);
  });
});

describe("a dry run", () => {
  const file = loop(
    `  - {name: dev, agent: dev, produces: [a.md, b.md], max_iterations: 7, timeout: 90}
  - {name: test, command: "touch ran", setup: "touch set-up", timeout: 30, env: {A: b}, on_fail: {goto: dev, retry: true}}
  - {name: note, action: own, params: {a: 1}}
  - {name: ask, gate: 'go on?', options: [yes, no]}
  - {name: commit, action: commit, params: {message: "feat: {subject}"}}\n`,
    `${mapped("dev")}extensions: [ext/own.mjs]\nadditional_files: [README.md]\nisolation: {memory: 512 MiB}\nmax_attempts: 4\n`,
  );
  const own = `import { appendFileSync } from "node:fs";
const note = (what) => appendFileSync(new URL("../calls.txt", import.meta.url), what + "\\n");
note("loaded");
export default { actions: { own: { run() { note("called"); } } } };\n`;
  const files = { "loop.yaml": file, "ext/own.mjs": own, "README.md": "# hello\n", ...agents({ dev: "touch ran" }) };

  it("says all that a start would do: path, subject, documents, steps with their settings, sandbox", async () => {
    verifies("cli.dry-run.summary");
    using repository = Repository.make(files);
    const end = await repository.pawl(["run", "loop.yaml", "--dry-run", "--input", "subject=a new door"]);
    expect([end.code, end.err]).toEqual([0, ""]);
    for (const part of [
      'Plan of loop "loop" (loop.yaml)',
      /subject +a new door/,
      /Documents \(loader: files\)\n +README\.md/,
      /1\. dev \(agent\): at most 4 visits/,
      "7 turns",
      /90 s/,
      "touch ran",
      "touch set-up",
      /30 s/,
      /3\. note \(action\)/,
      /4\. ask \(gate\)/,
      /to the commit "commit": .*test \(command\).*ask \(a person\)/,
      "attempts: 4, set by max_attempts",
      /Sandbox\n/,
      /512/,
    ])
      expect(end.out).toMatch(part);
  });

  it("works with no engine and no key; loads extensions, calls nothing, leaves nothing", async () => {
    verifies("cli.dry-run.no-effects");
    using repository = Repository.make({
      ...files,
      "keyed.yaml": loop("  - {name: d, agent: d}\n", "agents: {d: {use: claude-code}}\n"),
    });
    const env = withoutEngine(repository);
    expect((await repository.pawl(["--help"], { env })).code).toBe(0);
    expect(existsSync(join(repository.folder, "calls.txt"))).toBe(false);
    const before = repository.git("status", "--porcelain");
    for (const args of [
      ["run", "loop.yaml", "--dry-run"],
      ["plan", "loop.yaml"],
      ["plan", "keyed.yaml"],
    ])
      expect([args, (await repository.pawl(args, { env })).code]).toEqual([args, 0]);
    expect(repository.read("calls.txt")).toBe("loaded\nloaded\n");
    for (const made of ["ran", "set-up"]) expect(existsSync(join(repository.folder, made))).toBe(false);
    expect(hasState(repository)).toBe(false);
    expect(repository.git("status", "--porcelain")).toBe(`${before}?? calls.txt\n`);
  });

  const a = "  - {name: a, command: 'true'}\n";
  it.each([
    ["YAML", loop("  - {name: a, command: 'true'\n"), /loop\.yaml:\d+:\d+/],
    ["a step's settings", loop("  - {name: a, command: 'true', produces: x}\n"), /produces/],
    ["an extension", loop(a, "extensions: [no.mjs]\n"), /no\.mjs/],
    [
      "a verdict set",
      loop("  - {name: a, agent: d, artifact: r.md, verdicts: {pass: OK, fail: OK}}\n", mapped("d")),
      /verdicts/,
    ],
    [
      "a routing target",
      loop("  - {name: a, command: 'true', on_pass: tset}\n  - {name: test, command: 'true'}\n"),
      /"tset".*did you mean "test"/s,
    ],
    ["an agent", loop("  - {name: a, agent: nobody}\n"), /agent "nobody" is not mapped/],
    ["a document", loop(a, "additional_files: [gone.md]\n"), /gone\.md/],
    ["agents_dir", loop(a, "agents_dir: ../elsewhere\n"), /agents_dir/],
    ["the image", loop(a, "isolation: {image: 'not an image!'}\n"), /image/],
    [
      "a key's variable",
      loop("  - {name: a, agent: d}\n", "agents: {d: {use: command, run: x, env: {K: {from: NOPE_KEY}}}}\n"),
      /NOPE_KEY/,
    ],
  ])(
    "reports a fault in %s as a start would, with the same code, and neither leaves anything",
    async (_what, text, said) => {
      verifies("cli.dry-run.checks-all");
      using repository = Repository.make({ "loop.yaml": text });
      const start = await repository.pawl(["run", "loop.yaml"]);
      const dry = await repository.pawl(["run", "loop.yaml", "--dry-run"]);
      expect([dry.code, dry.err]).toEqual([2, expect.stringMatching(said)]);
      expect([start.code, start.err]).toEqual([dry.code, dry.err]);
      expect(hasState(repository)).toBe(false);
    },
  );
});
