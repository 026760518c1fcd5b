// Chooses the scripted reply. Stateless: the answer depends on the request alone (the newest user message that names a
// scenario, and how many assistant messages follow it), so resumed, retried and parallel sessions need no bookkeeping.
import { fullToolName, spokenText } from "./conversation.mjs";

/**
 * @typedef {{ tool: string, input: unknown }} Call                tool is a regular expression
 * @typedef {Call | { anyOf: Call[] }} Choice                       the first call the client can make is taken
 * @typedef {{ text?: string, calls?: Choice[], status?: number, body?: unknown, hangMs?: number,
 *   usage?: { input: number, output: number } }} Step
 * @typedef {{ name: string, match: string, steps: (Step | ((heard: Heard) => Step))[] }} Scenario   match is a regular expression
 * @typedef {{ prompt: string, conversation: object }} Heard          prompt: the user message that named the scenario
 */

/** The step of the scenario that the newest matching user message asks for; past the last step the last one repeats. */
export function nextStep(scenarios, conversation) {
  const { messages } = conversation;
  for (let at = messages.length - 1; at >= 0; at--) {
    if (messages[at].role !== "user") continue;
    const prompt = spokenText(messages[at]);
    const scenario = lastNamed(scenarios, prompt);
    if (!scenario) continue;
    const index = messages.slice(at + 1).filter((message) => message.role === "assistant").length;
    const step = scenario.steps[Math.min(index, scenario.steps.length - 1)];
    const spoken = typeof step === "function" ? step({ prompt, conversation }) : step;
    return { scenario: scenario.name, index, step: spoken };
  }
  return { scenario: null, index: 0, step: { text: "ok" } };
}

/** A message may quote earlier ones, so the marker that stands last in it decides. */
function lastNamed(scenarios, message) {
  let found;
  for (const scenario of scenarios) {
    const position = [...message.matchAll(new RegExp(scenario.match, "g"))].at(-1)?.index;
    if (position !== undefined && (!found || position > found.position)) found = { scenario, position };
  }
  return found?.scenario;
}

/** The step's calls in the words of this client's tools. `missing` says that the client offers none of them. */
export function resolveReply(step, conversation) {
  const wanted = step.calls ?? [];
  const calls = wanted.map((choice) => callable(choice, conversation.tools)).filter(Boolean);
  return { text: step.text ?? "", calls, missing: wanted.length > 0 && calls.length === 0 };
}

function callable(choice, tools) {
  for (const { tool: pattern, input } of choice.anyOf ?? [choice]) {
    const tool = tools.find((candidate) => new RegExp(pattern).test(fullToolName(candidate)));
    if (tool) return { ...tool, input };
  }
  return undefined;
}
