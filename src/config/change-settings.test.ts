import { expect, test } from "vitest";
import { changeSettings } from "./change-settings.js";

const changed = (text: string, values: Record<string, string | string[]>) => {
  const result = changeSettings(text, values, "config.yaml");
  return "text" in result ? result.text : result.issues.map(({ message }) => message).join("; ");
};

test.each([
  ["a value with a comment", "# a\nagent: codex # why\nides: [vscode]\n", "# a\nagent: other # why\nides: [vscode]\n"],
  ["a key without a value", "agent:\nides: vscode\n", "agent: other\nides: vscode\n"],
  ["a key without a value, with a comment", "agent:   # nobody\n", "agent: other   # nobody\n"],
  ["a quoted value", 'agent: "codex"\n', "agent: other\n"],
  ["a missing key", "ides: vscode", "ides: vscode\nagent: other\n"],
  ["a missing key below CRLF", "ides: vscode\r\n", "ides: vscode\r\nagent: other\r\n"],
  ["an empty file", "", "agent: other\n"],
  [
    "a name that stands deeper too",
    "agents:\n  agent: {use: codex}\n",
    "agents:\n  agent: {use: codex}\nagent: other\n",
  ],
  ["the value itself", "agent: 'other'   # as is\n", "agent: 'other'   # as is\n"],
])("one value is changed and every other byte stays: %s", (_what, before, after) => {
  expect(changed(before, { agent: "other" })).toBe(after);
});

test("lists and words that YAML would read otherwise are spelled so that they come back", () => {
  expect(changed("", { ides: ["vscode", "codex"], branch_base: "true", production_branch: "a: b" })).toBe(
    'ides: [vscode, codex]\nbranch_base: "true"\nproduction_branch: "a: b"\n',
  );
});

test("what cannot be changed on its line is refused, and so is a file that is wrong", () => {
  expect(changed("ides:\n  - vscode\n", { ides: ["codex"] })).toMatch(/./);
  expect(changed("ides:\n  - vscode\n", { ides: ["codex"] })).not.toContain("codex\n");
  expect(changed("agnt: x\n", { agent: "other" })).toContain('"agnt"');
});
