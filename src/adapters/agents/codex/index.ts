// Codex as an agent Pawl starts: what it is known by, and where its work is done.
import type { Agent } from "../../../ports/agent.js";
import { type Host, hostOf } from "../host.js";
import { type Pace, USUAL_PACE } from "../pace.js";
import { probeProgram } from "../program.js";
import { CODEX } from "./known.js";

export function codex(host: Host = hostOf(process), pace: Partial<Pace> = {}): Agent {
  return {
    use: CODEX.use,
    confined: false,
    choosesSession: false, // its first event names it
    probe: (performer, signal) => probeProgram(CODEX, performer, host, signal),
    perform: async (turn, signal) => {
      const [{ performStreamed }, { codexClient }] = await Promise.all([
        import("../streamed.js"),
        import("./client.js"),
      ]);
      return performStreamed(codexClient(host), turn, { ...USUAL_PACE, ...pace }, signal);
    },
  };
}
