// The loops and skills that come with Pawl: what they name is there, exactly, and can be read in an empty repository.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FolderLibrary } from "../../src/adapters/library/library.js";
import { parseLoop } from "../../src/config/parse.js";
import { PACKAGE, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { ask, description, plan, skillText, spec, ticked, validation } from "./ground.js";

const LOOPS = ["dev", "plan", "release", "spec", "validate"];
const DELIVERY = [
  "create-ticket plan implement-next-phase implement-next-task commit validate create-pr close-ticket update-memory",
  "run-loop loop-continue status review secure test docs hotfix create-branch sync-branch draft-pr-description",
  "create-release draft-release-note init upgrade",
].flatMap((line) => line.split(" "));
const THINKING = ["brainstorming", "hypothesis-generation", "writing-plans"];
const ON_DOCUMENTS = ["epic-status", "ticket-details", "unit-status", "update-subtask"];
const AIDLC = [
  ...ON_DOCUMENTS,
  ..."apply-aidlc-patches load-backend-rules software-selection postmortem figma".split(" "),
  "export-opencode-tools-to-claude",
];

const libraryOf = (repository: Repository): FolderLibrary =>
  new FolderLibrary({ workspace: repository.folder, bundled: PACKAGE });
function loopOf(name: string) {
  const parsed = parseLoop(readFileSync(join(PACKAGE, "loops", `${name}.yaml`), "utf8"), `loops/${name}.yaml`);
  if ("issues" in parsed) throw new Error(JSON.stringify(parsed.issues));
  if (parsed.file.body !== "skills") throw new Error(`"${name}" is no loop of skills`);
  return parsed.file;
}

test("in an empty repository the five loops are there, valid, and name bundled skills by their exact slugs", async () => {
  verifies("loop.bundled.set");
  using repository = Repository.make();
  const library = libraryOf(repository);
  const listed = await library.loops();
  expect(listed.map(({ name, origin }) => `${name} ${origin}`)).toEqual(
    [...LOOPS, "phase"].sort().map((name) => `${name} bundled`),
  );
  const skills = await library.skills();
  for (const name of LOOPS) {
    const end = await repository.pawl(["validate", join(PACKAGE, "loops", `${name}.yaml`), "--json"]);
    expect(end.json(), name).toMatchObject([{ ok: true, issues: [] }]);
    const planned = await repository.pawl(["plan", name, "--agent", "host"]);
    expect([planned.code, planned.err], name).toEqual([0, ""]);
    for (const skill of loopOf(name).skills) {
      expect(skills).toContainEqual(expect.objectContaining({ name: skill, origin: "bundled" }));
      expect(skill).not.toMatch(/^pawl/);
    }
  }
  expect(loopOf("spec").skills).toEqual(["create-ticket"]);
});

test("they follow one another, a person looks at spec, plan and release, and no failed check is passed over", () => {
  const facts = Object.fromEntries(
    LOOPS.map((name) => [name, { ...loopOf(name), next: loopOf(name).onComplete.success }]),
  );
  expect([facts.spec?.next, facts.plan?.next, facts.dev?.next, facts.validate?.next, facts.release?.next]).toEqual([
    "plan",
    "dev",
    "validate",
    "release",
    undefined,
  ]);
  for (const name of ["spec", "plan", "release"]) expect(facts[name]).toMatchObject({ humanGate: true });
  for (const name of LOOPS) {
    expect(facts[name]).toMatchObject({ gateChannel: "chat" });
    expect(facts[name]?.goalState).not.toBe("");
    expect(facts[name]?.validators.flatMap(({ checks }) => checks).every(({ required }) => required)).toBe(true);
  }
  expect(facts.dev?.repeatUntil).toBe("all_phases_complete");
  expect(facts.release?.skills.at(-1)).toBe("create-pr");
});

test("every validator they name is bundled and, passing, reports every check they declare", async () => {
  verifies("loop.bundled.validators");
  using repository = Repository.make({ "package.json": '{"scripts": {"test": "echo \'# pass 1\'"}}' });
  repository.git("switch", "-q", "-c", "feat/add");
  const notes = { ".pawl/spec.md": spec("feat/add"), ".pawl/tasks.md": ticked(plan("feat/add")) };
  repository.write({ ...notes, ".pawl/pr.md": description("feat/add"), "test/add.test.cjs": "// a test\n" });
  repository.commit("work");
  repository.write({ ".pawl/validation.md": validation("feat/add", repository.git("rev-parse", "HEAD").trim()) });
  repository.commit("notes");
  const uses = LOOPS.flatMap((name) => loopOf(name).validators);
  expect([...new Set(uses.map(({ tool }) => tool))].sort()).toEqual(
    readdirSync(join(PACKAGE, "validators")).map((name) => name.replace(".mjs", "")),
  );
  for (const { tool, checks } of uses) {
    expect(await libraryOf(repository).validator(tool)).toMatchObject([{ origin: "bundled" }]);
    const said = ask(repository, tool);
    expect(said, tool).toMatchObject({ pass: true });
    expect(said.checks.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
  }
});

test("every promised skill is listed with a description and can be opened", async () => {
  verifies("aidlc.skills", "aidlc.commands");
  using repository = Repository.make();
  const library = libraryOf(repository);
  const names = [...DELIVERY, ...THINKING, ...AIDLC].sort();
  expect((await library.skills()).map(({ name }) => name)).toEqual(names);
  for (const name of names) {
    const skill = await library.skill(name);
    expect(skill?.description.length, name).toBeGreaterThan(40);
    expect(skill?.text.split("\n").length, name).toBeGreaterThan(8);
    expect(skillText(name), name).toMatch(new RegExp(`^---\nname: ${name}\ndescription: `));
  }
});

test("a skill names only skills, tools and places that exist", async () => {
  verifies("mcp.slash-skills", "aidlc.commands");
  const names = readdirSync(join(PACKAGE, "skills"));
  for (const name of names) {
    for (const [, other = ""] of skillText(name).matchAll(/skill `([a-z-]+)`/g)) expect(names, name).toContain(other);
    for (const [, other = ""] of skillText(name).matchAll(/`([a-z]+-[a-z-]+)`(?: comes| replaces)/g))
      expect(names, name).toContain(other);
  }
  const tools = (name: string) => skillText(name).match(/MCP tool `[a-z_]+`/g);
  expect(tools("run-loop")).toEqual(["MCP tool `run_loop`"]);
  expect(tools("loop-continue")).toContain("MCP tool `loop_continue`");
  for (const name of ON_DOCUMENTS) expect(skillText(name)).toContain("`aidlc-docs/");
});

test("a skill that a loop names says what to hand in with loop_advance, and that by hand nothing is called", () => {
  for (const name of LOOPS.flatMap((loop) => loopOf(loop).skills)) {
    const [, report = ""] = skillText(name).split("## Report");
    expect(report, name).toMatch(/loop_advance[\s\S]*By hand, say it and call no loop tool/);
  }
});

test("the export of OpenCode's tools fills .claude-local and keeps what was edited by hand", () => {
  verifies("aidlc.commands");
  using repository = Repository.make({
    ".opencode/command/fix.md": "---\ndescription: Mend it\nagent: build\nmodel: x/y\n---\nMend $ARGUMENTS\n",
    ".opencode/agents/team/critic.md":
      "---\ndescription: Looks\nmode: subagent\ntools:\n  write: false\n---\nLook hard.\n",
    ".opencode/skill/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy.\n",
    ".opencode/tool/x.ts": "export {}\n",
    ".opencode/command/notes.txt": "x\n",
  });
  symlinkSync("/etc/passwd", join(repository.folder, ".opencode/command/evil.md"));
  const [, script = ""] = /```sh\n([\s\S]*?)```/.exec(skillText("export-opencode-tools-to-claude")) ?? [];
  const run = () => execFileSync("sh", ["-c", script], { cwd: repository.folder, encoding: "utf8" });

  expect(run()).toMatch(/^written: 3\n[\s\S]*kept: 0\nskipped: 3\n/);
  expect(repository.read(".claude-local/commands/fix.md")).toBe(
    "---\ndescription: Mend it\n---\n<!-- exported from .opencode/command/fix.md -->\nMend $ARGUMENTS\n",
  );
  expect(repository.read(".claude-local/agents/team/critic.md")).toContain(
    "name: team-critic\ndescription: Looks\n---",
  );
  expect(repository.read(".claude-local/skills/tidy/SKILL.md")).toContain("Tidy.");
  expect(existsSync(join(repository.folder, ".claude-local/commands/evil.md"))).toBe(false);

  repository.write({
    ".opencode/command/fix.md": "Mend it all\n",
    ".claude-local/skills/tidy/SKILL.md": "my own\n",
  });
  expect(run()).toMatch(/^written: 2\n[\s\S]*kept: 1\n {2}\.claude-local\/skills\/tidy\/SKILL\.md\n/);
  expect(repository.read(".claude-local/commands/fix.md")).toContain("Mend it all");
  expect(repository.read(".claude-local/skills/tidy/SKILL.md")).toBe("my own\n");

  mkdirSync(join(repository.root, "elsewhere"));
  execFileSync("rm", ["-r", join(repository.folder, ".claude-local")]);
  symlinkSync("../elsewhere", join(repository.folder, ".claude-local"));
  writeFileSync(join(repository.root, "elsewhere", "mine"), "");
  expect(run()).toContain("written: 0");
  expect(readdirSync(join(repository.root, "elsewhere"))).toEqual(["mine"]);
});
