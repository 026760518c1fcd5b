// Agents that speak the Agent Client Protocol, as agents Pawl starts. One adapter for all of them.
import type { Agent } from "../../../ports/agent.js";
import { type Host, hostOf } from "../host.js";
import { type Pace, USUAL_PACE } from "../pace.js";
import { probeProgram } from "../program.js";
import { ACP_CLIENTS, type AcpClient, argvFor } from "./clients.js";

export const acp = (host: Host = hostOf(process), pace: Partial<Pace> = {}): Agent[] =>
  ACP_CLIENTS.map((client) => agentOf(client, host, { ...USUAL_PACE, ...pace }));

function agentOf(client: AcpClient, host: Host, pace: Pace): Agent {
  const { use } = client;
  return {
    use,
    confined: false,
    choosesSession: false, // it names the session before the first call of its model
    probe: async (performer, signal) => {
      if (client.program === "" && performer.command === undefined)
        return {
          use,
          usable: false,
          why: "it has no `command:`",
          mend: "say which program speaks ACP: `command: agent --acp`",
        };
      const [command] = argvFor(client, { performer, access: "write" });
      return probeProgram(client, { ...performer, command }, host, signal);
    },
    perform: async (turn, signal) => (await import("./turn.js")).performAcp(client, turn, { host, pace }, signal),
  };
}
