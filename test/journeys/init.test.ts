// pawl init and upgrade in real repositories: what is written, what is never touched, and that all of it can be taken back.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseSettings } from "../../src/config/settings.js";
import { CLIENT_NAMES } from "../../src/setup/model.js";
import { Repository } from "../harness/repository.js";
import { Terminal } from "../harness/terminal.js";
import { verifies } from "../harness/verifies.js";

/** Every file of the work tree with its bytes and mode, links with their targets. */
function snapshot({ folder }: Repository): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".git/"));
  return Object.fromEntries(
    names.flatMap((name) => {
      const stat = lstatSync(join(folder, name));
      if (stat.isDirectory()) return [];
      const text = stat.isSymbolicLink() ? "link" : readFileSync(join(folder, name), "latin1");
      return [[name, `${stat.mode.toString(8)} ${text}`]];
    }),
  );
}
const ALL = ["init", "--ides", CLIENT_NAMES.join(","), "--skills", "all", "--yes"];
const PEOPLE = {
  "AGENTS.md": "# Mine\r\n\r\nWith CRLF, and no end",
  "CLAUDE.md": "\ufeffWith a mark of order\n",
  "GEMINI.md": "",
  ".gitignore": "node_modules\n\n\n",
  ".claude/settings.json":
    '{\n\t"permissions": {"allow": ["Bash(ls)"], "deny": []},\n\t"hooks": {"Stop": [{"hooks": []}]}\n}',
  ".mcp.json": '{"mcpServers": {"other": {"command": "x"}}}\n',
  "opencode.jsonc": '{\n  // mine\n  "model": "a/b", /* why */\n  "mcp": {},\n}\n',
  ".gemini/settings.json": "{ }",
  ".vscode/mcp.json": '// servers\n{ "servers": {\n  } }\n',
  ".codex/config.toml": 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"',
  ".agents/skills/mine/SKILL.md": "---\nname: mine\n---\nMine.\n",
};

test("init writes for every client, a second run and upgrade change nothing, and remove gives the bytes back", async () => {
  using repository = Repository.make(PEOPLE);
  chmodSync(join(repository.folder, "CLAUDE.md"), 0o640);
  const before = snapshot(repository);
  const first = await repository.json(ALL);
  expect(first).toMatchObject({ code: 0, written: true, left: [] });
  expect(repository.read("AGENTS.md").startsWith(PEOPLE["AGENTS.md"])).toBe(true);
  expect(repository.read("AGENTS.md").replaceAll("\r\n", "")).not.toContain("\n");
  expect(statSync(join(repository.folder, "CLAUDE.md")).mode & 0o777).toBe(0o640);
  expect(repository.read(".codex/config.toml")).toContain(
    '[mcp_servers.pawl]\ncommand = "pawl"\nargs = ["mcp"]\ndefault_tools_approval_mode = "approve"',
  );
  expect(repository.read("opencode.jsonc")).toContain('"model": "a/b", /* why */');
  expect(repository.has("opencode.json")).toBe(false);
  const claude = JSON.parse(repository.read(".claude/settings.json"));
  expect(claude.permissions).toEqual({ allow: ["Bash(ls)", "mcp__pawl"], deny: [] });
  expect(claude.hooks.Stop).toEqual([
    { hooks: [] },
    { hooks: [expect.objectContaining({ command: "pawl hook end-of-turn" })] },
  ]);
  expect(JSON.parse(repository.read(".gemini/settings.json")).mcpServers.pawl).toEqual({
    command: "pawl",
    args: ["mcp"],
    trust: true,
  });
  expect(JSON.parse(repository.read(".github/hooks/pawl.json")).hooks.agentStop).toHaveLength(1);
  expect(repository.read(".cursor/rules/pawl.mdc")).toMatch(/^---\n[\s\S]*alwaysApply: true\n---\n/);
  expect(repository.git("check-ignore", ".pawl/local/x").trim()).toBe(".pawl/local/x");
  const after = snapshot(repository);
  for (const again of [ALL, ["init", "--yes"], ["upgrade", "--yes"], ["init", "--check"], ["upgrade", "--check"]]) {
    const end = await repository.pawl(again);
    expect([end.code, end.out], again.join(" ")).toEqual([0, "everything is as it should be; nothing was written\n"]);
  }
  expect(snapshot(repository)).toEqual(after);
  expect((await repository.pawl(["init", "--remove", "--yes"])).code).toBe(0);
  expect(snapshot(repository)).toEqual(before);
});

