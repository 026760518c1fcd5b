// What an agent is told and shown, run for real: documents by path, agent files, pointers it can follow inside the sandbox.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const promptOf = (run: { journal: string }, visit: string) =>
  readFileSync(join(dirname(run.journal), "visits", visit, "prompt.md"), "utf8");
const KEEP = 'cat >"got-$PAWL_STEP-$PAWL_VISIT.txt"';

describe("the context of an agent", () => {
  it("holds the chosen documents, the additional files and the path of each declared output, and is kept", async () => {
    verifies("context.content");
    using repository = Repository.make({
      ...agents({ dev: `${KEEP}; for name in a.md b.md; do echo hi >"$PAWL_ARTIFACTS/$name"; done` }),
      "docs/a/README.md": "first readme\n",
      "docs/b/README.md": "second readme\n",
      "plan.md": "the plan itself\n",
      "loop.yaml": `name: loop\n${mapped("dev")}additional_files: [docs/a/README.md, docs/b/README.md]\nsteps:\n  - {name: dev, agent: dev, produces: [a.md, b.md]}\n`,
    });
    const result = await repository.json(["run", "loop.yaml", "--plan", "plan.md"]);
    expect(result.exit).toBe(0);
    const prompt = promptOf(result, "dev-1");
    expect(repository.read("got-dev-1.txt")).toBe(prompt);
    const at = ['the document "plan.md"', 'the document "docs/a/README.md"', 'the document "docs/b/README.md"'];
    expect(at.map((each) => prompt.indexOf(each))).toEqual(
      at.map((each) => prompt.indexOf(each)).toSorted((a, b) => a - b),
    );
    for (const text of ["the plan itself", "first readme", "second readme"]) expect(prompt).toContain(text);
    const folder = join(dirname(result.journal), "visits", "dev-1", "artifacts");
    for (const name of ["a.md", "b.md"]) expect(prompt).toContain(`Write ${name} to: ${folder}/${name}\n`);
  });

  it("takes additional files from the loop file's own folder, whatever the working directory, and names one that is gone", async () => {
    verifies("context.additional-files");
    const steps = `${mapped("dev")}steps:\n  - {name: dev, agent: dev}\n`;
    using repository = Repository.make({
      ...agents({ dev: KEEP }),
      "README.md": "the top\n",
      "docs/README.md": "the docs\n",
      "docs/loops/loop.yaml": `name: loop\nadditional_files: [../README.md]\n${steps}`,
      "docs/loops/gone.yaml": `name: gone\nadditional_files: [../REDME.md]\n${steps}`,
      ".pawl/loops/named.yaml": `name: named\nadditional_files: [README.md, ../notes.md]\n${steps}`,
      ".pawl/notes.md": "the notes\n",
      "elsewhere/x.txt": "",
    });
    for (const [cwd, loop] of [
      ["", "docs/loops/loop.yaml"],
      ["docs/loops", "loop.yaml"],
      ["elsewhere", "../docs/loops/loop.yaml"],
    ] as const) {
      const result = await repository.json(["run", loop], { cwd: join(repository.folder, cwd) });
      const prompt = promptOf(result, "dev-1");
      expect([result.exit, prompt.includes("the docs"), prompt.includes("the top")]).toEqual([0, true, false]);
    }
    const named = await repository.json(["run", "named"], { cwd: join(repository.folder, "docs") });
    expect(promptOf(named, "dev-1")).toMatch(
      /"README\.md"\n```text\nthe top[\s\S]*"\.pawl\/notes\.md"\n```text\nthe notes/,
    );
    const before = repository.git("rev-parse", "HEAD");
    const gone = await repository.pawl(["run", "docs/loops/gone.yaml"]);
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('document "../REDME.md" does not exist')]);
    expect(repository.git("rev-parse", "HEAD")).toBe(before);
  });

  it("of a loop file from elsewhere never reaches further than that file's own repository", async () => {
    using repository = Repository.make(agents({ dev: KEEP }));
    const other = join(repository.root, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    mkdirSync(join(other, "loops"));
    writeFileSync(join(repository.root, "secret.txt"), "CANARY\n");
    writeFileSync(join(other, "README.md"), "the other's\n");
    const loop = (path: string) =>
      `name: loop\nadditional_files: ["${path}"]\n${mapped("dev")}steps:\n  - {name: dev, agent: dev}\n`;
    writeFileSync(join(other, "loops/ok.yaml"), loop("../README.md"));
    writeFileSync(join(other, "loops/bad.yaml"), loop("../../secret.txt"));
    const ok = await repository.json(["run", join(other, "loops/ok.yaml")]);
    expect([ok.exit, promptOf(ok, "dev-1").includes("the other's")]).toEqual([0, true]);
    const bad = await repository.pawl(["run", join(other, "loops/bad.yaml")]);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining("lies outside the repository")]);
  });

  it("points to what has no room, in a form that can be read from inside the sandbox (context-13, context-15)", async () => {
    using repository = Repository.make({
      ...agents({
        dev: `${KEEP}; for file in $(grep -o '/[^ ]*/beside/[a-z0-9-]*\\.md' "got-dev-$PAWL_VISIT.txt" | sort -u); do cat "$file" >>"read-$PAWL_VISIT.txt"; echo x >>"$file" && echo wrote >>"read-$PAWL_VISIT.txt"; done 2>/dev/null; true`,
      }),
      "big.md": `START ${"words ".repeat(3_000)}END\n`,
      "loop.yaml": `name: loop\nagents: {dev: {use: command, run: "sh agents/dev.sh", prompt_tokens: 4000}}\nadditional_files: [big.md]\nmax_attempts: 3\nsteps:\n  - {name: dev, agent: dev}\n  - {name: test, command: "seq 1 200 | sed 's/^/out of try '$PAWL_ATTEMPT' /'; test $PAWL_ATTEMPT = 3", on_fail: {goto: dev, retry: true}}\n`,
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(result.exit).toBe(0);
    const last = repository.read("got-dev-3.txt");
    expect(last.length).toBeLessThan(16_000);
    expect(last).toContain('The document "big.md" is too long to stand here');
    expect(last).toContain('Step "test", visit 1: failed');
    expect(last).toContain("out of try 2 200"); // the newest stands whole
    expect(last).not.toContain("out of try 1 200");
    const read = repository.read("read-3.txt");
    for (const text of ["START words", "END", "out of try 1 200"]) expect(read).toContain(text);
    expect(read).not.toContain("wrote");
  });

  it("of a reviewer with fresh eyes has the change's documents, and neither the doer's claims nor earlier reviews (context-11)", async () => {
    using repository = Repository.make({
      ...agents({
        dev: `cat >/dev/null; echo "all is done, believe me"; date +%N >work.txt`,
        one: 'cat >/dev/null; echo "EARLIER REVIEW. VERDICT: PASS" >"$PAWL_ARTIFACTS/one.md"; echo "VERDICT: PASS" >>"$PAWL_ARTIFACTS/one.md"',
        two: 'cat >"$PAWL_ARTIFACTS/../seen.txt" 2>/dev/null; echo "VERDICT: PASS" >"$PAWL_ARTIFACTS/two.md"',
      }),
      "loop.yaml": `name: loop
agents:
  dev: {use: command, run: "sh agents/dev.sh"}
  one: {use: command, run: "sh agents/one.sh", access: read}
  two: {use: command, run: "sh agents/two.sh", access: read}
steps:
  - {name: dev, agent: dev}
  - {name: one, agent: one, artifact: one.md, verdicts: {pass: PASS, fail: FAIL}}
  - {name: two, agent: two, artifact: two.md, verdicts: {pass: PASS, fail: FAIL}}\n`,
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(result.exit).toBe(0);
    const prompt = promptOf(result, "two-1");
    expect(prompt).not.toMatch(/believe me|EARLIER REVIEW|one\.md/);
    expect(prompt).toContain("two.md");
  });
});

describe("an agent file", () => {
  const steps = "steps:\n  - {name: build, agent: dev}\n";
  it("in the loop's folder of them says who the agent is; a missing one is named with the step and the path", async () => {
    verifies("agent.file");
    using repository = Repository.make({
      ...agents({ dev: KEEP }),
      "sdk_agents/dev.agent.md": "---\nname: dev\nmodel: small\ntools: [Read, Bash]\n---\n\nYou build doors of oak.\n",
      "sdk_agents/wrong.agent.md": "---\nname: other\n---\n\nText.\n",
      "loop.yaml": `name: loop\nagents_dir: sdk_agents\n${mapped("dev")}${steps}`,
      "gone.yaml": `name: gone\nagents_dir: sdk_agents\n${mapped("qa")}${steps.replaceAll("dev", "qa")}`,
      "wrong.yaml": `name: wrong\nagents_dir: sdk_agents\n${mapped("wrong")}${steps.replaceAll("dev", "wrong")}`,
    });
    const result = await repository.json(["run", "loop.yaml"]);
    expect(result.exit).toBe(0);
    expect(promptOf(result, "build-1")).toMatch(/^You build doors of oak\.\n\nYou do the step "build"\./);
    const plan = (await repository.pawl(["plan", "loop.yaml", "--json"])).json();
    expect(plan.flow.performers.dev).toMatchObject({ use: "command", model: "small", tools: ["Read", "Bash"] });
    const gone = await repository.pawl(["run", "gone.yaml"]);
    expect([gone.code, gone.err]).toEqual([
      2,
      expect.stringContaining('step "build" has the agent "qa", and there is no "sdk_agents/qa.agent.md"'),
    ]);
    const wrong = await repository.pawl(["plan", "wrong.yaml"]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/sdk_agents\/wrong\.agent\.md:2:1 "name" must be "wrong"/),
    ]);
  });

  it("that is not mapped is worked by the default agent, under its own name", async () => {
    using repository = Repository.make({
      ...agents({ any: KEEP }),
      ".pawl/config.yaml": 'agents:\n  any: {use: command, run: "sh agents/any.sh"}\nagent: any\n',
      ".pawl/agents/dev.agent.md": "---\nname: dev\nmodel: small\n---\n\nYou build doors of oak.\n",
      "loop.yaml": `name: loop\n${steps}`,
    });
    const plan = (await repository.pawl(["plan", "loop.yaml", "--json"])).json();
    expect(plan.flow.performers.dev).toMatchObject({ use: "command", model: "small" });
    const result = await repository.json(["run", "loop.yaml"]);
    expect([result.exit, promptOf(result, "build-1").startsWith("You build doors of oak.")]).toEqual([0, true]);
  });
});
