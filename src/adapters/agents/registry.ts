// The agents this release drives, by the word after `use:`.
import { HOST } from "../../core/hosts.js";
import type { Agent } from "../../ports/agent.js";
import { acp } from "./acp/index.js";
import { claudeCode } from "./claude-code/index.js";
import { codex } from "./codex/index.js";
import { command } from "./command.js";
import { llm } from "./llm/index.js";

export const AGENTS: readonly Agent[] = [command, claudeCode(), codex(), ...acp(), llm()];

/** Words that `use:` may have in this release. `host` is the IDE's own agent: nobody starts it. */
export const USES: readonly string[] = [...AGENTS.map((agent) => agent.use), HOST];

export const agentFor = (use: string): Agent | undefined => AGENTS.find((agent) => agent.use === use);
