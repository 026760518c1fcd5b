// How agents are started that speak the Agent Client Protocol: those we know by name, and any other by its command line.
import { existsSync } from "node:fs";
import type { Turn } from "../../../ports/agent.js";
import { environmentFrom, type Host } from "../host.js";
import type { Known } from "../program.js";

export interface AcpClient extends Known {
  args: string[];
  /** Which variables of Pawl's own are its sign-in and settings. */
  passes(name: string): boolean;
  /** What it must have so that the workspace configures nothing in it. */
  fixed(access: Turn["access"]): Record<string, string>;
  /** How it is told a model; absent: by its own settings. */
  model?: string;
}
const nothing = (): Record<string, string> => ({});
/** Changes are asked for, so that we can say no to a reader. */
const ASKING = JSON.stringify({ permission: { edit: "ask", bash: "ask" } });

export const ACP: AcpClient = {
  ...{ use: "acp", title: "the ACP agent", program: "", install: "install it, or mend `command:`" },
  args: [],
  passes: () => false,
  fixed: nothing,
};

export const ACP_CLIENTS: readonly AcpClient[] = [
  ACP,
  {
    ...{ use: "opencode", title: "OpenCode", program: "opencode", install: "npm install -g opencode-ai" },
    args: ["acp"],
    passes: (name) => /^(OPENCODE_(CONFIG|API_KEY)|ANTHROPIC_API_KEY|OPENAI_API_KEY|OPENROUTER_API_KEY)/.test(name),
    fixed: (access) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
      ...(access === "read" ? { OPENCODE_CONFIG_CONTENT: ASKING } : {}),
    }),
  },
  {
    ...{ use: "gemini", title: "Gemini CLI", program: "gemini", install: "npm install -g @google/gemini-cli" },
    args: ["--acp", "--skip-trust"], // a trusted folder would also run the hooks and servers that its own settings name
    passes: (name) => /^(GEMINI_API_KEY|GOOGLE_)/.test(name),
    fixed: nothing,
    model: "-m",
  },
  {
    ...{ use: "qwen", title: "Qwen Code", program: "qwen", install: "npm install -g @qwen-code/qwen-code" },
    args: ["--acp"],
    passes: (name) => /^OPENAI_(API_KEY|BASE_URL|MODEL)$|^DASHSCOPE_API_KEY$/.test(name),
    fixed: nothing,
    model: "-m",
  },
  {
    ...{ use: "copilot", title: "Copilot CLI", program: "copilot", install: "npm install -g @github/copilot" },
    args: ["--acp", "--no-auto-update"],
    passes: (name) => /^COPILOT_|^(GH|GITHUB)_TOKEN$/.test(name),
    fixed: () => ({ COPILOT_AUTO_UPDATE: "false" }),
    model: "--model",
  },
];

/** `command:` is a program, or a program with arguments that hold no blanks. No shell reads it. */
export function argvFor(
  client: AcpClient,
  { performer, access }: Pick<Turn, "performer" | "access">,
): [string, ...string[]] {
  const { command, model, args = [] } = performer;
  const [program = client.program, ...own] = command === undefined ? [] : wordsOf(command);
  const told = model !== undefined && client.model !== undefined ? [client.model, model] : [];
  // told not to read what the workspace would tell it: a doer may have written that for its reviewer
  const closed = client.use === "copilot" && access === "read" ? ["--no-custom-instructions"] : [];
  return [program, ...own, ...client.args, ...told, ...closed, ...args];
}
const wordsOf = (command: string): string[] => (existsSync(command) ? [command] : command.trim().split(/\s+/));

export const environmentFor = (client: AcpClient, turn: Pick<Turn, "workspace" | "env" | "access">, host: Host) =>
  environmentFrom(turn, host, { passes: client.passes, fixed: client.fixed(turn.access) });
