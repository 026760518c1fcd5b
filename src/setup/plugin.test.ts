// The Claude Code plugin of the package says what init writes, and nothing else.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { clientOf } from "./clients.js";
import { LOOP_COMMAND, RULES } from "./texts.js";

const read = (path: string): string => readFileSync(new URL(`../../plugin/${path}`, import.meta.url), "utf8");

test("the plugin has the release's version, the server, the hook, the slash command and the rules", () => {
  expect(JSON.parse(read(".claude-plugin/plugin.json"))).toMatchObject({ name: "pawl", version: manifest.version });
  const choices = { clients: [], command: ["pawl"], hook: true, skills: "none" as const };
  const [mcp, settings] = clientOf("claude-code").json(choices);
  const { tools: _copilots, ...server } = Object(mcp?.puts?.[0]?.value);
  expect(JSON.parse(read(".mcp.json"))).toEqual({ mcpServers: { pawl: server } });
  const hook = settings?.adds?.find(({ at }) => at[0] === "hooks")?.item;
  expect(JSON.parse(read("hooks/hooks.json")).hooks).toEqual({ Stop: [hook] });
  expect(read("skills/run/SKILL.md")).toMatch(/^---\nname: run\n/);
  expect(read("skills/run/SKILL.md").endsWith(`---\n\n${LOOP_COMMAND}`)).toBe(true);
  expect(read("skills/rules/SKILL.md").endsWith(`---\n\n${RULES}`)).toBe(true);
});
