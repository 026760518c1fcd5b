// What Codex says while it works, one JSON object a line: the shapes we rely on, and what we remember of them.
import { z } from "zod";
import { isSessionToken } from "../host.js";

/** Every field may be absent or of another type tomorrow: then it is as if it were not there. */
const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);
const said = z.object({ message: text }).optional().catch(undefined);

const Item = z.object({
  id: text,
  type: z.string(),
  text,
  command: text,
  server: text,
  tool: text,
  status: text,
  message: text,
  error: said,
});
const Event = z.object({
  type: z.string(),
  thread_id: text,
  message: text,
  item: Item.optional().catch(undefined),
  error: said,
  usage: z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined),
});
export type CodexEvent = z.infer<typeof Event>;
export type CodexItem = z.infer<typeof Item>;

export interface Heard {
  session?: string;
  /** What the agent said last. */
  said: string;
  /** Commands, changes and calls it began. It tells of no turns. */
  deeds: number;
  /** Those of them that it was not allowed, as the rule that would allow them. */
  denials: string[];
  /** An error that stands without an answer: it may yet try again. */
  trouble?: string;
  end?:
    | { event: "completed"; usage?: { inputTokens: number; outputTokens: number } }
    | { event: "failed"; why: string };
}
export const NOTHING_HEARD: Heard = { said: "", deeds: 0, denials: [] };

export function eventOf(value: unknown): CodexEvent | undefined {
  const event = Event.safeParse(value);
  return event.success ? event.data : undefined;
}

/** What is known after one more event. */
export function hear(heard: Heard, value: unknown): Heard {
  const event = eventOf(value);
  if (!event) return heard;
  switch (event.type) {
    case "thread.started": {
      const { thread_id: session } = event;
      return session !== undefined && isSessionToken(session) ? { ...heard, session } : heard;
    }
    case "turn.started": {
      const { end: _over, trouble: _gone, ...rest } = heard; // it went to work again
      return rest;
    }
    case "item.started":
    case "item.completed":
      return event.item ? hearItem(heard, event.type, event.item) : heard;
    case "error":
      return event.message === undefined ? heard : { ...heard, trouble: event.message };
    case "turn.completed":
      return { ...heard, end: { event: "completed", ...usageOf(event) } };
    case "turn.failed":
      return { ...heard, end: { event: "failed", why: event.error?.message ?? heard.trouble ?? "" } };
    default:
      return heard; // kinds of events that come with a later version
  }
}

function usageOf({ usage }: CodexEvent): { usage?: { inputTokens: number; outputTokens: number } } {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage ?? {};
  return inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } };
}

const DEEDS = new Set(["command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"]);

/** A deed is told when it begins and when it is done; a change of files only when it is done. */
function hearItem(heard: Heard, type: "item.started" | "item.completed", item: CodexItem): Heard {
  if (item.type === "agent_message") return item.text === undefined ? heard : { ...heard, said: item.text };
  if (!DEEDS.has(item.type)) return heard;
  const begins = type === "item.started" || item.type === "file_change";
  const { trouble: _answered, ...rest } = heard;
  const denied = type === "item.completed" && isDenied(item) ? [...heard.denials, deedOf(item)] : heard.denials;
  return { ...rest, deeds: heard.deeds + (begins ? 1 : 0), denials: denied };
}

const isDenied = ({ status, error }: CodexItem): boolean =>
  status === "declined" || /requires approval|user rejected|not approved/i.test(error?.message ?? "");

/** `exec(pnpm test)`: what was done, in a few words. */
export function deedOf({ type, command, server, tool }: CodexItem): string {
  if (command !== undefined) return `exec(${command})`;
  return tool === undefined ? type : `${server ?? "mcp"}.${tool}`;
}
