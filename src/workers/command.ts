// A command step: a shell line inside the sandbox, judged by its exit code and by nothing else.
import { GRACE_MS } from "../core/limits.js";
import type { Finding, Verdict, Work } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { Heard } from "../ports/listen.js";
import type { Outcome } from "../ports/sandbox.js";
import type { Answer, Task, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { evidenceOf, openVisit, type Visit } from "./visit.js";

type Command = Extract<Work, { kind: "command" }>;

export const commandWorker = (shop: Workshop): Worker => ({
  name: "command",
  here: () => true,
  begin: () => ({ performer: "command" }),
  carryOut: async (task, signal) => {
    if (task.command.do !== "work" || task.command.work.kind !== "command")
      throw new Error("unreachable: not a command");
    const { work } = task.command;
    try {
      return await runCommand(shop, task, work, signal);
    } catch (error) {
      if (error instanceof FaultError) return { fault: error.record };
      throw error;
    }
  },
});

async function runCommand(shop: Workshop, task: Task, work: Command, signal: AbortSignal): Promise<Answer> {
  const visit = await openVisit(shop, task, { access: "write", ...(work.env ? { env: work.env } : {}) });
  try {
    if (work.setup) {
      const setup = await runLine(shop, task, visit, { line: work.setup, timeoutMs: work.timeoutMs }, signal);
      const answer = await judge(shop, task, "setup", setup, work.timeoutMs);
      if (!("verdict" in answer) || answer.verdict.status !== "pass") return answer;
    }
    const heard = await runLine(shop, task, visit, { line: work.run, timeoutMs: work.timeoutMs }, signal);
    return await judge(shop, task, work.run, heard, work.timeoutMs);
  } finally {
    await visit.close();
  }
}

async function runLine(
  shop: Workshop,
  task: Task,
  visit: Visit,
  wish: { line: string; timeoutMs: number },
  signal: AbortSignal,
): Promise<Heard> {
  const { workspace } = shop.frozen.start;
  const child = await visit.start({
    argv: ["sh", "-c", wish.line],
    cwd: workspace,
    env: visit.env,
    timeoutMs: wish.timeoutMs,
    graceMs: GRACE_MS,
  });
  const stop = () => child.stop("cancelled");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const onLine = (line: string) => shop.notifier.said(task.command, visit.mask(line));
  const heard = await shop.listen(child, { stdin: "", log: `${visit.folder}/console.log`, onLine, mask: visit.mask });
  signal.removeEventListener("abort", stop);
  return heard;
}

async function judge(shop: Workshop, task: Task, what: string, heard: Heard, timeoutMs: number): Promise<Answer> {
  const { outcome } = heard;
  if (outcome.end === "cancelled") return { cancelled: true };
  if (outcome.end === "fault") return { fault: outcome.fault };
  const disk = outcome.end === "limit" && outcome.limit === "disk";
  if (disk)
    return {
      fault: {
        code: "sbx-disk",
        message: "The disk is nearly full; the step was stopped",
        hint: "free some space, then resume",
      },
    };
  const why = failureOf(outcome, timeoutMs);
  const findings: Finding[] = why ? [{ text: `${shown(what)} ${why}`, severity: "error" }] : [];
  const verdict: Verdict = {
    status: why ? "block" : "pass",
    findings,
    ...(heard.tail ? { output: heard.tail } : {}),
    evidence: await evidenceOf(shop, task),
  };
  return { verdict, spent: { ms: heard.ms } };
}

/** What is wrong, in words that say which cap was hit and which key raises it; undefined when it passed. */
export function failureOf(
  outcome: Exclude<Outcome, { end: "fault" | "cancelled" }>,
  timeoutMs: number,
): string | undefined {
  if (outcome.end === "exit") return outcome.code === 0 ? undefined : `failed with exit code ${outcome.code}`;
  if (outcome.end === "signal") return `was ended by the signal ${outcome.signal}`;
  if (outcome.limit === "time")
    return `ran out of time after ${timeoutMs / 1000} s and was ended; the key "timeout" raises it`;
  return `was ended: it used more ${outcome.limit} than ${outcome.value}; the key "isolation.${outcome.limit}" raises it`;
}

const shown = (line: string): string => {
  const first = line.trim().split("\n")[0] ?? "";
  return `"${first.length > 80 ? `${first.slice(0, 80)}…` : first}"`;
};
