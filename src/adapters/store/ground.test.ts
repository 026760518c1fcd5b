import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Choices } from "../../setup/model.js";
import { planOf } from "../../setup/plan.js";
import { everyWish, wishesOf } from "../../setup/wishes.js";
import { openGround } from "./ground.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-ground-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

test("shipped skills are whole folders of texts, sorted, without what is hidden, a link or no skill", () => {
  write({
    "package/skills/review/SKILL.md": "review",
    "package/skills/review/references/list.md": "list",
    "package/skills/review/.hidden": "x",
    "package/skills/.git/SKILL.md": "x",
    "package/skills/alone.md": "x",
    "package/skills/empty/other.md": "x",
    "package/skills/build/SKILL.md": "build",
  });
  symlinkSync("/etc/hostname", join(root, "package/skills/review/linked.md"));
  mkdirSync(join(root, "tree"));
  const ground = openGround({ workspace: join(root, "tree"), bundled: join(root, "package") });
  expect(ground.shippedSkills()).toEqual([
    { slug: "build", files: { "SKILL.md": "build" } },
    { slug: "review", files: { "SKILL.md": "review", "references/list.md": "list" } },
  ]);
});

test("skills are copied under their own names, renewed, kept when a person changed them, and taken away", () => {
  const ground = openGround({ workspace: join(root, "tree"), bundled: join(root, "package") });
  const choices: Choices = { clients: ["claude-code", "codex"], command: ["pawl"], hook: false, skills: ["review"] };
  const carryOut = (skills = ground.shippedSkills(), traces = {}, wanted: Choices | undefined = choices) => {
    const surroundings = { choices, skills, settings: {}, named: {}, isRepository: true, look: ground.look };
    const every = everyWish(surroundings);
    const plan = planOf({
      wishes: wanted ? wishesOf(surroundings) : [],
      every,
      traces,
      look: ground.look,
      sha256: (text) => `#${text}`,
    });
    for (const { path, before, after } of plan.changes) ground.replace(path, before, after);
    return plan;
  };
  const tree = (path: string) => readFileSync(join(root, "tree", path), "utf8");
  const first = carryOut();
  expect(tree(".agents/skills/review/references/list.md")).toBe("list");
  expect(tree(".claude/skills/review/SKILL.md")).toBe("review");
  expect(readdirSync(join(root, "tree/.claude/skills"))).toEqual(["review"]);
  expect(carryOut(undefined, first.traces).changes).toEqual([]);
  write({ "tree/.claude/skills/review/SKILL.md": "mine", "package/skills/review/SKILL.md": "newer" });
  const second = carryOut(undefined, first.traces);
  expect(second.left).toEqual([{ path: ".claude/skills/review/SKILL.md", why: "was changed by a person" }]);
  expect([tree(".claude/skills/review/SKILL.md"), tree(".agents/skills/review/SKILL.md")]).toEqual(["mine", "newer"]);
  const third = carryOut([], second.traces);
  expect(third.left).toMatchObject([{ path: ".claude/skills/review/SKILL.md" }]);
  expect(readdirSync(join(root, "tree/.claude/skills/review"))).toEqual(["SKILL.md"]);
  expect(readdirSync(join(root, "tree"))).not.toContain(".agents");
});

test("a file that changed meanwhile, and one behind a link, are not written", () => {
  write({ "tree/a.md": "one" });
  symlinkSync(join(root, "package"), join(root, "tree", "out"));
  const ground = openGround({ workspace: join(root, "tree"), bundled: join(root, "package") });
  expect(() => ground.replace("a.md", "other", "new")).toThrow(/was changed meanwhile/);
  expect(() => ground.replace("out/new.md", undefined, "x")).toThrow(/out/);
  expect(() => ground.replace("../x.md", undefined, "x")).toThrow();
  expect(() => ground.replace(".git/hooks/x", undefined, "x")).toThrow(/no path of the work tree/);
  expect(readdirSync(join(root, "package"))).toEqual(["skills"]);
  expect(readdirSync(root).sort()).toEqual(["package", "tree"]);
});
