// Extensions as a loop file names them: what they may register, what is said of a broken one, and when their code is run at all.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, mapped, PACKAGE, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const WIKI = { "ext/wiki.mjs": readFileSync(join(PACKAGE, "examples", "extension", "wiki.mjs"), "utf8") };
const loop = (list: string, head: string) => ({ "loop.yaml": `name: loop\n${head}steps:\n${list}` });
const promptOf = (run: { journal: string }, visit: string) =>
  readFileSync(join(dirname(run.journal), "visits", visit, "prompt.md"), "utf8");

describe("an extension", () => {
  it("registers an action, a tool for agents and a document loader: each is used", async () => {
    verifies("extension.three-kinds", "loader.flag-selects");
    using repository = Repository.make({
      ...WIKI,
      "wiki/Home.md": "# Home\nthe door is blue\n",
      ...agents({
        dev: `cat >/dev/null; $PAWL_TOOLS wiki-search '{"text": "door"}' >found.txt
$PAWL_TOOLS wiki-search '{}' 2>said.txt; $PAWL_TOOLS rm '{}' 2>>said.txt; PAWL_NONCE=x $PAWL_TOOLS wiki-search '{"text": "door"}' 2>>said.txt; true`,
      }),
      ...loop(
        `  - {name: dev, agent: dev}
  - {name: note, action: wiki-note, params: {page: Home, text: "seen by {subject}"}}
  - {name: commit, action: commit, params: {message: "docs: {subject}"}}\n`,
        `${mapped("dev")}extensions: [ext/wiki.mjs:Wiki]\n`,
      ),
    });
    const result = await repository.json(["run", "loop.yaml", "--wiki-page", "Home"]);
    expect([result.exit, result.outcome]).toEqual([0, "success"]);
    const prompt = promptOf(result, "dev-1");
    expect(prompt).toMatch(/## Subject[^#]*page Home/);
    expect(prompt).toMatch(/the document "wiki\/Home\.md"\n```text\n# Home\nthe door is blue/);
    expect(prompt).toMatch(/- wiki-search: Finds lines/);
    expect(repository.read("found.txt")).toBe("Home:2: the door is blue\n");
    expect(repository.read("said.txt").split("\n")).toEqual([
      expect.stringContaining("say what to look for"),
      'there is no tool "rm"; there are: wiki-search',
      "this is not the agent of this visit (PAWL_NONCE)",
      "",
    ]);
    expect(repository.read("wiki/Home.md")).toContain("- seen by {subject}\n");
    expect(repository.commits()[0]).toBe("docs: page Home");
    expect((await repository.pawl(["log", result.run])).out).toContain("note (documents): wiki: page Home");
  });

  it("may be a class of a package installed in the repository, and register hooks, a condition and performers", async () => {
    using repository = Repository.make({
      ".gitignore": "calls.txt\n",
      "node_modules/@acme/house/package.json":
        '{"name": "@acme/house", "exports": {".": {"import": "./lib/house.mjs"}}}',
      "node_modules/@acme/house/lib/house.mjs": `import { rule } from "./rule.mjs";
export class House {
  performers = { helper: { use: "command", run: "cat >/dev/null; echo hi >hi.txt" } };
  hooks = { ruled: { check: (params) => (params.word ? [] : [{ path: ["word"], message: '"word" is missing' }]),
    look: async (context, { word }) => rule(word, await context.read("hi.txt")) } };
}\n`,
      "node_modules/@acme/house/lib/rule.mjs":
        'export const rule = (word, text) => text.includes(word) ? { status: "pass", findings: [] } : { status: "block", findings: [{ text: "no " + word, severity: "error" }] };\n',
      "good.yaml":
        'name: good\nextensions: ["@acme/house:House"]\nnodes:\n  - {id: a, actor: agent, agent: helper, exit: [{hook: ruled, with: {word: hi}}], on: {pass: success}}\n',
      "bad.yaml":
        'name: bad\nextensions: ["@acme/house:House"]\nnodes:\n  - {id: a, actor: agent, agent: helper, exit: [ruled], on: {pass: success}}\n',
    });
    const bad = await repository.pawl(["plan", "bad.yaml"]);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('"word" is missing')]);
    const result = await repository.json(["run", "good.yaml"]);
    expect([result.exit, repository.read("hi.txt")]).toEqual([0, "hi\n"]);
  });

  it.each([
    [
      "a module that is not there",
      "ext/no.mjs:Own",
      /extension "ext\/no\.mjs:Own" cannot be loaded: there is no such file/,
    ],
    [
      "a class that is missing",
      "ext/own.mjs:Onw",
      /extension "ext\/own\.mjs:Onw" cannot be loaded: it exports no "Onw"/,
    ],
    ["a constructor that throws", "ext/own.mjs:Bad", /the constructor of "Bad" fails: not today/],
    [
      "a wrong form",
      "ext/own.mjs:",
      /extension "ext\/own\.mjs:" cannot be loaded: it must be "module" or "module:Class"/,
    ],
    ["a module that cannot be imported", "ext/broken.mjs", /extension "ext\/broken\.mjs" cannot be loaded: /],
    ["a package that is not installed", "left-pad:Own", /no package "left-pad" is installed in this repository/],
  ])("is named with its cause when it has %s, and nothing runs", async (_what, entry, said) => {
    verifies("extension.broken");
    using repository = Repository.make({
      "ext/own.mjs": 'export class Own {}\nexport class Bad { constructor() { throw new Error("not today"); } }\n',
      "ext/broken.mjs": "export default {",
      ...loop("  - {name: a, command: 'touch ran'}\n", `extensions: ["${entry}"]\n`),
    });
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect([end.code, end.err]).toEqual([2, expect.stringMatching(said)]);
    expect([repository.has("ran"), existsSync(join(repository.folder, ".git/pawl"))]).toEqual([false, false]);
  });

  it("is loaded by a plan and a run, and by nothing that only looks; what it prints spoils no answer", async () => {
    using repository = Repository.make({
      ".gitignore": "calls.txt\n",
      "ext/own.mjs": `import { appendFileSync } from "node:fs";
appendFileSync(new URL("../calls.txt", import.meta.url), "loaded\\n");
console.log("hello from the extension");
export default { actions: { own: { run() { console.log("called"); } } } };\n`,
      ...loop("  - {name: ask, gate: 'go on?'}\n  - {name: a, action: own}\n", "extensions: [./ext/own.mjs]\n"),
    });
    const gate = await repository.json(["run", "loop.yaml"]);
    expect(gate.exit).toBe(3);
    const loads = repository.read("calls.txt");
    for (const args of [
      ["status"],
      ["status", gate.run],
      ["list"],
      ["log", gate.run],
      ["explain", gate.run],
      [],
      ["doctor"],
      ["--help"],
      ["run", "--help"],
    ])
      await repository.pawl(args);
    expect(repository.read("calls.txt")).toBe(loads);
    expect((await repository.json(["answer", gate.run, "approve"])).exit).toBe(0);
    expect(repository.read("calls.txt").length).toBeGreaterThan(loads.length);
  });

  it("that is not what it was when the run began, a file it imports included, is not loaded again", async () => {
    using repository = Repository.make({
      "ext/own.mjs":
        'import { say } from "./help.mjs";\nexport default { actions: { own: { run: () => ({ output: say }) } } };\n',
      "ext/help.mjs": 'export const say = "as it was";\n',
      ...agents({ dev: "cat >/dev/null; echo 'process.exit(66)' >ext/help.mjs; true" }),
      ...loop(
        "  - {name: dev, agent: dev}\n  - {name: ask, gate: 'go on?'}\n  - {name: a, action: own}\n",
        `${mapped("dev")}extensions: [ext/own.mjs]\n`,
      ),
    });
    const before = repository.read("ext/help.mjs");
    const gate = await repository.json(["run", "loop.yaml"]);
    expect([gate.exit, repository.read("ext/help.mjs")]).toEqual([3, before]); // the work cannot write it
    repository.write({ "ext/help.mjs": "process.exit(66);\n" });
    const end = await repository.pawl(["answer", gate.run, "approve"]);
    expect([end.code, end.err]).toEqual([3, expect.stringMatching(/"ext\/help\.mjs" was changed since the run began/)]);
    repository.write({ "ext/help.mjs": before });
    const last = await repository.json(["answer", gate.run, "approve"]);
    expect([last.exit, last.outcome]).toEqual([0, "success"]);
  });

  it("of a loop that another one starts is fixed with that one: neither its agents nor anybody else changes what will run", async () => {
    using repository = Repository.make({
      "ext/child.mjs": "export default { actions: { own: { run: () => ({}) } } };\n",
      ".pawl/loops/inner.yaml": "name: inner\nextensions: [ext/child.mjs]\nsteps:\n  - {name: a, action: own}\n",
      ...agents({ dev: "cat >/dev/null; echo 'process.exit(66)' >ext/child.mjs; true" }),
      ...loop(
        "  - {name: dev, agent: dev}\n  - {name: ask, gate: 'go on?'}\n  - {name: in, loop: inner}\n",
        mapped("dev"),
      ),
    });
    const before = repository.read("ext/child.mjs");
    const gate = await repository.json(["run", "loop.yaml"]);
    expect([gate.exit, repository.read("ext/child.mjs")]).toEqual([3, before]);
    repository.write({ "ext/child.mjs": "process.exit(66);\n" });
    const changed = await repository.json(["answer", gate.run, "approve"]);
    expect([changed.code, changed.reason]).toEqual([4, expect.stringMatching(/"ext\/child\.mjs" is not what it was/)]);
    repository.write({ "ext/child.mjs": before });
    expect((await repository.json(["resume", gate.run])).exit).toBe(0);
  });

  it("lies in the repository: a link out of it is refused", async () => {
    using repository = Repository.make(loop("  - {name: a, action: own}\n", "extensions: [ext/own.mjs]\n"));
    const outside = join(repository.root, "outside.mjs");
    mkdirSync(join(repository.folder, "ext"));
    symlinkSync(outside, join(repository.folder, "ext/own.mjs"));
    writeFileSync(outside, 'throw new Error("it ran");\n');
    const end = await repository.pawl(["plan", "loop.yaml"]);
    expect([end.code, end.err]).toEqual([2, expect.stringContaining("it lies outside the repository")]);
  });
});
