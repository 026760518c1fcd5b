// Where the documents of a run come from: the options of loaders, loaders that start by themselves, and contexts that are empty.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, mapped, PACKAGE, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const WIKI = readFileSync(join(PACKAGE, "examples", "extension", "wiki.mjs"), "utf8");
const LOOP = `${mapped("dev")}steps:\n  - {name: dev, agent: dev}\n  - {name: commit, action: commit, params: {message: "feat: {subject}"}}\n`;
const plain = { "loop.yaml": `name: loop\n${LOOP}`, ...agents({ dev: "cat >/dev/null; date +%N >work.txt" }) };
const loader = (name: string, more: string) =>
  `export default { loaders: { ${name}: { options: { "${name}-page": { value: "P", about: "a page" } }, ${more}, load: () => ({ subject: "by ${name}", documents: [{ path: "${name}.md", text: "text of ${name}" }] }) } } };\n`;
const promptOf = (run: { journal: string }) =>
  readFileSync(join(dirname(run.journal), "visits", "dev-1", "prompt.md"), "utf8");
const hasState = (repository: Repository) => repository.has(".git/pawl") || repository.has("work.txt");

describe("a plan", () => {
  it("is the document of the run and its subject, from wherever it is named", async () => {
    verifies("loader.plan");
    using repository = Repository.make({ ...plain, "docs/plan.md": "# Round the total\n" });
    const result = await repository.json(["run", "../loop.yaml", "--plan", "plan.md"], {
      cwd: join(repository.folder, "docs"),
    });
    expect(result.exit).toBe(0);
    expect(promptOf(result)).toMatch(/the document "docs\/plan\.md"\n```text\n# Round the total/);
    expect(promptOf(result)).toMatch(/## Subject[^#]*docs\/plan\.md/);
    expect(repository.commits()[0]).toBe("feat: docs/plan.md");
    const gone = await repository.pawl(["run", "loop.yaml", "--plan", "docs/plam.md"]);
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('the plan "docs/plam.md" does not exist')]);
    repository.write({ "blank.md": "\n\n" });
    const blank = await repository.pawl(["plan", "loop.yaml", "--plan", "blank.md"]);
    expect([blank.code, blank.err]).toEqual([2, expect.stringContaining('the loader "plan" came back empty')]);
  });
});

describe("without an option", () => {
  it("no loader starts that may not: no documents, and the loop's name is the subject", async () => {
    verifies("loader.no-flag");
    using repository = Repository.make(plain);
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, repository.commits()[0]]).toEqual([0, "feat: loop"]);
    expect(promptOf(result)).not.toContain("## Documents");
  });

  it("the only loader that may start by itself does, and of two neither", async () => {
    verifies("loader.no-flag");
    const files = {
      "ext/a.mjs": loader("a", "defaultable: true"),
      "ext/b.mjs": loader("b", "defaultable: () => true"),
    };
    using repository = Repository.make({
      ...plain,
      ...files,
      "loop.yaml": `name: loop\nextensions: [ext/a.mjs]\n${LOOP}`,
      "two.yaml": `name: two\nextensions: [ext/a.mjs, ext/b.mjs]\n${LOOP}`,
    });
    const two = await repository.pawl(["run", "two.yaml"]);
    expect([two.code, two.err]).toEqual([
      2,
      expect.stringMatching(/2 loaders may start by themselves: "a" \(--a-page\), "b" \(--b-page\)/),
    ]);
    expect(hasState(repository)).toBe(false);
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, repository.commits()[0]]).toEqual([0, "feat: by a"]);
    expect(promptOf(result)).toContain("text of a");
  });
});

describe("a loader", () => {
  it("that brings nothing stops the run before any agent, and is named", async () => {
    verifies("loader.zero-docs");
    using repository = Repository.make({
      ...plain,
      "ext/wiki.mjs": WIKI,
      "wiki/Empty.md": "",
      "loop.yaml": `name: loop\nextensions: [ext/wiki.mjs:Wiki]\n${LOOP}`,
    });
    const empty = await repository.pawl(["run", "loop.yaml", "--wiki-page", "Empty"]);
    expect([empty.code, empty.err]).toEqual([
      2,
      expect.stringMatching(/the loader "wiki" came back empty: it brought no document[\s\S]*no agent was started/),
    ]);
    const gone = await repository.pawl(["run", "loop.yaml", "--wiki-page=Hme"]);
    expect([gone.code, gone.err]).toEqual([4, expect.stringContaining('there is no page "Hme"; there are: Empty')]);
    expect(hasState(repository)).toBe(false);
  });

  it("shares its option with none, has no default, and is the only one of a command", async () => {
    verifies("loader.option-clashes");
    using repository = Repository.make({
      ...plain,
      "ext/a.mjs": loader("a", "defaultable: false"),
      "ext/twin.mjs": loader("a", "x: 1").replace("loaders: { a:", "loaders: { twin:"),
      "ext/own.mjs": loader("a", "x: 1").replace('"a-page"', '"agent"'),
      "ext/set.mjs": loader("a", "x: 1").replace('about: "a page"', 'about: "a page", default: "Home"'),
      "twice.yaml": `name: twice\nextensions: [ext/a.mjs, ext/twin.mjs]\n${LOOP}`,
      "own.yaml": `name: own\nextensions: [ext/own.mjs]\n${LOOP}`,
      "set.yaml": `name: set\nextensions: [ext/set.mjs]\n${LOOP}`,
      "one.yaml": `name: one\nextensions: [ext/a.mjs]\n${LOOP}`,
    });
    const refused: [string[], RegExp][] = [
      [["twice.yaml"], /the option "--a-page" is added by the loader "a" and by the loader "twin"/],
      [["own.yaml"], /the option "--agent" is added by pawl run itself and by the loader "a"/],
      [["set.yaml"], /the option "--a-page" of the loader "a" has a default/],
      [
        ["one.yaml", "--a-page", "x", "--plan", "loop.yaml"],
        /"--plan" \(loader "plan"\) and "--a-page" \(loader "a"\)/,
      ],
      [["one.yaml", "--plan", "loop.yaml", "--aidlc-unit", "u"], /"--plan" .* and "--aidlc-unit"/],
      [["one.yaml", "--b-page", "x"], /unknown option "--b-page"[\s\S]*--a-page P/],
      [["one.yaml", "--a-page"], /"--a-page" needs a value/],
      [["one.yaml", "stray"], /too many arguments: nothing takes "stray"/],
    ];
    for (const [args, said] of refused) {
      const end = await repository.pawl(["run", ...args]);
      expect([args.join(" "), end.code, end.err]).toEqual([args.join(" "), 2, expect.stringMatching(said)]);
    }
    expect(hasState(repository)).toBe(false);
  });
});

describe("an AI-DLC project", () => {
  const unit = (name: string) => ({
    [`aidlc-docs/construction/${name}/functional-design/model.md`]: `model of ${name}\n`,
    [`aidlc-docs/construction/plans/${name}-code-generation-plan.md`]: `plan of ${name}\n`,
  });
  const state = (line: string) => ({ "aidlc-docs/aidlc-state.md": `# State\n\n${line}\n` });

  it("whose state names the current unit has that unit's documents in context, and says from which line", async () => {
    verifies("loader.aidlc.autodetect");
    using repository = Repository.make({
      ...plain,
      ...unit("invoice-export"),
      ...unit("unit-002-invoice-import"),
      ...state("- **Current Unit**: Unit 2 - invoice-export"),
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(result.exit).toBe(0);
    const prompt = promptOf(result);
    expect(prompt).toContain("model of invoice-export");
    expect(prompt).toContain("plan of invoice-export");
    expect(prompt).not.toContain("invoice-import");
    expect(repository.commits()[0]).toBe("feat: unit invoice-export");
    expect((await repository.pawl(["log", result.run])).out).toContain("aidlc-state.md:3 says");
  });

  it("is asked for a unit by the whole name of its folder, and by no other", async () => {
    verifies("loader.aidlc.exact-slug");
    using repository = Repository.make({ ...plain, ...unit("unit-2"), ...unit("unit-22"), ...state("nothing yet") });
    for (const near of ["2", "unit-02", "Unit-2", "unit-", "../construction/unit-2"]) {
      const end = await repository.pawl(["run", "loop.yaml", "--aidlc-unit", near]);
      expect([near, end.code, end.err]).toEqual([
        near,
        2,
        expect.stringContaining(`there is no unit "${near}" in aidlc-docs/construction; there are: unit-2, unit-22`),
      ]);
    }
    expect(hasState(repository)).toBe(false);
    const result = await repository.json(["run", "loop.yaml", "--aidlc-unit", "unit-2"]);
    expect(result.exit).toBe(0);
    expect(promptOf(result)).toContain("plan of unit-2\n");
    expect(promptOf(result)).not.toContain("unit-22");
  });

  it("whose unit is not clear, or empty, stops with the candidates and what speaks for each (context-3, context-5)", async () => {
    using repository = Repository.make({
      ...plain,
      ...unit("unit-001-a"),
      ...unit("unit-002-b"),
      ...state("Current Unit: None"),
    });
    mkdirSync(join(repository.folder, "aidlc-docs/construction/unit-003-c"));
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect(end.code).toBe(2);
    expect(end.err).toMatch(
      /names no current unit\n {2}unit-001-a: 1 documents, 1 plans, not in the state file\n {2}unit-002-b: .*\n {2}unit-003-c: 0 documents, 0 plans[\s\S]*--aidlc-unit UNIT/,
    );
    const empty = await repository.pawl(["run", "loop.yaml", "--aidlc-unit", "unit-003-c"]);
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('the loader "ai-dlc" came back empty')]);
    expect(hasState(repository)).toBe(false);
  });
});
