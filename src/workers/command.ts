// A command step: a shell line inside the sandbox, judged by its exit code and by nothing else.
import { GRACE_MS } from "../core/limits.js";
import type { Finding, Verdict, Work } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { Heard } from "../ports/listen.js";
import type { Outcome } from "../ports/sandbox.js";
import type { Answer, Task, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { hearLine } from "./line.js";
import { setUp } from "./setup.js";
import { evidenceOf, judgesTouchedBy, openVisit, type Visit } from "./visit.js";

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
  const { run: line, setup, timeoutMs } = work;
  try {
    const told: Finding[] = [];
    if (setup !== undefined) {
      const made = await setUp(shop, task, { ...work, setup }, visit, signal);
      if ("skipped" in made) told.push({ text: `setup was not run: ${STILL} ${made.skipped}`, severity: "info" });
      else {
        const answer = await judge(shop, task, visit, { what: "setup", heard: made.heard, timeoutMs });
        if (!("verdict" in answer) || answer.verdict.status !== "pass") return failedSetup(answer, made);
        made.stamp();
      }
    }
    const { workspace } = shop.frozen.start;
    const argv = ["sh", "-c", line];
    const child = await visit.start({ argv, cwd: workspace, env: visit.env, timeoutMs, graceMs: GRACE_MS });
    const heard = await hearLine(shop, task, visit, child, `${visit.folder}/console.log`, signal);
    return await judge(shop, task, visit, { what: line, heard, timeoutMs, told });
  } finally {
    await visit.close();
  }
}
const STILL = "its text and the lock files are what they were when it succeeded, on";

/** What it said last, and who it wanted to reach, so that nobody has to look for its log. */
function failedSetup(answer: Answer, { heard, refused }: { heard: Heard; refused: string[] }): Answer {
  if (!("verdict" in answer)) return answer;
  const lines = heard.tail.trimEnd().split("\n").slice(-SETUP_LINES_TOLD);
  const said = lines.join("\n").slice(-SETUP_CHARS_TOLD).trim();
  const findings: Finding[] = [...answer.verdict.findings];
  if (said) findings.push({ text: `setup said last: ${said}`, severity: "error" });
  for (const host of refused)
    findings.push({
      text: `setup asked for "${host}", which \`isolation: {egress: […]}\` does not name`,
      severity: "error",
    });
  return { ...answer, verdict: { ...answer.verdict, findings } };
}
const SETUP_LINES_TOLD = 10;
const SETUP_CHARS_TOLD = 1_000;

interface Said {
  what: string;
  heard: Heard;
  timeoutMs: number;
  told?: Finding[];
}

async function judge(
  shop: Workshop,
  task: Task,
  visit: Visit,
  { what, heard, timeoutMs, told = [] }: Said,
): Promise<Answer> {
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
  const evidence = await evidenceOf(shop, task, { sandbox: await visit.sandbox() });
  const findings: Finding[] = [
    ...(why ? [{ text: `${shown(what)} ${why}`, severity: "error" as const }] : []),
    ...told,
    ...(await judgesTouchedBy(shop, visit, evidence.tree)),
  ];
  const verdict: Verdict = {
    status: why ? "block" : "pass",
    findings,
    ...(heard.tail ? { output: heard.tail } : {}),
    evidence,
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
