// What the end of a Claude Code turn means. Its closing event decides: never the exit code, never its prose.
import type { AgentEnd } from "../../../ports/agent.js";
import { type Bare, DENIALS_MAX } from "../end.js";
import type { Ending } from "../streamed.js";
import { endOf, oneLine, printable } from "../text.js";
import { type Class, classInWords, classOfStatus, endedHow, troubleOf } from "../trouble.js";
import type { ClaudeResult, Heard } from "./events.js";

export function judge(heard: Heard, ending: Ending): AgentEnd {
  const { result, session, said } = heard;
  const end = result && !isCutShort(heard, ending) ? fromResult(result, heard, ending) : withoutResult(heard, ending);
  return {
    ...end,
    spent: spentOf(heard, ending.ms),
    ...(session === undefined || end.end === "no-session" ? {} : { session }),
    output: endOf(printable(result?.result ?? said)),
  };
}

/** A person's word stands above the client's; the clock only above a client that was at work again. */
function isCutShort({ reopened }: Heard, { exit }: Ending): boolean {
  return exit.stop === "cancelled" || (exit.stop === "time" && reopened);
}

function withoutResult({ trouble }: Heard, { exit, stderr, timeoutMs, idleMs, resume }: Ending): Bare {
  if (exit.stop === "cancelled") return { end: "cancelled" };
  if (trouble) return modelFault(trouble, `The model's service answers ${trouble.status ?? "with an error"}`);
  if (exit.stop === "time")
    return { end: "limit", limit: "time", why: `Claude Code had not ended after ${timeoutMs} ms` };
  if (exit.stop === "idle") return fault("idle", `no event for ${idleMs} ms`);
  if (resume && NO_SESSION.test(stderr)) return { end: "no-session" };
  const worded = classInWords(stderr);
  return worded ? fault(worded, oneLine(stderr)) : fault("crash", endedHow(exit.how, stderr));
}

const NO_SESSION = /No conversation found with session ID/;

function fromResult(result: ClaudeResult, { trouble }: Heard, { resume }: Ending): Bare {
  const { subtype = "error", errors = [], result: final = "" } = result;
  if (!result.is_error && subtype === "success") return { end: "finished", denials: denialsOf(result) };
  const why = oneLine([...errors, final].find((text) => text.trim() !== "") ?? `Claude Code says "${subtype}"`);
  if (subtype === "error_max_turns") return { end: "limit", limit: "turns", why };
  if (subtype === "error_max_budget_usd") return { end: "limit", limit: "usd", why };
  if (resume && errors.some((error) => NO_SESSION.test(error))) return { end: "no-session" };
  if (trouble) return modelFault(trouble, why);
  const worded = classInWords(why);
  if (worded) return fault(worded, why);
  return result.terminal_reason === "api_error" ? fault("configuration", why) : { end: "failed", why };
}

/** The client's own classes of trouble with the model; what it calls unknown, by the status or the words. */
const CLASSES: Record<string, Class> = {
  authentication_failed: "auth",
  oauth_org_not_allowed: "auth",
  billing_error: "billing",
  rate_limit: "limit",
  overloaded: "overloaded",
  server_error: "overloaded",
};

function modelFault({ error, status }: NonNullable<Heard["trouble"]>, why: string): Bare {
  const named = Object.hasOwn(CLASSES, error) ? CLASSES[error] : undefined;
  const byStatus = status === undefined ? undefined : classOfStatus(status);
  return fault(named ?? byStatus ?? classInWords(why) ?? "configuration", why);
}

const CLAUDE = { title: "Claude Code", signIn: "run `claude` and sign in, or set ANTHROPIC_API_KEY" };
const fault = (what: Class, why: string): Bare => ({ end: "fault", fault: troubleOf(what, why, CLAUDE) });

/** `Bash(pnpm test)`: the rule that would allow it. */
function denialsOf({ permission_denials: denials = [] }: ClaudeResult): string[] {
  return denials.slice(0, DENIALS_MAX).map(({ tool_name: tool, tool_input: input }) => ruleOf(tool, input));
}

export function ruleOf(tool: string, input: unknown): string {
  const fields: Record<string, unknown> = typeof input === "object" && input !== null ? { ...input } : {};
  const about = fields.command ?? fields.file_path ?? fields.path ?? fields.pattern ?? fields.url;
  return oneLine(typeof about === "string" ? `${tool}(${about})` : tool);
}

/** Tokens read from a cache were read too: they count. */
function spentOf({ model, result }: Heard, ms: number): AgentEnd["spent"] {
  const { total_cost_usd: usd, usage } = result ?? {};
  const input = [usage?.input_tokens, usage?.cache_creation_input_tokens, usage?.cache_read_input_tokens];
  const isCounted = input.some((tokens) => tokens !== undefined);
  return {
    ms,
    ...(usd === undefined ? {} : { usd }),
    ...(isCounted ? { inputTokens: input.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0) } : {}),
    ...(usage?.output_tokens === undefined ? {} : { outputTokens: usage.output_tokens }),
    ...(model === undefined ? {} : { model }),
  };
}
