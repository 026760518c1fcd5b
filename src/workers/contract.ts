// The contract with validators: JSON in on stdin, one JSON object out on stdout. Whatever else comes back is a failed
// validator with a reason, never a fault of the run and never a pass.
import { FINDING_CHARS_MAX, FINDINGS_MAX, OUTPUT_CHARS_MAX } from "../core/limits.js";
import type { Finding, Verdict } from "../core/model.js";
import { cut, cutFindings, cutToEnd, cleanText as plain } from "./findings.js";
import { type Answer, readAnswer, type ValidatorRun } from "./validator-answer.js";

export interface DeclaredValidator {
  tool: string;
  checks: { name: string; required: boolean }[];
}
export interface CheckResult {
  name: string;
  pass: boolean;
  /** False for a check that the loop did not declare: information only. */
  required: boolean;
  message?: string;
  /** False: declared, and the answer does not mention it. */
  reported: boolean;
}
/** What the record keeps of one validator. */
export interface ValidatorResult {
  pass: boolean;
  message: string;
  checks: CheckResult[];
}
export interface Judgement {
  verdict: Verdict;
  result: ValidatorResult;
}

/** Outcomes: "pass", "optional" (only optional checks failed), "block". */
export function judge(declared: DeclaredValidator, run: ValidatorRun): Judgement {
  const answer = readAnswer(declared.tool, run);
  if ("broken" in answer) return broken(declared, answer.broken, run.stderrTail);
  const checks = [...declaredResults(declared, answer), ...undeclaredResults(declared, answer)];
  const failures = checks.filter((check) => !check.pass && isDeclared(declared, check));
  const required = failures.filter((check) => check.required);
  const complaints = [...answer.complaints, ...contradictions(declared, answer, failures, required)];
  const blocks = required.length > 0 || complaints.length > 0;
  const message = cut(plain(answer.message), OUTPUT_CHARS_MAX);
  const result = { pass: answer.pass && !blocks, message, checks };
  const outcome = blocks ? "block" : failures.length ? "optional" : "pass";
  const log = blocks ? run.stderrTail : "";
  return { verdict: verdictOf(declared, outcome, result, complaints, log), result };
}

/** What a validator is told on stdin. */
export function input(told: {
  skillOutputs: Record<string, string>;
  goalState: string;
  job: string;
  run: string;
  loop: string;
  branch: string | undefined;
  ticket: string | undefined;
}): string {
  const context = {
    job_id: told.job,
    task_id: told.run,
    loop_name: told.loop,
    branch: told.branch ?? null,
    ticket: told.ticket ?? null,
  };
  return `${JSON.stringify({ skill_outputs: told.skillOutputs, goal_state: told.goalState, loop_context: context })}\n`;
}

/** Nothing it said can be used: every declared check has failed, and the cause stands once. */
function broken(declared: DeclaredValidator, cause: string, stderrTail: string): Judgement {
  const checks = declared.checks.map(({ name, required }) => ({
    name,
    pass: false,
    required,
    message: cause,
    reported: false,
  }));
  const result = { pass: false, message: cause, checks };
  // without declared checks the validator itself is what must pass
  const outcome = checks.length && !checks.some((check) => check.required) ? "optional" : "block";
  return { verdict: verdictOf(declared, outcome, result, [], stderrTail), result };
}

const isDeclared = ({ checks }: DeclaredValidator, { name }: { name: string }): boolean =>
  checks.some((check) => check.name === name);

function declaredResults({ checks }: DeclaredValidator, answer: Answer): CheckResult[] {
  return checks.map(({ name, required }) => {
    const said = answer.checks.filter((check) => check.name === name);
    if (!said.length) return { name, pass: false, required, message: NOT_REPORTED, reported: false };
    const message = said
      .filter((check) => check.pass === said.every((each) => each.pass))
      .flatMap((check) => (check.message ? [plain(check.message)] : []))
      .join("\n");
    return {
      name,
      pass: said.every((each) => each.pass),
      required,
      ...(message ? { message: cut(message, FINDING_CHARS_MAX) } : {}),
      reported: true,
    };
  });
}
const NOT_REPORTED = "was not reported by the validator";

function undeclaredResults(declared: DeclaredValidator, answer: Answer): CheckResult[] {
  return answer.checks
    .filter((check) => !isDeclared(declared, check))
    .slice(0, FINDINGS_MAX)
    .map(({ name, pass, message }) => ({
      name: cut(plain(name), NAME_SHOWN_MAX),
      pass,
      required: false,
      ...(message ? { message: cut(plain(message), FINDING_CHARS_MAX) } : {}),
      reported: true,
    }));
}
const NAME_SHOWN_MAX = 200;

/** A "yes" above a required "no", a "no" that nothing declared explains, one check with two answers: all of them fail. */
function contradictions(
  { checks }: DeclaredValidator,
  answer: Answer,
  failures: CheckResult[],
  required: CheckResult[],
): string[] {
  const out: string[] = [];
  const reported = required.filter((check) => check.reported).map((check) => `"${check.name}"`);
  if (answer.pass && reported.length) out.push(`says "pass": true although the required ${reported.join(", ")} failed`);
  if (!answer.pass && !failures.length) out.push(ownWord(checks.length, answer));
  for (const { name } of checks) {
    const said = answer.checks.filter((check) => check.name === name);
    if (said.some((check) => check.pass) && said.some((check) => !check.pass))
      out.push(`reports "${name}" as passed and as failed`);
  }
  return out;
}
function ownWord(declared: number, answer: Answer): string {
  const reasons = answer.checks
    .filter((check) => !check.pass)
    .map((check) => `"${cut(plain(check.name), NAME_SHOWN_MAX)}"`);
  const because = reasons.length ? `; failed: ${reasons.slice(0, FINDINGS_MAX).join(", ")}` : "";
  return `${declared ? 'says "pass": false although every declared check passed' : 'says "pass": false'}${because}`;
}

function verdictOf(
  { tool, checks: names }: DeclaredValidator,
  outcome: "pass" | "optional" | "block",
  { message, checks }: ValidatorResult,
  complaints: string[],
  log: string,
): Verdict {
  const severity = outcome === "block" ? "error" : "warning";
  const told: Finding[] = message && outcome !== "pass" ? [{ where: tool, text: message, severity }] : [];
  const said = complaints.map((text): Finding => ({ where: tool, text: `the validator ${text}`, severity: "error" }));
  const failed = checks.filter((check) => !check.pass).map((check) => failureOf(check, names, message));
  const output = log.trim() ? `${message}\n\n${plain(log).trimEnd()}` : message;
  return {
    status: outcome === "block" ? "block" : "pass",
    outcome,
    findings: cutFindings([...told, ...said, ...failed]),
    output: cutToEnd(output, OUTPUT_CHARS_MAX),
  };
}

function failureOf(check: CheckResult, names: { name: string }[], message: string): Finding {
  const declared = names.some(({ name }) => name === check.name);
  const own = check.message && check.message !== message ? check.message : undefined;
  const text = own ?? (check.reported ? "failed" : "failed: the validator gave no answer for it");
  return { where: check.name, text, severity: declared ? (check.required ? "error" : "warning") : "info" };
}
