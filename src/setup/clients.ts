// The clients Pawl can be set up for: how one is recognised, and which files it reads. Facts, tried where docs say so.
import type { Json } from "../core/model.js";
import type { Add, Choices, ClientName, Put } from "./model.js";

export interface Client {
  name: ClientName;
  title: string;
  /** Paths whose presence says that it is used here. */
  signs: string[];
  /** Its program, looked for on the PATH. */
  program?: string;
  /** Files with instructions it reads. */
  rules: string[];
  /** Where it looks for skills. */
  skills?: ".agents/skills" | ".claude/skills";
  /** Entries of its JSON files. */
  json(choices: Choices): { path: string; puts?: Put[]; adds?: Add[]; why: string }[];
  /** What cannot be set up inside a repository; shown to the person. */
  note?(choices: Choices): string | undefined;
}

/** Seconds a client waits for the hook before it goes on without. */
const HOOK_SECONDS = 10;
/** What every release's hook command ends with: by this an item of a list is known as ours. */
export const HOOK_SIGN = "hook end-of-turn";

export const hookCommand = ({ command }: Choices): string => [...command, HOOK_SIGN].join(" ");

const server = ({ command: [command = "pawl", ...args] }: Choices): { command: string; args: string[] } => ({
  command,
  args: [...args, "mcp"],
});
const hookItem = (choices: Choices, timeout: number): Json => ({
  hooks: [{ type: "command", command: hookCommand(choices), timeout }],
});
const hookAdd = (choices: Choices, at: string[], item: Json): Add[] =>
  choices.hook ? [{ at, item, sign: HOOK_SIGN }] : [];

/** Claude Code and Copilot read one file; each passes over the keys of the other. */
const mcpJson = (choices: Choices) => ({
  path: ".mcp.json",
  puts: [{ at: ["mcpServers", "pawl"], value: { type: "stdio", ...server(choices), tools: ["*"] } }],
  why: "the MCP server",
});

const userHook = (choices: Choices): string => JSON.stringify({ hooks: { Stop: [hookItem(choices, HOOK_SECONDS)] } });

