// A graph with hook chains: what a chain blocks goes back to whoever works there, then to a person; a person's word leads on.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agents, mapped, PACKAGE, Repository } from "../harness/repository.js";

const loop = (nodes: string, head = "") => ({ ".pawl/loops/graph.yaml": `name: graph\n${head}nodes:\n${nodes}` });
const author = (exit: string, more = "") =>
  loop(`  - {id: write, actor: agent, agent: author, exit: [${exit}], on: {pass: success}${more}}\n`, mapped("author"));
const QUIET = "cat > prompt-$PAWL_VISIT.txt";

/** Wrong in another way each time, and right in the fourth. */
const WRONG =
  "case $PAWL_VISIT in 1) echo '[a](missing.md)' ;; 2) printf 'a\\tb\\n' ;; 3) printf '# A\\n\\n### B\\n' ;; *) echo fine ;; esac";

describe("the example loop design", { timeout: 120_000 }, () => {
  it("repairs the design, asks a person, takes the changes they want, and builds", async () => {
    const good =
      "---\\nstatus: ready\\n---\\n# Design\\n\\n## Architecture\\n\\nOne file.\\n\\n## Testing strategy\\n\\nOne test.\\n";
    using repository = Repository.make({
      ".pawl/loops/design.yaml": readFileSync(`${PACKAGE}/test/examples/loops/design.yaml`, "utf8"),
      ...agents({
        author: `${QUIET}
case $PAWL_VISIT in
1) printf '# Design\\n' ;;
*) printf %b '${good}' ;;
esac > $PAWL_ARTIFACTS/design.md`,
      }),
      "a.test.mjs": "import test from 'node:test'; test('fine', () => {});\n",
    });
    const asked = await repository.json(["run", "design"]);
    expect(asked).toMatchObject({ code: 3, gate: { question: expect.stringContaining("Is the design good?") } });
    expect(asked.gate.options).toEqual(["approved", "approved-with-comments", "changes-requested"]);
    expect(repository.read("prompt-2.txt")).toContain('has no section "Architecture"');
    const back = await repository.json([
      "answer",
      asked.run,
      "changes-requested",
      "--comment",
      "Say more about errors",
    ]);
    expect(back.code).toBe(3);
    expect(repository.read("prompt-3.txt")).toContain("Say more about errors");
    const built = await repository.json(["answer", asked.run, "approved"]);
    expect(built).toMatchObject({ code: 0, outcome: "success" });
    const answers = repository.events(built).filter(({ answer }) => answer);
    expect(answers.map(({ answer, by, verdict }) => [by, answer.who, answer.channel, verdict.outcome])).toEqual([
      ["Test Person", "Test Person", "cli", "changes-requested"],
      ["Test Person", "Test Person", "cli", "approved"],
    ]);
    expect(answers[0].answer).toMatchObject({
      shown: expect.stringMatching(/^[0-9a-f]{64}$/),
      comment: "Say more about errors",
    });
  });
});

