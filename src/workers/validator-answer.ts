// Turns what came back from a validator into an answer, or into the one reason why there is none.
import { cleanText as clean, cut, oneLine } from "./findings.js";

export interface ValidatorRun {
  /** Absent: a signal ended it, or it never began. */
  exit?: number;
  stdout: string;
  /** More came on stdout than is kept. */
  stdoutCut?: boolean;
  /** The end of its log. */
  stderrTail: string;
  timedOut: boolean;
  limitSeconds: number;
  /** The file, as shown to people; absent: none was found. */
  path?: string;
  /** Why it could not be started or was ended, where that is known. */
  why?: string;
}
export interface Answer {
  pass: boolean;
  message: string;
  checks: { name: string; pass: boolean; message?: string }[];
  /** What is wrong with entries that name no check: each one is a failed check. */
  complaints: string[];
}

export function readAnswer(tool: string, run: ValidatorRun): Answer | { broken: string } {
  if (run.path === undefined)
    return { broken: run.why ?? `there is no validator "${tool}": looked for "validators/${tool}.*"` };
  const file = `"${run.path}"`;
  const fails = (what: string): { broken: string } => ({ broken: `${file} ${what}` });
  if (run.timedOut)
    return fails(
      `did not answer within ${run.limitSeconds} s; raise "timeout_seconds" of the validator "${tool}" in the loop file`,
    );
  if (run.exit === undefined) return fails(`${run.why ?? "was ended by a signal"}${lastWords(run)}`);
  if (run.exit > 1) return fails(`ended with exit code ${run.exit}; its answer is not used${lastWords(run)}`);
  if (run.stdoutCut) return fails("printed more than can be read; one JSON object belongs on stdout, logs on stderr");
  const text = run.stdout.replace(/^\uFEFF/, "").trim();
  if (text === "") return fails(`printed no answer (exit code ${run.exit})${lastWords(run)}`);
  const json = parse(text);
  if (json === undefined) return fails(whyNoJson(text));
  const answer = shapeOf(json);
  if (typeof answer === "string") return fails(`breaks the contract: ${answer}`);
  if (run.exit === 1 && answer.pass)
    return fails(`says "pass": true and ends with exit code 1; its answer is not used${lastWords(run)}`);
  return answer;
}

function lastWords({ stderrTail }: ValidatorRun): string {
  const last = clean(stderrTail).trimEnd().split("\n").at(-1)?.trim();
  return last ? `: ${cut(last, SHOWN_CHARS_MAX)}` : "";
}
const SHOWN_CHARS_MAX = 300;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON has no undefined, so it can mean that there is none
  }
}

/** The first line that is not part of the answer, when an answer is there; else that there is none. */
function whyNoJson(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const stray = first.trimStart().startsWith("{")
    ? parse(first) === undefined
      ? undefined
      : rest.find((line) => line.trim())
    : first;
  if (stray === undefined) return `printed no valid JSON: ${cut(oneLine(text), SHOWN_CHARS_MAX)}`;
  return `printed "${cut(oneLine(stray), SHOWN_CHARS_MAX)}" besides its answer: only one JSON object belongs on stdout, logs belong on stderr`;
}

/** The answer, or the place of the mistake. */
function shapeOf(json: unknown): Answer | string {
  if (!isRecord(json)) return "the answer must be an object";
  const { pass, message = "", checks = [] } = json;
  if (typeof pass !== "boolean") return '"pass" must be true or false';
  if (typeof message !== "string") return '"message" must be a text';
  if (!Array.isArray(checks)) return '"checks" must be a list of {"name", "pass"}';
  const answer: Answer = { pass, message, checks: [], complaints: [] };
  checks.forEach((entry: unknown, i) => {
    readCheck(answer, entry, `"checks[${i}]`);
  });
  return answer;
}

function readCheck(answer: Answer, entry: unknown, place: string): void {
  if (!isRecord(entry)) answer.complaints.push(`breaks the contract: ${place}" must be an object`);
  else if (typeof entry.name !== "string" || entry.name === "")
    answer.complaints.push(`breaks the contract: ${place}.name" must be a text`);
  else if (typeof entry.pass !== "boolean")
    answer.checks.push({ name: entry.name, pass: false, message: `${place}.pass" must be true or false` });
  else {
    const message = typeof entry.message === "string" ? entry.message : "";
    answer.checks.push({ name: entry.name, pass: entry.pass, ...(message ? { message } : {}) });
  }
}
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
