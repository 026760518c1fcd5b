// The built-in agent (`use: llm`): a model's address and a key. Its loop runs in Pawl and keeps the key; each of its tools is one
// program inside the sandbox, which needs no network and never sees the key.
import type { Performer } from "../../../core/model.js";
import type { Agent, AgentReport } from "../../../ports/agent.js";
import { type Host, hostOf } from "../host.js";
import { oneLine } from "../text.js";

export function llm(host: Host = hostOf(process)): Agent {
  return {
    use: "llm",
    confined: true,
    choosesSession: true,
    probe: async (performer) => lookAt(performer, host),
    perform: async (turn, signal) => (await import("./turn.js")).perform(turn, host, signal),
  };
}

/** No call of the model: whether the key is right is told by the first one. No default, no other variable stands in for what is missing. */
function lookAt({ model, baseUrl, keyEnv }: Performer, { env }: Host): AgentReport {
  const use = "llm";
  const no = (why: string, mend: string): AgentReport => ({ use, usable: false, why, mend });
  const wanted = { model, base_url: baseUrl, api_key_env: keyEnv };
  const missing = Object.entries(wanted).flatMap(([key, value]) => (value ? [] : [`"${key}"`]));
  if (missing.length)
    return no(`the built-in agent is not told its ${missing.join(", ")}`, "write them under llm: in the loop");
  const variable = keyEnv ?? "";
  const state = env[variable] === undefined ? "not set" : "empty";
  if (!env[variable]?.trim())
    return no(`the variable "${variable}" that "api_key_env" names is ${state}`, `export ${variable}=…`);
  return { use, usable: true, version: oneLine(`${model} at ${baseUrl}`) };
}
