// The world's trouble with an agent, in one set of classes and words for all clients. Structured events name the class; the table of
// words is asked for turns that failed without one, over standard error and the closing event, never over what an agent printed.
import type { FailureClass } from "../../core/failure.js";
import type { ErrorRecord } from "../../core/model.js";
import { oneLine } from "./text.js";
import { untilIn } from "./until.js";

export type Class = Exclude<FailureClass, "sandbox" | "judge">;

/** Whose trouble it is, and how people sign in to it. */
export interface Whose {
  title: string;
  signIn: string;
}

/** `why` is one line in the client's own words; `now` is when it was said. */
export function troubleOf(what: Class, why: string, { title, signIn }: Whose, now = new Date()): ErrorRecord {
  const again = { hint: "try again: `pawl resume`", class: what };
  switch (what) {
    case "limit": {
      const message = `The account behind ${title} is at its limit: ${why}`;
      const until = untilIn(why, now);
      return {
        code: "agent-rate",
        message,
        hint: "wait until the limit is reset, then `pawl resume`",
        class: what,
        ...until,
      };
    }
    case "overloaded":
      return { code: "agent-overloaded", message: `The model of ${title} is busy or not reached: ${why}`, ...again };
    case "auth":
      return {
        code: "agent-auth",
        message: `${title} is not signed in: ${why}`,
        hint: `${signIn}, then \`pawl resume\``,
        class: what,
      };
    case "billing": {
      const message = `The account behind ${title} cannot pay: ${why}`;
      return { code: "agent-quota", message, hint: "top it up, then `pawl resume`", class: what };
    }
    case "permission": {
      const message = `${title} may not do what the task needs: ${why}`;
      return {
        code: "agent-permission",
        message,
        hint: "allow it in the client's settings, then `pawl resume`",
        class: what,
      };
    }
    case "context": {
      const message = `The conversation is longer than the model of ${title} takes: ${why}`;
      return {
        code: "agent-context",
        message,
        hint: "cut the documents of the loop, or take a model with a larger window",
        class: what,
      };
    }
    case "refusal": {
      const message = `The model of ${title} refuses the task: ${why}`;
      return {
        code: "agent-refused",
        message,
        hint: "word the task in another way, or take another model",
        class: what,
      };
    }
    case "idle":
      return { code: "agent-idle", message: `${title} said nothing for too long: ${why}`, ...again };
    case "crash": {
      const hint = "see console.log in the folder of the visit, then `pawl resume`";
      return { code: "agent-interrupted", message: `${title} ended without a result ${why}`, hint, class: what };
    }
    case "configuration":
      return { code: "agent-model-error", message: `The model of ${title} fails: ${why}`, ...again };
  }
}

/** What an HTTP status of a model's service means; undefined: nothing in particular. */
export function classOfStatus(status: number): Class | undefined {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "billing";
  if (status === 413) return "context";
  if (status === 429) return "limit";
  if (status === 408 || status >= 500) return "overloaded";
  return status >= 400 ? "configuration" : undefined;
}

const WORDS: [Class, RegExp][] = [
  [
    "billing",
    /credit balance is too low|insufficient[_ ](?:quota|funds|credits?)|billing[_ ](?:error|hard limit)|exceeded your current quota/i,
  ],
  [
    "auth",
    /\b(?:401 Unauthorized|not logged in|invalid (?:x-)?api[ -]key|incorrect api key|please run \/login|authentication[_ ](?:error|failed|required))\b/i,
  ],
  [
    "limit",
    /usage limit reached|hit your (?:usage )?limit|out of extra usage|429 Too Many Requests|rate[_ ]limit(?:ed|[_ ](?:error|exceeded|reached))|quota exceeded/i,
  ],
  [
    "context",
    /prompt is too long|context[_ ](?:length|window)[_ ]?exceeded|maximum context length|context window of this model/i,
  ],
  [
    "overloaded",
    /overloaded(?:_error)?\b|\b(?:50[0234]|529)\b.{0,40}(?:error|unavailable|gateway|overload)|service unavailable|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|connection (?:refused|error|reset)|stream disconnected|error sending request/i,
  ],
];

/** For a turn that failed without a class. What finished, or printed such words on its way, is never searched for them. */
export function classInWords(text: string): Class | undefined {
  return WORDS.find(([, words]) => words.test(text))?.[0];
}

/** The last line a program left on its standard error. */
export const lastLine = (stderr: string): string =>
  oneLine(stderr.split("\n").findLast((line) => line.trim() !== "") ?? "");
/** How it ended, with its last words. */
export function endedHow(how: string, stderr: string): string {
  const last = lastLine(stderr);
  return `(${how})${last === "" ? "" : `: ${last}`}`;
}
