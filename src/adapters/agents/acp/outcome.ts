// What the end of an ACP turn means: our own timers, then the answer to the prompt or the error in its place, then how it ended.
import type { AgentEnd, Turn } from "../../../ports/agent.js";
import type { Exit } from "../child.js";
import { type Bare, DENIALS_MAX } from "../end.js";
import { endOf, oneLine, printable } from "../text.js";
import { type Class, classInWords, classOfStatus, endedHow, troubleOf } from "../trouble.js";
import { AcpError, AcpSilence } from "./connection.js";
import type { Heard } from "./heard.js";

export interface Ending {
  title: string;
  exit: Pick<Exit, "how" | "stop" | "survivors">;
  stderr: string;
  ms: number;
  idleMs: number;
}

export function judge(heard: Heard, ending: Ending, turn: Turn): AgentEnd {
  const { title, exit, ms } = ending;
  const fault = (what: Class, why: string): Bare => ({
    end: "fault",
    fault: troubleOf(what, why, { title, signIn: "sign in to it" }),
  });
  const bare = bareOf(heard, ending, turn, fault);
  const rest = {
    spent: { ms, ...spentOf(heard), ...(turn.performer.model ? { model: turn.performer.model } : {}) },
    ...(heard.session === undefined || bare.end === "no-session" ? {} : { session: heard.session }),
    output: endOf(printable(heard.said)),
  };
  if (exit.survivors.length === 0) return { ...bare, ...rest };
  const pids = exit.survivors.join(" ");
  const message = `${title} left processes that could not be ended: ${pids}`;
  return { end: "fault", fault: { code: "agent-survivors", message, hint: `end them: kill -9 ${pids}` }, ...rest };
}

type FaultOf = (what: Class, why: string) => Bare;

function bareOf(heard: Heard, { title, exit, stderr, idleMs }: Ending, turn: Turn, fault: FaultOf): Bare {
  const { end, error } = heard;
  if (exit.stop === "cancelled") return { end: "cancelled" };
  if (end) return fromAnswer(end.stopReason, heard, title, fault);
  if (error instanceof AcpError) return fromError(error, turn, fault);
  if (exit.stop === "turns")
    return { end: "limit", limit: "turns", why: `${title} was ended after ${turn.turnsMax} calls of its tools` };
  if (exit.stop === "time")
    return { end: "limit", limit: "time", why: `${title} had not ended after ${turn.timeoutMs} ms` };
  if (exit.stop === "idle") return fault("idle", `no message for ${idleMs} ms`);
  if (error instanceof AcpSilence && exit.stop === "settled") {
    const model = turn.performer.model === undefined ? "" : ` with the model "${turn.performer.model}"`;
    return fault("configuration", `${error.message}${model}`);
  }
  const worded = classInWords(stderr);
  return worded ? fault(worded, oneLine(stderr)) : fault("crash", endedHow(exit.how, stderr));
}

function fromAnswer(reason: string, heard: Heard, title: string, fault: FaultOf): Bare {
  switch (reason) {
    case "end_turn": {
      // Copilot tells an error of its model as its whole last message, and then no tokens
      const status = heard.end?.usage ? undefined : /^(?:Info: .*\n)?Error: (\d{3})\b/.exec(heard.said)?.[1];
      const what = status === undefined ? undefined : (classInWords(heard.said) ?? classOfStatus(Number(status)));
      return what
        ? fault(what, oneLine(heard.said))
        : { end: "finished", denials: heard.denials.slice(0, DENIALS_MAX) };
    }
    case "max_turn_requests":
      return { end: "limit", limit: "turns", why: `${title} came to its own cap of turns` };
    case "max_tokens":
      return { end: "failed", why: `the reply of the model of ${title} was cut at its own limit` };
    case "refusal":
      return fault("refusal", oneLine(heard.said) || "it gives no reason");
    default:
      return { end: "failed", why: `${title} ended its turn as "${oneLine(reason)}"` };
  }
}

/** ACP's own word for "sign in first". */
const AUTH_REQUIRED = -32_000;

function fromError({ method, code, message }: AcpError, { resume }: Turn, fault: FaultOf): Bare {
  if (resume && method === "session/load") return { end: "no-session" };
  if (code === AUTH_REQUIRED) return fault("auth", oneLine(message));
  const status =
    /"(?:statusCode|status)"\s*:\s*(\d{3})\b/.exec(message)?.[1] ??
    (code !== undefined && code >= 400 && code < 600 ? code : undefined);
  const what = classInWords(message) ?? (status === undefined ? undefined : classOfStatus(Number(status)));
  return fault(what ?? "configuration", oneLine(message) || `${method} failed`);
}

/** Two places in which agents tell their tokens. */
function spentOf({ end, usd }: Heard) {
  const { input_tokens: input, output_tokens: output } = end?._meta?.quota?.token_count ?? {};
  const inputTokens = end?.usage?.inputTokens ?? input;
  const outputTokens = end?.usage?.outputTokens ?? output;
  return {
    ...(usd === undefined ? {} : { usd }),
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