export const CLIENTS: Client[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    signs: ["CLAUDE.md", ".claude"],
    program: "claude",
    rules: ["CLAUDE.md"],
    skills: ".claude/skills",
    json: (choices) => [
      mcpJson(choices),
      {
        path: ".claude/settings.json",
        adds: [
          { at: ["permissions", "allow"], item: "mcp__pawl", sign: '"mcp__pawl"' },
          ...hookAdd(choices, ["hooks", "Stop"], hookItem(choices, HOOK_SECONDS)),
        ],
        why: choices.hook ? "leave to call the server, and the end-of-turn gate" : "leave to call the server",
      },
    ],
    note: () => "Claude Code asks each person once whether it may use the MCP server of this repository.",
  },
  {
    name: "codex",
    title: "Codex",
    signs: [".codex"],
    program: "codex",
    rules: ["AGENTS.md"],
    skills: ".agents/skills",
    json: () => [],
    note: (choices) =>
      choices.hook
        ? `Codex runs no hooks of a repository. To have the end-of-turn gate there, put this into hooks.json of your CODEX_HOME: ${userHook(choices)}`
        : undefined,
  },
  {
    name: "opencode",
    title: "OpenCode",
    signs: ["opencode.json", "opencode.jsonc", ".opencode"],
    program: "opencode",
    rules: ["AGENTS.md"],
    skills: ".agents/skills",
    json: ({ command }) => [
      {
        path: "opencode.json",
        puts: [{ at: ["mcp", "pawl"], value: { type: "local", command: [...command, "mcp"], enabled: true } }],
        why: "the MCP server",
      },
    ],
    note: ({ hook }) =>
      hook ? "OpenCode has no hook at the end of a turn; there the rules alone bind the agent." : undefined,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    signs: ["GEMINI.md", ".gemini"],
    program: "gemini",
    rules: ["GEMINI.md"],
    skills: ".agents/skills",
    json: (choices) => [
      {
        path: ".gemini/settings.json",
        puts: [
          { at: ["mcpServers", "pawl"], value: { ...server(choices), trust: true } },
          ...(choices.hook ? [{ at: ["hooksConfig", "enabled"], value: true }] : []),
        ],
        // Gemini counts in milliseconds
        adds: hookAdd(choices, ["hooks", "AfterAgent"], hookItem(choices, HOOK_SECONDS * 1_000)),
        why: choices.hook ? "the MCP server, and the end-of-turn gate" : "the MCP server",
      },
    ],
  },
  {
    name: "copilot",
    title: "Copilot",
    signs: [".github/copilot-instructions.md", ".github/prompts"],
    program: "copilot",
    rules: ["AGENTS.md"],
    skills: ".agents/skills",
    json: (choices) => [
      mcpJson(choices),
      ...(choices.hook
        ? [
            {
              path: ".github/hooks/pawl.json",
              puts: [
                { at: ["version"], value: 1 },
                {
                  at: ["hooks", "agentStop"],
                  value: [{ type: "command", bash: hookCommand(choices), timeoutSec: HOOK_SECONDS }],
                },
              ],
              why: "the end-of-turn gate",
            },
          ]
        : []),
    ],
    note: () =>
      "Copilot uses the server and the hook of a repository only in a folder that you trust (--trust-folder).",
  },
  {
    name: "cursor",
    title: "Cursor",
    signs: [".cursor", ".cursorrules"],
    rules: [],
    skills: ".agents/skills",
    json: (choices) => [
      {
        path: ".cursor/mcp.json",
        puts: [{ at: ["mcpServers", "pawl"], value: server(choices) }],
        why: "the MCP server",
      },
    ],
    note: ({ hook }) => (hook ? "Cursor gets no end-of-turn gate; there the rules alone bind the agent." : undefined),
  },
  {
    name: "vscode",
    title: "VS Code",
    signs: [".vscode"],
    rules: [".github/copilot-instructions.md"],
    skills: ".agents/skills",
    json: (choices) => [
      {
        path: ".vscode/mcp.json",
        puts: [{ at: ["servers", "pawl"], value: { type: "stdio", ...server(choices) } }],
        why: "the MCP server",
      },
    ],
    note: ({ hook }) => (hook ? "VS Code gets no end-of-turn gate; there the rules alone bind the agent." : undefined),
  },
  {
    name: "qwen",
    title: "Qwen Code",
    signs: ["QWEN.md", ".qwen"],
    program: "qwen",
    rules: ["AGENTS.md"],
    skills: ".agents/skills",
    json: (choices) => [
      {
        path: ".qwen/settings.json",
        puts: [{ at: ["mcpServers", "pawl"], value: { ...server(choices), trust: true } }],
        adds: hookAdd(choices, ["hooks", "Stop"], hookItem(choices, HOOK_SECONDS * 1_000)),
        why: choices.hook ? "the MCP server, and the end-of-turn gate" : "the MCP server",
      },
    ],
  },
  {
    name: "antigravity",
    title: "Antigravity",
    signs: [".agent", ".agents/rules"],
    program: "antigravity",
    rules: ["AGENTS.md"],
    skills: ".agents/skills",
    json: () => [],
    note: () => "Antigravity keeps its MCP servers outside the repository: add there the command of this one by hand.",
  },
];

export const clientOf = (name: ClientName): Client => {
  const found = CLIENTS.find((client) => client.name === name);
  if (!found) throw new Error(`no client is called ${name}`); // the table holds every name
  return found;
};

/** Who is used here: by what lies in the repository, else by what is installed. */
export function findClients(
  isThere: (path: string) => boolean,
  isInstalled: (program: string) => boolean,
): ClientName[] {
  return CLIENTS.filter(
    ({ signs, program }) => signs.some(isThere) || (program !== undefined && isInstalled(program)),
  ).map(({ name }) => name);
}
