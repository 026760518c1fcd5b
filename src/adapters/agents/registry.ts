// The agents this release drives, by the word after `use:`.
import { HOST } from "../../core/hosts.js";
import type { Agent } from "../../ports/agent.js";
import { claudeCode } from "./claude-code/index.js";
import { codex } from "./codex/index.js";
import { command } from "./command.js";
import { llm } from "./llm/index.js";

export const AGENTS: readonly Agent[] = [command, claudeCode(), codex(), llm()];

/** Words that `use:` may have in this release. `host` is the IDE's own agent: nobody starts it. */
export const USES: readonly string[] = [...AGENTS.map((agent) => agent.use), HOST];

/** Words that later releases will drive: known, so the message can say more than "unknown". */
export const USES_LATER: readonly string[] = ["opencode", "gemini", "acp"];

export const agentFor = (use: string): Agent | undefined => AGENTS.find((agent) => agent.use === use);