test("what is written loads: the settings are valid, and the loops folder and the memory bank are there", async () => {
  using repository = Repository.make();
  await repository.pawl(["init", "--yes", "--branch-base", "develop", "--ides", "vscode"]);
  const parsed = parseSettings(repository.read(".pawl/config.yaml"), "config.yaml");
  expect(parsed).toMatchObject({ settings: { branchBase: "develop", ides: ["vscode"] } });
  for (const name of ["projectbrief", "productContext", "systemPatterns", "techContext", "activeContext"])
    expect(repository.has(`.pawl/${name}.md`), name).toBe(true);
  expect(repository.read(".pawl/activeContext.md")).toContain("\n## Open learnings and decisions\n");
  expect(repository.has(".pawl/loops/.gitkeep")).toBe(true);
});

test("a memory file and settings that are there are people's: only a key that is named changes, comments and order stay", async () => {
  const config = "# mine\nproduction_branch: main # live\nbranch_base:\nides: vscode\n";
  using repository = Repository.make({ ".pawl/activeContext.md": "ours\n", ".pawl/config.yaml": config });
  await repository.pawl(["init", "--yes", "--branch-base", "release/1"]);
  expect(repository.read(".pawl/activeContext.md")).toBe("ours\n");
  expect(repository.read(".pawl/config.yaml")).toBe(config.replace("branch_base:", "branch_base: release/1"));
  expect(repository.has(".vscode/mcp.json")).toBe(true); // one editor, not six letters
  expect((await repository.pawl(["init", "--remove", "--yes"])).code).toBe(0);
  expect(repository.read(".pawl/config.yaml")).toContain("release/1");
});

test("check says by its exit code whether something would change, and writes nothing", async () => {
  using repository = Repository.make({ "CLAUDE.md": "x" });
  const before = snapshot(repository);
  const would = await repository.pawl(["init", "--check"]);
  expect([would.code, would.out]).toEqual([
    1,
    expect.stringMatching(/change {2}CLAUDE\.md[\s\S]*nothing was written\n$/),
  ]);
  expect(snapshot(repository)).toEqual(before);
  await repository.pawl(["init", "--yes"]);
  expect((await repository.pawl(["init", "--check"])).code).toBe(0);
  repository.write({ "CLAUDE.md": repository.read("CLAUDE.md").replace("current skill only", "everything") });
  expect((await repository.pawl(["init", "--check"])).code).toBe(1);
  expect((await repository.pawl(["upgrade", "--yes"])).out).toContain(
    "change  CLAUDE.md  the rules for agents\nwritten",
  );
  expect((await repository.pawl(["init", "--check"])).code).toBe(0);
});

test("without a terminal and without a word to write, the diff is shown and nothing is written", async () => {
  using repository = Repository.make({ "AGENTS.md": "mine\n" });
  const end = await repository.pawl(["init"]);
  expect(end.code).toBe(3);
  expect(end.out).toMatch(/--- a\/AGENTS\.md\n\+\+\+ b\/AGENTS\.md\n@@ -1,1 \+1,\d+ @@\n mine\n\+/);
  expect(end.out).toContain("to write it: add --yes");
  expect(repository.read("AGENTS.md")).toBe("mine\n");
  expect(repository.has(".pawl")).toBe(false);
});

test("a broken block, broken JSON and TOML, a link, a second name and a binary file are left alone and told; all else is written", async () => {
  const files = {
    "AGENTS.md": "mine\n<!-- pawl:begin -->\nold\n",
    ".mcp.json": "{ not json",
    ".codex/config.toml": 'a = """\n',
    "secret.txt": "outside\n",
  };
  using repository = Repository.make(files);
  const { folder } = repository;
  mkdirSync(join(folder, ".claude"));
  symlinkSync(join(repository.root, "elsewhere"), join(folder, ".gemini"));
  symlinkSync("/etc/hostname", join(folder, "GEMINI.md"));
  linkSync(join(folder, "secret.txt"), join(folder, "CLAUDE.md"));
  mkdirSync(join(folder, ".github"));
  writeFileSync(join(folder, ".github/copilot-instructions.md"), Buffer.from([0x61, 0xff, 0x0a]));
  const end = await repository.json(["init", "--ides", "claude-code,codex,gemini,vscode", "--yes"]);
  expect(end.code).toBe(0);
  const left = Object.fromEntries(end.left.map(({ path, why }: { path: string; why: string }) => [path, why]));
  expect(left).toMatchObject({
    "AGENTS.md": expect.stringContaining("do not belong together"),
    ".mcp.json": "is not JSON, even with comments",
    ".codex/config.toml": "is not TOML",
    ".github/copilot-instructions.md": "is not text in UTF-8",
    "GEMINI.md": expect.stringContaining("leads out of the repository"),
    "CLAUDE.md": expect.stringContaining("hard link"),
    ".gemini/settings.json": expect.stringContaining(".gemini"),
  });
  for (const [name, text] of Object.entries(files)) expect(repository.read(name), name).toBe(text);
  expect(repository.has(".claude/settings.json")).toBe(true);
  expect(readdirSync(repository.root)).not.toContain("elsewhere");
});

