// The condition of `repeat_until: all_phases_complete`: no open box is left in the task list. A list that is missing, or
// holds no box at all, is never a finished one.
import type { Finding } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import { headingsOf } from "./headings.js";
import { defineHook, noParams } from "./hook.js";

export const TASKS = ".pawl/tasks.md";

export const allPhasesComplete = defineHook({
  name: "all_phases_complete",
  params: noParams,
  effect: false,
  does: "looks",
  outcomes: [],
  condition: true,
  async look({ read, markdown }) {
    const text = await read(TASKS);
    if (text === undefined)
      throw missing(`"${TASKS}" is not there, so nobody can tell whether all phases are complete`);
    const { lines } = markdown(text);
    const optional = optionalLines(headingsOf(lines));
    // a box in a quote or in indented code may be a task all the same; only fences and comments surely are not
    const boxes = lines.flatMap((line) => {
      const [, mark, task = ""] = line.in === "fence" || line.in === "comment" ? [] : (BOX.exec(line.text) ?? []);
      return mark === undefined ? [] : [{ open: !/^x$/i.test(mark), task, at: line.at, optional: optional(line.at) }];
    });
    if (!boxes.length)
      throw missing(`"${TASKS}" holds no task with a box, so nobody can tell whether all phases are complete`);
    const open = boxes.filter((box) => box.open);
    const findings = open.map(
      (box): Finding => ({
        text: `${box.optional ? "optional and open" : "open"}: ${box.task.trim()}`,
        where: `${TASKS}:${box.at}`,
        severity: box.optional ? "info" : "error",
      }),
    );
    return { status: open.every((box) => box.optional) ? "pass" : "block", findings };
  },
});

const missing = (message: string): FaultError =>
  new FaultError({
    code: "condition-missing",
    message,
    hint: `write "${TASKS}", then resume`,
    details: { file: TASKS },
  });

/** Every list form of Markdown. "[-]" and "[~]" are not ticked, so they are open. */
const BOX = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)+\[([ \t]{0,4}|[xX\-~/>])\](?:\s+(.*))?$/;

/** Is the line under a heading that says "(optional)", or under one below it? */
function optionalLines(headings: { level: number; text: string; at: number }[]): (at: number) => boolean {
  const spans: { from: number; to: number }[] = [];
  for (const [i, heading] of headings.entries()) {
    if (!/\(optional\)/i.test(heading.text)) continue;
    const end = headings.slice(i + 1).find((next) => next.level <= heading.level);
    spans.push({ from: heading.at, to: end?.at ?? Number.POSITIVE_INFINITY });
  }
  return (at) => spans.some((span) => at > span.from && at < span.to);
}
