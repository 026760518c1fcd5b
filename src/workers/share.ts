// What of a shared plan is whose. The plan is read as it lies in the workspace now: people and doers change it while the loop runs.
import type { Verdict, Work } from "../core/model.js";
import { type Stack, tasksOf } from "../core/stacks.js";
import { FaultError } from "../ports/errors.js";
import type { Workshop } from "../ports/workshop.js";
import type { PromptParts } from "./prompt.js";

/** Throws a FaultError where the plan cannot be read. */
export async function shareOf(shop: Workshop, stack: Stack): Promise<NonNullable<PromptParts["share"]>> {
  const { name, all, plan } = stack;
  const others = all.filter((each) => each !== name);
  if (plan === undefined) return { stack: name, others, tasks: [] };
  const read = await shop.files.read(shop.frozen.start.workspace, plan);
  if ("text" in read) return { stack: name, others, plan, tasks: tasksOf(read.text, stack) };
  const isThere = "refused" in read;
  const why = isThere ? read.refused : "it is not there any more";
  const hint = isThere ? "make it a plain file of the work tree, then resume" : "bring it back, then resume";
  throw new FaultError({ code: "plan-unreadable", message: `the plan "${plan}" cannot be shared out: ${why}`, hint });
}

/** A doer for whose stack the plan has no task is not started; the first one also mends what nobody else is asked for. */
export async function nothingToDo(
  shop: Workshop,
  { stack, performer }: Extract<Work, { kind: "agent" }>,
): Promise<Verdict | undefined> {
  if (!stack?.plan || stack.all[0] === stack.name) return undefined;
  if ((await shareOf(shop, stack)).tasks.length) return undefined;
  const text = `"${performer}" was not started: no task of ${stack.plan} is marked [${stack.name}]`;
  return { status: "pass", findings: [{ text, rule: "stack", severity: "info" }] };
}
