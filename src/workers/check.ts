// A look at the world: a hook of a chain, or a check as the work itself. Hooks decide nothing here; what they throw is a fault.
import { OUTPUT_CHARS_MAX } from "../core/limits.js";
import type { Json, Verdict } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { HookContext } from "../ports/hook.js";
import type { Answer, Task, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { cutFindings, cutToEnd, oneLine, printOfFindings } from "./findings.js";
import { readMarkdown } from "./markdown.js";
import { askValidator } from "./validator.js";
import { evidenceOf } from "./visit.js";

export const checkWorker = (shop: Workshop): Worker => ({
  name: "check",
  here: () => true,
  begin: (command) => ({ performer: askedOf(command)?.hook ?? "check" }),
  carryOut: (task, signal) => look(shop, task, signal),
});

function askedOf(command: Task["command"]): { hook: string; params: Json } | undefined {
  if (command.do === "hook") return command.hook;
  return command.do === "work" && command.work.kind === "check" ? command.work : undefined;
}

async function look(shop: Workshop, task: Task, signal: AbortSignal): Promise<Answer> {
  const asked = askedOf(task.command);
  if (!asked) throw new Error("unreachable: nothing to look at");
  const hook = shop.hooks.get(asked.hook);
  if (!hook)
    return {
      fault: {
        code: "unknown-hook",
        message: `The hook "${asked.hook}" is not registered here`,
        hint: "load the extension that registers it",
      },
    };
  const startedAt = shop.clock.ticks();
  try {
    const evidence: { validator?: string } = {};
    const verdict = await hook.look(contextOf(shop, task, evidence, signal), asked.params);
    const known = ["pass", "block", "wait", "skip"].includes(verdict.status);
    if (!known) throw new Error(`it answered with the status "${verdict.status}", which does not exist`);
    return {
      verdict: await finished(shop, task, verdict, evidence),
      spent: { ms: Math.round(shop.clock.ticks() - startedAt) },
    };
  } catch (error) {
    if (signal.aborted) return { cancelled: true };
    if (error instanceof FaultError) return { fault: error.record };
    const where = task.command.do === "hook" || task.command.do === "work" ? task.command.node.name : "";
    return {
      fault: {
        code: "hook-failed",
        message: `The check "${asked.hook}" at "${where}" could not look: ${oneLine(String(error))}`,
      },
    };
  }
}

async function finished(
  shop: Workshop,
  task: Task,
  verdict: Verdict,
  evidence: { validator?: string },
): Promise<Verdict> {
  const findings = cutFindings(verdict.findings);
  const print = verdict.status === "block" ? { print: verdict.print ?? printOfFindings(findings, shop.sha256) } : {};
  const output = verdict.output ? { output: cutToEnd(verdict.output, OUTPUT_CHARS_MAX) } : {};
  return { ...verdict, findings, ...print, ...output, evidence: await evidenceOf(shop, task, evidence) };
}

function contextOf(shop: Workshop, task: Task, evidence: { validator?: string }, signal: AbortSignal): HookContext {
  const { command, run, flow } = task;
  if (command.do !== "hook" && command.do !== "work") throw new Error("unreachable: nothing to look at");
  const { node, visit } = command;
  const answered = command.do === "hook" ? command.answered : undefined;
  const files = answered?.artifacts ?? [];
  const before = treeBefore(run, node.name);
  return {
    run,
    flow,
    node,
    visit,
    ...(answered ? { answered } : {}),
    artifacts: node.produces,
    read: (path) => readFor(shop, run.id, files, path),
    tree: async () => (await shop.git.tree()).digest,
    ...(before ? { treeBefore: before } : {}),
    validate: async (tool, checks, timeoutMs) => {
      const asked = await askValidator(shop, task, { tool, checks, timeoutMs }, signal);
      evidence.validator = asked.digest;
      return asked.verdict;
    },
    sha256: shop.sha256,
    frontMatter: shop.frontMatter,
    markdown: readMarkdown,
  };
}

/** The tree the work of this visit began with, as its worker noted it. */
const treeBefore = (run: Task["run"], node: string): string | undefined =>
  run.results[node]?.evidence?.inputs?.treeBefore;

async function readFor(shop: Workshop, run: string, artifacts: string[], path: string): Promise<string | undefined> {
  const own = artifacts.find((each) => each.endsWith(`/artifacts/${path}`));
  const read = own
    ? await shop.files.read(shop.store.runFolder(run), own)
    : await shop.files.read(shop.frozen.start.workspace, path);
  if ("refused" in read)
    throw new FaultError({ code: "artifact-refused", message: `"${path}" is not read: ${read.refused}` });
  return "text" in read ? read.text : undefined;
}
