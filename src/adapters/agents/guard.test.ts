import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readerSettings } from "./claude-code/guard.js";

let root: string;
let folder: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-guard-")));
  folder = join(root, "it's here", "artifacts");
  mkdirSync(folder, { recursive: true });
  symlinkSync(root, join(folder, "out"));
  symlinkSync(join(root, "nowhere"), join(folder, "dangling"));
  writeFileSync(join(folder, "old.md"), "");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const commandOf = (settings: string): string => JSON.parse(settings).hooks.PreToolUse[0].hooks[0].command;
function decides(tool_name: string, file_path: unknown): string {
  const input = JSON.stringify({ tool_name, tool_input: { file_path } });
  const end = spawnSync("sh", ["-c", commandOf(readerSettings(folder))], { cwd: root, input, encoding: "utf8" });
  if (end.status === 2) return "refused";
  const said = end.stdout ? JSON.parse(end.stdout).hookSpecificOutput.permissionDecision : "allow";
  return said === "deny" ? "refused" : said;
}

test.each([
  ["Write", "new.md", "allow"],
  ["Write", "old.md", "allow"],
  ["Write", "sub/new.md", "allow"],
  ["Write", "../sneak.md", "refused"],
  ["Write", "sub/../../sneak.md", "refused"],
  ["Write", "out/sneak.md", "refused"],
  ["Write", "dangling", "refused"],
  ["Write", "", "refused"],
  ["Edit", "old.md", "refused"],
  ["Bash", "old.md", "refused"],
  ["mcp__x__write", "old.md", "refused"],
])("a reader's %s of %j in the folder of its visit: %s", (tool, name, decision) => {
  expect(decides(tool, `${folder}/${name}`)).toBe(decision);
});

test("a reader's guard refuses what it does not understand", () => {
  expect(decides("Write", undefined)).toBe("refused");
  expect(decides("Write", "relative.md")).toBe("refused");
  const broken = commandOf(readerSettings(folder, "/no/such/node"));
  expect(spawnSync("sh", ["-c", broken], { stdio: "ignore" }).status).toBe(2);
});

test("reading passes the guard without a process of its own", () => {
  const matcher = new RegExp(JSON.parse(readerSettings("/a")).hooks.PreToolUse[0].matcher);
  for (const tool of ["Read", "Grep", "Glob"]) expect(matcher.test(tool)).toBe(false);
  for (const tool of ["Write", "ReadMcpResourceTool", "Bash"]) expect(matcher.test(tool)).toBe(true);
});
