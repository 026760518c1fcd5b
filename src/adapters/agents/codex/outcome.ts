// What the end of a Codex turn means. Its closing event decides: never the exit code, never its prose.
import type { AgentEnd } from "../../../ports/agent.js";
import { type Bare, DENIALS_MAX } from "../end.js";
import type { Ending } from "../streamed.js";
import { endOf, oneLine, printable } from "../text.js";
import { type Class, classInWords, classOfStatus, endedHow, troubleOf } from "../trouble.js";
import type { Heard } from "./events.js";

export function judge(heard: Heard, ending: Ending): AgentEnd {
  const { session, said } = heard;
  const bare = bareOf(heard, ending);
  const total = heard.end?.event === "completed" ? heard.end.usage : undefined;
  return {
    ...bare,
    spent: {
      ms: ending.ms,
      ...(ending.model === undefined ? {} : { model: ending.model }),
      ...sinceThen(total, ending),
    },
    ...(total === undefined ? {} : { total }),
    ...(session === undefined || bare.end === "no-session" ? {} : { session }),
    output: endOf(printable(said)),
  };
}

/** It counts the whole conversation; what it had come to before is not this turn's. Not known, it stays unknown. */
function sinceThen(total: { inputTokens: number; outputTokens: number } | undefined, { resume, before }: Ending) {
  if (total === undefined || (resume && before === undefined)) return {};
  return {
    inputTokens: Math.max(0, total.inputTokens - (before?.inputTokens ?? 0)),
    outputTokens: Math.max(0, total.outputTokens - (before?.outputTokens ?? 0)),
  };
}

function bareOf(heard: Heard, { exit, stderr, timeoutMs, idleMs, resume, turnsMax }: Ending): Bare {
  const { end, trouble, denials } = heard;
  if (exit.stop === "cancelled") return { end: "cancelled" };
  if (end?.event === "completed")
    return { end: "finished", denials: denials.slice(0, DENIALS_MAX).map((one) => oneLine(one)) };
  if (end?.event === "failed") return modelFault(end.why);
  if (exit.stop === "turns")
    return { end: "limit", limit: "turns", why: `Codex was ended after ${turnsMax} commands, changes and calls` };
  if (trouble !== undefined && classOf(trouble) !== undefined) return modelFault(trouble);
  if (exit.stop === "time") return { end: "limit", limit: "time", why: `Codex had not ended after ${timeoutMs} ms` };
  if (exit.stop === "idle") return fault("idle", `no event for ${idleMs} ms`);
  if (resume && NO_SESSION.test(stderr)) return { end: "no-session" };
  const worded = classInWords(stderr);
  return worded ? fault(worded, oneLine(stderr)) : fault("crash", endedHow(exit.how, stderr));
}

const NO_SESSION = /no rollout found for thread id|thread not found|no (?:saved )?session found/i;

/** A turn that failed says why: a status, an error in JSON, or words. */
const modelFault = (why: string): Bare => fault(classOf(why) ?? "configuration", spoken(why));

function classOf(why: string): Class | undefined {
  const status = /\bstatus (\d{3})\b/.exec(why)?.[1];
  const worded = classInWords(why); // "insufficient_quota" comes with the status of a rate limit
  return worded ?? (status === undefined ? undefined : classOfStatus(Number(status)));
}

function spoken(why: string): string {
  const inner = /"message"\s*:\s*"((?:[^"\\]|\\.){1,300})"/.exec(why)?.[1];
  return oneLine(inner ?? why) || "it gives no reason";
}

const CODEX = { title: "Codex", signIn: "run `codex login`, or set OPENAI_API_KEY" };
const fault = (what: Class, why: string): Bare => ({ end: "fault", fault: troubleOf(what, why, CODEX) });
