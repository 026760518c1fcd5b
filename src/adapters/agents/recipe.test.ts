import { expect, test } from "vitest";
import type { Turn } from "../../ports/agent.js";
import { readerSettings } from "./claude-code/guard.js";
import { argumentsFor, environmentFor } from "./claude-code/recipe.js";
import { pathFor } from "./host.js";
import { AGENTS, agentFor, USES } from "./registry.js";

const turn = (more: Partial<Turn> = {}) => ({
  performer: { use: "claude-code" },
  access: "write" as const,
  artifacts: "/runs/1/dev",
  workspace: "/project",
  session: "11111111-1111-4111-8111-111111111111",
  resume: false,
  env: { PAWL_RUN: "r1" },
  ...more,
});

test("who writes works without questions, in a session we chose, deaf to what the workspace configures", () => {
  expect(
    argumentsFor(turn({ performer: { use: "claude-code", model: "m", args: ["--effort", "low"] }, turnsMax: 7 })),
  ).toEqual([
    ...["claude", "-p", "--output-format", "stream-json", "--verbose"],
    ...["--permission-mode", "bypassPermissions", "--setting-sources", "user"],
    ...["--session-id", "11111111-1111-4111-8111-111111111111"],
    ...["--model", "m", "--max-turns", "7", "--effort", "low"],
  ]);
});

test("who reads has no shell, and a guard before everything that is no reading", () => {
  const words = argumentsFor(turn({ access: "read", resume: true }));
  expect(words).toContain("Read,Grep,Glob,Write");
  expect(words[words.indexOf("--settings") + 1]).toBe(readerSettings("/runs/1/dev"));
  expect(words.slice(-2)).toEqual(["--resume", "11111111-1111-4111-8111-111111111111"]);
});

test("a session that is no UUID is left to the client", () => {
  expect(argumentsFor(turn({ session: "dev-1" }))).not.toContain("--session-id");
});

test("the environment is built from nothing, and the performer's own comes last", () => {
  const host = {
    env: {
      ...{ HOME: "/home/dev", PATH: "/usr/bin", ANTHROPIC_API_KEY: "k", CLAUDE_CONFIG_DIR: "/c", TERM: "xterm" },
      ...{
        CLAUDECODE: "1",
        CLAUDE_CODE_ENTRYPOINT: "cli",
        npm_config_registry: "x",
        NODE_OPTIONS: "--inspect",
        AWS_SECRET: "s",
      },
    },
    isRoot: false,
  };
  const env = environmentFor(turn({ env: { PAWL_RUN: "r1", CI: "0" } }), host);
  expect(env).toMatchObject({
    HOME: "/home/dev",
    ANTHROPIC_API_KEY: "k",
    CLAUDE_CONFIG_DIR: "/c",
    PAWL_RUN: "r1",
    CI: "0",
  });
  expect(env).toMatchObject({ GIT_PAGER: "cat", GIT_EDITOR: "false", GIT_TERMINAL_PROMPT: "0" });
  for (const name of [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "npm_config_registry",
    "NODE_OPTIONS",
    "AWS_SECRET",
    "IS_SANDBOX",
  ])
    expect(env[name]).toBeUndefined();
});

test("the mark of a sandbox is set for root, and for nobody else", () => {
  expect(environmentFor(turn(), { env: {}, isRoot: true }).IS_SANDBOX).toBe("1");
  expect(environmentFor(turn({ access: "read" }), { env: {}, isRoot: true }).IS_SANDBOX).toBe("1");
  expect(environmentFor(turn(), { env: {}, isRoot: false }).IS_SANDBOX).toBeUndefined();
});

test("no program is looked for in the workspace or in a relative folder", () => {
  const path = "/project/node_modules/.bin:/project:node_modules/.bin:.::/usr/bin:/project-2/bin:/..data/bin";
  expect(pathFor(path, "/project")).toBe("/usr/bin:/project-2/bin:/..data/bin");
});

const SPEAK_ACP = ["acp", "opencode", "gemini", "qwen", "copilot"];
test("the registry knows what this release drives, and where it works", () => {
  expect(AGENTS.map((agent) => agent.use)).toEqual(["command", "claude-code", "codex", ...SPEAK_ACP, "llm"]);
  expect(USES).toEqual(["command", "claude-code", "codex", ...SPEAK_ACP, "llm", "host"]);
  expect(agentFor("claude-code")?.confined).toBe(false);
  expect(agentFor("codex")?.confined).toBe(false);
  for (const use of SPEAK_ACP) expect(agentFor(use)?.confined, use).toBe(false);
  expect(agentFor("llm")?.confined).toBe(true);
  expect(agentFor("emacs")).toBeUndefined();
});
