// Claude Code as an agent Pawl starts: what it is known by, and where its work is done.
import type { Agent } from "../../../ports/agent.js";
import { probe } from "./probe.js";
import type { Host } from "./recipe.js";

/** How long it may stay after its closing event; any further event begins the wait anew. */
const LINGER_MS = 5_000;

export function claudeCode(host: Host = hostOf(process), lingerMs = LINGER_MS): Agent {
  return {
    use: "claude-code",
    confined: false,
    choosesSession: true,
    probe: (performer, signal) => probe(performer, host, signal),
    perform: async (turn, signal) => (await import("./turn.js")).perform(turn, host, lingerMs, signal),
  };
}

const hostOf = ({ env, getuid }: NodeJS.Process): Host => ({ env, isRoot: getuid?.() === 0 });
