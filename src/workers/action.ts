// An action step: registered code. It has no verdict; what it throws is a fault, and it is asked again on resume.

import { OUTPUT_CHARS_MAX } from "../core/limits.js";
import type { Verdict } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { Answer, Task, Worker } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { cut, cutFindings, oneLine } from "./findings.js";
import { evidenceOf } from "./visit.js";

export const actionWorker = (shop: Workshop): Worker => ({
  name: "action",
  here: () => true,
  begin: (command) => ({ performer: nameOf(command) }),
  carryOut: (task, signal) => act(shop, task, signal),
});

const nameOf = (command: Task["command"]): string =>
  command.do === "work" && command.work.kind === "action" ? command.work.action : "action";

async function act(shop: Workshop, { command, run, flow, ...rest }: Task, signal: AbortSignal): Promise<Answer> {
  if (command.do !== "work" || command.work.kind !== "action") throw new Error("unreachable: not an action");
  const { work, node, visit } = command;
  const action = shop.actions.get(work.action);
  if (!action)
    return {
      fault: {
        code: "unknown-action",
        message: `The action "${work.action}" is not registered here`,
        hint: "load the extension that registers it",
      },
    };
  const startedAt = shop.clock.ticks();
  try {
    const { workspace } = shop.frozen.start;
    let folder: Promise<string> | undefined;
    const end = await action.run({
      run,
      flow,
      step: node.name,
      visit,
      params: work.params,
      workspace,
      runFolder: shop.store.runFolder(run.id),
      visitFolder: () => {
        folder ??= shop.store.visitFolder(run.id, node.name, visit);
        return folder;
      },
      signal,
    });
    const outcome = end.outcome ?? "pass";
    if (outcome !== "pass" && !action.outcomes.includes(outcome))
      throw new Error(`it answered "${outcome}", which it never declared`);
    const verdict: Verdict = {
      status: "pass",
      outcome,
      findings: cutFindings(end.findings ?? []),
      ...(end.output ? { output: cut(end.output, OUTPUT_CHARS_MAX) } : {}),
      ...(end.set ? { set: end.set } : {}),
      evidence: await evidenceOf(shop, { command, run, flow, ...rest }),
    };
    return { verdict, spent: { ms: Math.round(shop.clock.ticks() - startedAt) } };
  } catch (error) {
    if (signal.aborted) return { cancelled: true };
    if (error instanceof FaultError) return { fault: error.record };
    const message = `The action "${work.action}" of step "${node.name}" failed: ${oneLine(String(error))}`;
    return { fault: { code: "action-failed", message, hint: `mend it, then: pawl resume ${run.id}` } };
  }
}