describe("an exit chain", { timeout: 120_000 }, () => {
  it("sends its findings back until max_repairs is used up, then asks a person", async () => {
    const notes = `${QUIET}; ${WRONG} > $PAWL_ARTIFACTS/notes.md`;
    using repository = Repository.make({
      ...author("lint-artifacts", ", produces: notes.md, max_repairs: 1"),
      ...agents({ author: notes }),
    });
    const stuck = await repository.json(["run", "graph"]);
    expect(stuck).toMatchObject({ code: 3, gate: { options: ["try-again", "abandon"] } });
    expect(stuck.gate.question).toContain("max_repairs");
    expect(repository.read("prompt-2.txt")).toContain('leads to "missing.md"');
    expect(repository.has("prompt-3.txt")).toBe(false);
    const again = await repository.json(["answer", stuck.run, "try-again", "--comment", "leave the link out"]);
    expect(again).toMatchObject({ code: 0, steps: [{ visits: 4 }] });
    expect(repository.read("prompt-3.txt")).toContain("leave the link out");
  });

  it("gives a node all its repairs whose work lies in its artifacts: the tree stays as it is meanwhile", async () => {
    const notes = `cat > /dev/null
${WRONG} > $PAWL_ARTIFACTS/notes.md`;
    using repository = Repository.make({
      ...author("lint-artifacts", ", produces: notes.md"),
      ...agents({ author: notes }),
    });
    expect(await repository.json(["run", "graph"])).toMatchObject({ code: 0, steps: [{ visits: 4 }] });
  });

  it("asks a person at once when the very same findings come back", async () => {
    using repository = Repository.make({
      ...author("{hook: tree-changed, with: {otherwise: block}}"),
      ...agents({ author: "cat > /dev/null" }),
    });
    const stuck = await repository.json(["run", "graph"]);
    expect(stuck).toMatchObject({ code: 3, gate: { options: ["try-again", "abandon"] } });
    expect(stuck.gate.question).toContain("circles");
    expect(stuck.steps[0].visits).toBe(2);
    expect(await repository.json(["answer", stuck.run, "abandon"])).toMatchObject({ code: 1, outcome: "aborted" });
  });

  it("with a validator passes, repairs, or goes on with a warning where only optional checks fail", async () => {
    const checks = "[{name: tests}, {name: style, required: false}]";
    const files = {
      ...author(`{hook: validator, with: {tool: ask, checks: ${checks}}}`),
      ...agents({ author: `${QUIET}; echo $PAWL_VISIT > work.txt` }),
      "validators/ask.sh": `#!/bin/sh
cat > /dev/null
case $(cat work.txt) in 1) t=false ;; *) t=true ;; esac
printf '{"pass": %s, "checks": [{"name": "tests", "pass": %s, "message": "two tests are red"}, {"name": "style", "pass": false}]}' $t $t
`,
    };
    using repository = Repository.make(files);
    const result = await repository.json(["run", "graph"]);
    expect(result).toMatchObject({ code: 0, outcome: "warning" });
    expect(repository.read("prompt-2.txt")).toContain("two tests are red");
    expect(result.warnings.join()).toContain("style");
  });

  it("with optional checks that failed does what on_optional_failure says", async () => {
    const validator =
      '#!/bin/sh\ncat > /dev/null; echo \'{"pass": true, "checks": [{"name": "style", "pass": false}]}\'\n';
    for (const [policy, code, outcome] of [
      ["proceed", 0, "success"],
      ["pause", 3, null],
    ] as const) {
      const use = "{hook: validator, with: {tool: ask, checks: [{name: style, required: false}]}}";
      const nodes = `  - {id: work, actor: code, command: "true", exit: [${use}], on: {pass: success}}\n`;
      using repository = Repository.make({
        ...loop(nodes, `on_optional_failure: ${policy}\n`),
        "validators/ask.sh": validator,
      });
      expect(await repository.json(["run", "graph"])).toMatchObject({ code, outcome });
    }
  });

  it("cannot turn a person's word into another", async () => {
    const validator =
      '#!/bin/sh\ncat > /dev/null; echo \'{"pass": true, "checks": [{"name": "style", "pass": false}]}\'\n';
    const use = "{hook: validator, with: {tool: ask, checks: [{name: style, required: false}]}}";
    const nodes = `  - {id: ask, actor: human, question: "Good?", options: ["yes", "no"], exit: [${use}], on: {"yes": success, "no": failure}}\n`;
    using repository = Repository.make({ ...loop(nodes), "validators/ask.sh": validator });
    const { run } = await repository.json(["run", "graph"]);
    expect(await repository.json(["answer", run, "no"])).toMatchObject({ code: 1, outcome: "failure" });
  });
});

describe("an entry chain", { timeout: 120_000 }, () => {
  it("that blocks keeps the run out of the node: nobody works there, and a resume looks again", async () => {
    const nodes = `  - {id: build, actor: agent, agent: author, entry: [{hook: validate-artifacts, with: {files: [plan.md]}}], on: {pass: success}}\n`;
    using repository = Repository.make({ ...loop(nodes, mapped("author")), ...agents({ author: QUIET }) });
    const refused = await repository.json(["run", "graph"]);
    expect(refused).toMatchObject({
      code: 3,
      status: "paused",
      reason: expect.stringContaining('entry to "build" was refused'),
    });
    expect(repository.has("prompt-1.txt")).toBe(false);
    repository.write({ "plan.md": "# Plan\n\nDo it.\n" });
    expect(await repository.json(["resume", refused.run])).toMatchObject({ code: 0 });
  });
});

describe("a check that cannot look", { timeout: 120_000 }, () => {
  it("is a fault: it passes nothing, costs no repair, and is asked again on resume", async () => {
    using repository = Repository.make({
      ...author("{hook: validate-artifacts, with: {files: [link.md]}}", ", max_repairs: 1"),
      ...agents({ author: "cat > /dev/null; ln -sf /etc/passwd link.md" }),
    });
    const fault = await repository.json(["run", "graph"]);
    expect(fault).toMatchObject({ code: 4, status: "paused", steps: [{ visits: 1 }] });
    expect(fault.budgets["repairs:write"].spent).toBe(0);
    repository.git("clean", "-fdq");
    repository.write({ "link.md": "# Real\n\nText.\n" });
    expect(await repository.json(["resume", fault.run])).toMatchObject({ code: 0, steps: [{ visits: 1 }] });
  });
});
