// One turn of the built-in agent, from prompt to the end of its work. Loaded when one is to begin: it brings the model library.
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelMessage, stepCountIs, streamText } from "ai";
import type { Performer, Spent } from "../../../core/model.js";
import type { AgentEnd, Turn } from "../../../ports/agent.js";
import type { Bare } from "../end.js";
import { type Host, isSessionToken } from "../host.js";
import { Log } from "../log.js";
import { endOf, oneLine, printable } from "../text.js";
import { fetchFor } from "./connect.js";
import { keepHistory, readHistory } from "./history.js";
import { insideOf, SandboxTrouble } from "./inside.js";
import { type Heard, judge } from "./outcome.js";
import { toolsIn } from "./tools.js";

/** Calls of the model in one turn where the loop sets no `max_iterations`. */
export const CALLS_MAX = 500;
/** Else the Anthropic format takes 4096 for a model it does not know, which cuts files in the middle. */
const OUTPUT_TOKENS_MAX = 16_384;
const INSTRUCTIONS =
  "You are a careful programmer. Work with your tools until the task is done; nobody can be asked. What you say settles nothing: only files, exit codes and checks count.";

export async function perform(turn: Turn, host: Host, signal: AbortSignal): Promise<AgentEnd> {
  const startedAt = performance.now();
  const { performer, session, resume, sessionFolder = turn.visitFolder } = turn;
  const history = resume && isSessionToken(session) ? readHistory(sessionFolder, session) : undefined;
  const end = (bare: Bare, spent: Partial<Spent> = {}, output = ""): AgentEnd => ({
    ...bare,
    spent: {
      ms: Math.round(performance.now() - startedAt),
      ...(performer.model ? { model: performer.model } : {}),
      ...spent,
    },
    ...(bare.end === "no-session" ? {} : { session }),
    output: endOf(printable(output)),
  });
  if (signal.aborted) return end({ end: "cancelled" });
  if (resume && history === undefined) return end({ end: "no-session" });
  const key = (performer.keyEnv ? host.env[performer.keyEnv] : undefined) ?? "";
  const clock = AbortSignal.timeout(turn.timeoutMs);
  const masked: Turn = { ...turn, mask: (text) => turn.mask(key.length < 6 ? text : text.replaceAll(key, "***")) };
  const heard = await converse(masked, { key, history: history ?? [] }, AbortSignal.any([signal, clock]));
  const stop = signal.aborted ? "cancelled" : clock.aborted ? "time" : undefined;
  const { usage, said } = heard;
  return end(
    judge(heard, { stop, timeoutMs: turn.timeoutMs, callsMax: callsOf(turn), mask: masked.mask }),
    usage,
    said,
  );
}

const callsOf = ({ turnsMax }: Turn): number => turnsMax ?? CALLS_MAX;

function modelAt({ api, baseUrl = "", model = "", callTimeoutMs }: Performer, apiKey: string) {
  const fetch = fetchFor(callTimeoutMs);
  if (api === "anthropic") return createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model);
  return createOpenAICompatible({ name: "llm", baseURL: baseUrl, apiKey, includeUsage: true, fetch })(model);
}

/** Settles only when no tool runs any more. */
async function converse(
  turn: Turn,
  { key, history }: { key: string; history: ModelMessage[] },
  signal: AbortSignal,
): Promise<Heard> {
  const stream = new Log(join(turn.visitFolder, "stream.jsonl"));
  const note = (event: object) => stream.writeLine(turn.mask(JSON.stringify(event)));
  const messages: ModelMessage[] = [...history, { role: "user", content: turn.prompt }];
  const heard: Heard = { said: "", calls: 0, usage: {} };
  const over = new AbortController(); // nothing of the turn outlives it
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }); // else it writes to our standard error
  const answer = streamText({
    model: modelAt(turn.performer, key),
    system: INSTRUCTIONS,
    messages,
    tools: toolsIn(insideOf(turn)),
    ...(turn.performer.api === "anthropic" ? { maxOutputTokens: OUTPUT_TOKENS_MAX } : {}),
    stopWhen: stepCountIs(callsOf(turn)),
    maxRetries: 2,
    abortSignal: AbortSignal.any([signal, over.signal]),
    onError() {}, // they come as parts, too; else they are printed
    onStepFinish: ({ response, text, finishReason, usage }) => {
      heard.calls += 1;
      heard.finish = finishReason;
      if (text.trim() !== "") heard.said = text;
      add(heard.usage, usage);
      note({ type: "step", finishReason, usage, text });
      keepHistory(turn.sessionFolder ?? turn.visitFolder, turn.session, [...messages, ...response.messages]);
    },
  });
  try {
    for await (const part of answer.fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "tool-error" && part.error instanceof SandboxTrouble) throw part.error;
      for (const line of shown(part)) turn.onLine(turn.mask(line));
      if (part.type === "tool-call") note({ type: "call", tool: part.toolName, input: part.input });
      if (part.type === "tool-result") note({ type: "result", tool: part.toolName, output: part.output });
    }
  } catch (error) {
    heard.error = error;
    note({ type: "error", error: oneLine(String(error)) });
  } finally {
    over.abort();
    stream.close();
  }
  return heard;
}

/** A figure is there when at least one call of the model told it. */
function add(
  sum: Heard["usage"],
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined },
): void {
  for (const figure of ["inputTokens", "outputTokens"] as const) {
    const more = usage[figure];
    if (more !== undefined) sum[figure] = (sum[figure] ?? 0) + more;
  }
}

function shown(part: { type: string; text?: string; toolName?: string; input?: unknown }): string[] {
  if (part.type === "text-delta") return []; // told whole at the end of the step would be late; the calls say what it does
  if (part.type !== "tool-call") return [];
  const input = typeof part.input === "object" && part.input !== null ? Object.values(part.input) : [];
  return [oneLine(`> ${part.toolName}(${String(input[0] ?? "")})`)];
}
