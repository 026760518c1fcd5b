// Claude Code as an agent Pawl starts: what it is known by, and where its work is done.
import type { Agent } from "../../../ports/agent.js";
import { type Host, hostOf } from "../host.js";
import { type Pace, USUAL_PACE } from "../pace.js";
import { probeProgram } from "../program.js";
import { CLAUDE_CODE } from "./known.js";

export function claudeCode(host: Host = hostOf(process), pace: Partial<Pace> = {}): Agent {
  return {
    use: CLAUDE_CODE.use,
    confined: false,
    choosesSession: true,
    probe: (performer, signal) => probeProgram(CLAUDE_CODE, performer, host, signal),
    perform: async (turn, signal) => {
      const [{ performStreamed }, { claudeClient }] = await Promise.all([
        import("../streamed.js"),
        import("./client.js"),
      ]);
      return performStreamed(claudeClient(host), turn, { ...USUAL_PACE, ...pace }, signal);
    },
  };
}