test("a rules file that is a link to AGENTS.md, or pulls it in, has the rules already", async () => {
  using repository = Repository.make({ "AGENTS.md": "x\n", "GEMINI.md": "@AGENTS.md\n" });
  symlinkSync("AGENTS.md", join(repository.folder, "CLAUDE.md"));
  const end = await repository.json(["init", "--ides", "claude-code,gemini", "--yes"]);
  expect([end.left, repository.read("GEMINI.md")]).toEqual([[], "@AGENTS.md\n"]);
  expect(lstatSync(join(repository.folder, "CLAUDE.md")).isSymbolicLink()).toBe(true);
});

test("the choice of fewer clients takes the others' files away, and no hook takes the hook away", async () => {
  using repository = Repository.make();
  await repository.pawl(["init", "--ides", "claude-code,cursor", "--yes"]);
  await repository.pawl(["init", "--ides", "claude-code", "--no-hook", "--yes"]);
  expect(repository.has(".cursor")).toBe(false);
  expect(JSON.parse(repository.read(".claude/settings.json"))).toEqual({ permissions: { allow: ["mcp__pawl"] } });
});

test.each([
  [["--ides", "emacs"], /no editor or agent is called "emacs"[\s\S]*claude-code, codex/],
  [["--skills", "none-such"], /no skill called "none-such" is shipped/],
  [["--command", "pawl; rm"], /plain words without quotes or signs of a shell/],
])("init %j is refused, and nothing is written", async (flags, says) => {
  using repository = Repository.make();
  const end = await repository.pawl(["init", ...flags, "--yes"]);
  expect([end.code, end.err]).toEqual([2, expect.stringMatching(says)]);
  expect(repository.has(".pawl")).toBe(false);
});

test("init is refused in the home folder, and upgrade where nothing was set up", async () => {
  using repository = Repository.make();
  const home = await repository.pawl(["init", "--yes"], { env: { HOME: repository.folder } });
  expect([home.code, home.err]).toEqual([2, expect.stringContaining("is your home folder")]);
  const upgrade = await repository.pawl(["upgrade"]);
  expect([upgrade.code, upgrade.err]).toEqual([2, expect.stringContaining("pawl init")]);
  expect(repository.has(".pawl")).toBe(false);
});

test("the notes of what was written prove nothing: no path in them is removed that is not ours, and a broken one stops", async () => {
  using repository = Repository.make({ "src/main.ts": "code" });
  await repository.pawl(["init", "--yes"]);
  const notes = JSON.parse(repository.read(".pawl/setup.json"));
  const digest = "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b"; // of "code"
  notes.files["src/main.ts"] = { made: true, digest };
  repository.write({ ".pawl/setup.json": JSON.stringify(notes) });
  await repository.pawl(["init", "--remove", "--yes"]);
  expect(repository.read("src/main.ts")).toBe("code");
  repository.write({ ".pawl/setup.json": "<<<<<<< HEAD" });
  const broken = await repository.pawl(["init", "--yes"]);
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('".pawl/setup.json"')]);
});

test("at a terminal init asks, shows the diff and asks once more before it writes", async () => {
  verifies("mcp.rules.loop-mode");
  using repository = Repository.make({ "CLAUDE.md": "mine\n" });
  using terminal = Terminal.open(repository, ["init", "--skills", "none", "--branch-base", "main"]);
  await terminal.shows("For whom?");
  terminal.keys("Enter");
  await terminal.shows("Keep an agent at its skill");
  terminal.keys("Enter");
  await terminal.shows("in production");
  terminal.keys("live", "Enter");
  await terminal.shows("Who works where");
  terminal.keys("Enter");
  await terminal.shows("Write this?");
  expect(repository.read("CLAUDE.md")).toBe("mine\n");
  terminal.keys("y");
  await terminal.shows("exit 0");
  expect(repository.read("CLAUDE.md")).toMatch(/^mine\n\n<!-- pawl:begin/);
  expect(parseSettings(repository.read(".pawl/config.yaml"), "c")).toMatchObject({
    settings: { branchBase: "main", productionBranch: "live" },
  });
});
