// What the end of a Claude Code turn means. Its closing event decides: never the exit code, never its prose.
import type { ErrorRecord } from "../../../core/model.js";
import type { AgentEnd } from "../../../ports/agent.js";
import type { Exit } from "../child.js";
import { endOf, oneLine, printable } from "../text.js";
import type { ClaudeResult, Heard } from "./events.js";

export interface Ending {
  exit: Pick<Exit, "how" | "stop">;
  stderr: string;
  ms: number;
  timeoutMs: number;
  /** A session was to be resumed. */
  resume: boolean;
}

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

type Bare =
  | { end: "finished"; denials: string[] }
  | { end: "failed"; why: string }
  | { end: "limit"; limit: string; why: string }
  | { end: "cancelled" }
  | { end: "no-session" }
  | { end: "fault"; fault: ErrorRecord };

function withoutResult({ trouble }: Heard, { exit, stderr, timeoutMs, resume }: Ending): Bare {
  if (exit.stop === "cancelled") return { end: "cancelled" };
  if (trouble) return modelFault(trouble.error, `The model's service answers ${trouble.status ?? "with an error"}`);
  if (exit.stop === "time")
    return { end: "limit", limit: "time", why: `Claude Code had not ended after ${timeoutMs} ms` };
  if (resume && NO_SESSION.test(stderr)) return { end: "no-session" };
  const worded = wordsFault(stderr);
  if (worded) return worded;
  const last = oneLine(stderr.split("\n").findLast((line) => line.trim() !== "") ?? "");
  return fault(
    "agent-interrupted",
    `Claude Code ended without a result (${exit.how})${last === "" ? "" : `: ${last}`}`,
    "see console.log in the folder of the visit, then `pawl resume`",
  );
}

const NO_SESSION = /No conversation found with session ID/;

function fromResult(result: ClaudeResult, { trouble }: Heard, { resume }: Ending): Bare {
  const { subtype = "error", errors = [], result: final = "" } = result;
  if (!result.is_error && subtype === "success") return { end: "finished", denials: denialsOf(result) };
  const why = oneLine([...errors, final].find((text) => text.trim() !== "") ?? `Claude Code says "${subtype}"`);
  if (subtype === "error_max_turns") return { end: "limit", limit: "turns", why };
  if (subtype === "error_max_budget_usd") return { end: "limit", limit: "usd", why };
  if (resume && errors.some((error) => NO_SESSION.test(error))) return { end: "no-session" };
  if (trouble) return modelFault(trouble.error, why);
  const worded = wordsFault(why);
  if (worded) return worded;
  return result.terminal_reason === "api_error" ? modelFault("unknown", why) : { end: "failed", why };
}

/** The client's own classes of trouble with the model. */
function modelFault(error: string, why: string): Bare {
  switch (error) {
    case "authentication_failed":
    case "oauth_org_not_allowed":
      return fault("agent-auth", `Claude Code is not signed in: ${why}`, SIGN_IN);
    case "billing_error":
      return fault("agent-quota", `The account behind Claude Code cannot pay: ${why}`, "top it up, then `pawl resume`");
    case "rate_limit":
      return fault("agent-rate", `The account behind Claude Code is at its limit: ${why}`, WAIT, untilOf(why));
    default:
      return fault("agent-model-error", `The model of Claude Code fails: ${why}`, "try again: `pawl resume`");
  }
}

const SIGN_IN = "run `claude` and sign in, or set ANTHROPIC_API_KEY, then `pawl resume`";
const WAIT = "wait until the limit is reset, then `pawl resume`";

/** For a turn that failed without a class. What finished, or printed such words on its way, is never searched for them. */
function wordsFault(text: string): Bare | undefined {
  if (/\b(401 Unauthorized|not logged in|invalid api key|please run \/login)\b/i.test(text))
    return modelFault("authentication_failed", oneLine(text));
  if (/usage limit reached|hit your limit|out of extra usage|429 Too Many Requests/i.test(text))
    return modelFault("rate_limit", oneLine(text));
  return undefined;
}

/** `usage limit reached|1760000000`: seconds since 1970. */
function untilOf(text: string): { until: number } | undefined {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1];
  return seconds === undefined ? undefined : { until: Number(seconds) };
}

function fault(code: string, message: string, hint: string, details?: { until: number }): Bare {
  return { end: "fault", fault: { code, message, hint, ...(details === undefined ? {} : { details }) } };
}

/** `Bash(pnpm test)`: the rule that would allow it. */
function denialsOf({ permission_denials: denials = [] }: ClaudeResult): string[] {
  return denials.slice(0, DENIALS_MAX).map(({ tool_name: tool, tool_input: input }) => ruleOf(tool, input));
}

const DENIALS_MAX = 20;

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
