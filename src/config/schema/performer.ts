// The key `agents`: what a name stands for, here and in the settings.
import { z } from "zod";
import type { Performer } from "../../core/model.js";
import { Refusal } from "../../core/refusal.js";
import { compact } from "./compact.js";
import { env } from "./isolation.js";
import { amount, freeText, keys, list, seconds, slug, table, text, variable, word } from "./leaf.js";

export const USES = [
  "claude-code",
  "codex",
  "opencode",
  "gemini",
  "qwen",
  "copilot",
  "acp",
  "llm",
  "host",
  "command",
] as const;

export const performer = () =>
  z.union(
    [
      word(USES),
      keys({
        use: word(USES).meta({ description: "The client that does the work." }),
        run: text("a command line")
          .optional()
          .meta({ description: "With `use: command`: the program; it gets the prompt on standard input." }),
        command: text("a command line")
          .optional()
          .meta({ description: "With `use: acp`: the program that speaks the Agent Client Protocol." }),
        model: text("the name of a model").optional().meta({ description: "The model, in the client's own words." }),
        args: list(freeText(), "arguments").optional().meta({ description: "Further arguments of the client." }),
        env: env().optional().meta({ description: "Variables of the client: text, or {from: HOST_NAME}." }),
        fallback: slug("the name of an agent")
          .optional()
          .meta({ description: "Who goes on where this one cannot: at a limit, without a sign-in, broken." }),
        access: word(["read", "write"]).optional().meta({ description: "May it change the workspace?" }),
        prompt_tokens: amount(1_000, 10_000_000, "tokens").optional().meta({
          description: "Tokens its prompt may have; documents that do not fit become pointers. Default 150000.",
        }),
        base_url: text("an address").optional().meta({ description: "With `use: llm`: where the model is." }),
        api_key_env: variable().optional().meta({ description: "With `use: llm`: the variable that holds the key." }),
        api: word(["openai", "anthropic"])
          .optional()
          .meta({ description: "With `use: llm`: what the service speaks." }),
        timeout: seconds().optional().meta({ description: "Seconds of one visit." }),
      }),
    ],
    { error: "must be the name of a client or {use: …}" },
  );

export const performers = () => table(slug("the name of an agent"), performer(), "NAME: {use: …}");

export function readPerformers(parsed: z.output<ReturnType<typeof performers>>): Record<string, Performer> {
  return Object.fromEntries(Object.entries(parsed).map(([name, one]) => [name, readPerformer(one)]));
}
/** What an extension registers, in the words of the key; throws a Refusal that says which one is wrong. */
export function performersOf(given: Record<string, unknown>): Record<string, Performer> {
  return Object.fromEntries(
    Object.entries(given).map(([name, one]) => {
      const read = performer().safeParse(one);
      if (read.success) return [name, readPerformer(read.data)];
      const [first] = read.error.issues;
      throw new Refusal(
        "bad-extension",
        `the performer "${name}" of an extension cannot be read: ${[...(first?.path ?? []), first?.message].join(" ")}`,
        "write it as under agents:",
      );
    }),
  );
}
export function readPerformer(parsed: z.output<ReturnType<typeof performer>>): Performer {
  if (typeof parsed === "string") return { use: parsed };
  const { timeout, prompt_tokens, base_url: baseUrl, api_key_env: keyEnv, ...same } = parsed;
  return compact({ ...same, baseUrl, keyEnv, timeoutMs: toMs(timeout), promptTokens: prompt_tokens });
}

export function toMs(seconds: number): number;
export function toMs(seconds: number | undefined): number | undefined;
export function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}
