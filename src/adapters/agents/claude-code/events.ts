// What Claude Code says while it works, one JSON object a line: the shapes we rely on, and what we remember of them.
import { z } from "zod";
import { isSessionToken } from "../host.js";

/** Every field may be absent or of another type tomorrow: then it is as if it were not there. */
const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);
const list = <T extends z.ZodType>(of: T) => z.array(of).optional().catch(undefined);

const Part = z.object({ type: z.string(), text, name: text, input: z.unknown().optional() });
const Message = z.object({ model: text, content: list(Part) });
const Event = z.object({
  type: z.string(),
  subtype: text,
  session_id: text,
  model: text,
  /** The class of a model error: "authentication_failed", "rate_limit", "server_error" … */
  error: text,
  error_status: count,
  attempt: count,
  max_retries: count,
  message: Message.optional().catch(undefined),
});
const Usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});
const Result = z.object({
  type: z.literal("result"),
  subtype: text,
  is_error: z.boolean().optional().catch(undefined),
  terminal_reason: text,
  result: text,
  errors: list(z.string()),
  total_cost_usd: count,
  num_turns: count,
  usage: Usage.optional().catch(undefined),
  permission_denials: list(z.object({ tool_name: z.string(), tool_input: z.unknown().optional() })),
});
export type ClaudeEvent = z.infer<typeof Event>;
export type ClaudeResult = z.infer<typeof Result>;

export interface Heard {
  session?: string;
  /** The model that answered, not the one that was asked for. */
  model?: string;
  /** What the agent said last. */
  said: string;
  /** The class of the model error that stands unanswered. */
  trouble?: { error: string; attempt: number; status?: number };
  /** The closing event. */
  result?: ClaudeResult;
  /** It went to work again after a closing event; another one is to come. */
  reopened: boolean;
}
export const NOTHING_HEARD: Heard = { said: "", reopened: false };

export function eventOf(value: unknown): ClaudeEvent | undefined {
  const event = Event.safeParse(value);
  return event.success ? event.data : undefined;
}

/** What is known after one more event. */
export function hear(heard: Heard, value: unknown): Heard {
  const event = eventOf(value);
  if (!event) return heard;
  const session = event.session_id !== undefined && isSessionToken(event.session_id) ? event.session_id : undefined;
  const next = session === undefined ? heard : { ...heard, session };
  switch (event.type) {
    case "result":
      return { ...next, result: Result.parse(value), reopened: false };
    case "assistant":
      return hearAssistant(next, event);
    case "user":
      return { ...next, reopened: next.result !== undefined };
    case "system":
      return hearSystem(next, event);
    default:
      return next; // kinds of events that come with a later version
  }
}

function hearSystem(heard: Heard, event: ClaudeEvent): Heard {
  if (event.subtype === "init" && event.model !== undefined) return { model: event.model, ...heard };
  if (event.subtype !== "api_retry" || event.error === undefined) return heard;
  const status = event.error_status === undefined ? {} : { status: event.error_status };
  return { ...heard, trouble: { error: event.error, attempt: event.attempt ?? 1, ...status } };
}

/** An error of the model comes as an assistant's message that no model wrote, with its class beside it. */
function hearAssistant(heard: Heard, event: ClaudeEvent): Heard {
  const reopened = heard.result !== undefined;
  if (event.error !== undefined) return { ...heard, reopened, trouble: { error: event.error, attempt: 1 } };
  const { trouble: _over, ...rest } = heard;
  const model = event.message?.model;
  const said = textOf(event);
  return {
    ...rest,
    reopened,
    ...(model === undefined || model === "<synthetic>" ? {} : { model }),
    ...(said === "" ? {} : { said }),
  };
}

export function textOf({ message }: ClaudeEvent): string {
  const spoken = (message?.content ?? []).filter((part) => part.type === "text");
  return spoken.map((part) => part.text ?? "").join("\n");
}
