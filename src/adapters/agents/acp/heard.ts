// What an ACP agent tells while it works and when it ends: the shapes we rely on, and what we remember of them.
import { z } from "zod";

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);
const Place = z.object({ path: z.string() });
export const ToolCall = z.object({
  title: text,
  kind: text,
  locations: z.array(Place).optional().catch(undefined),
  content: z
    .array(z.object({ type: text, path: text }))
    .optional()
    .catch(undefined),
});
export type ToolCall = z.infer<typeof ToolCall>;
export const Update = z.object({
  sessionUpdate: z.string(),
  messageId: text,
  content: z.object({ type: text, text }).optional().catch(undefined),
  title: text,
  toolCallId: text,
  cost: z.object({ amount: count, currency: text }).optional().catch(undefined),
});
export const Permission = z.object({
  toolCall: ToolCall.optional().catch(undefined),
  options: z.array(z.object({ optionId: z.string(), kind: text })).catch([]),
});
const Tokens = z.object({ input_tokens: count, output_tokens: count });
export const Ended = z.object({
  stopReason: z.string(),
  usage: z.object({ inputTokens: count, outputTokens: count }).optional().catch(undefined),
  _meta: z
    .object({
      quota: z
        .object({ token_count: Tokens.optional().catch(undefined) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export const Opened = z.object({ sessionId: text });
export const Greeting = z.object({
  agentCapabilities: z
    .object({ loadSession: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

export interface Heard {
  session?: string;
  /** The message it said last. */
  said: string;
  /** Calls of tools it began, by their ids. It tells of no turns. */
  deeds: Set<string>;
  /** What we refused it. */
  denials: string[];
  usd?: number;
  end?: z.infer<typeof Ended>;
  error?: unknown;
}
