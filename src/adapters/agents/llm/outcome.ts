// What the end of a turn of the built-in agent means: by our own clock, then by the error, then by how its model ended.
import type { Bare } from "../end.js";
import { oneLine } from "../text.js";
import { type Class, classInWords, classOfStatus, troubleOf } from "../trouble.js";
import { SandboxTrouble } from "./inside.js";

export interface Heard {
  /** The model's last words. */
  said: string;
  /** Calls of the model. */
  calls: number;
  /** How the last one ended, in the library's words. */
  finish?: string;
  usage: { inputTokens?: number; outputTokens?: number };
  error?: unknown;
}
export interface Limits {
  stop: "cancelled" | "time" | undefined;
  timeoutMs: number;
  callsMax: number;
  mask(text: string): string;
}

export function judge({ error, finish, calls }: Heard, { stop, timeoutMs, callsMax, mask }: Limits): Bare {
  if (stop === "cancelled") return { end: "cancelled" };
  if (stop === "time")
    return { end: "limit", limit: "time", why: `the built-in agent had not ended after ${timeoutMs} ms` };
  if (error instanceof SandboxTrouble) return { end: "fault", fault: { ...error.record, class: "sandbox" } };
  if (error !== undefined) return modelFault(error, mask);
  switch (finish) {
    case "stop":
      return { end: "finished", denials: [] };
    case "tool-calls":
      return {
        end: "limit",
        limit: "turns",
        why: `the built-in agent was ended after ${calls} of ${callsMax} calls of its model`,
      };
    case "length":
      return { end: "failed", why: "the model's reply was cut at its own limit of output" };
    case "content-filter":
      return fault("refusal", "its service held the reply back");
    default:
      return fault("overloaded", `the reply ended as "${oneLine(finish ?? "nothing")}"`);
  }
}

function modelFault(error: unknown, mask: (text: string) => string): Bare {
  const { statusCode, responseBody, message } = calledOf(error);
  const why = oneLine(mask(message)) || "it gives no reason";
  const worded = classInWords(`${message}\n${responseBody}`);
  const byStatus = statusCode === undefined ? undefined : classOfStatus(statusCode);
  if (statusCode === undefined && worded === undefined) return fault("overloaded", why); // it was not reached
  return fault(worded ?? byStatus ?? "configuration", statusCode === undefined ? why : `${why} (status ${statusCode})`);
}

/** The call behind a row of tries that all failed. */
function calledOf(error: unknown): { statusCode?: number; responseBody: string; message: string } {
  const { lastError, statusCode, responseBody, message, code } =
    typeof error === "object" && error !== null ? (error as Record<string, unknown>) : { message: String(error) }; // each is looked at
  if (lastError !== undefined && lastError !== error) return calledOf(lastError);
  return {
    ...(typeof statusCode === "number" ? { statusCode } : {}),
    responseBody: typeof responseBody === "string" ? responseBody : "",
    message: `${typeof code === "string" ? `${code}: ` : ""}${String(message ?? "")}`,
  };
}

const LLM = { title: "the built-in agent", signIn: "put a valid key into the variable that api_key_env names" };
const fault = (what: Class, why: string): Bare => ({ end: "fault", fault: troubleOf(what, why, LLM) });
