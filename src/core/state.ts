// The text of `.pawl/STATE.md`: one line a phase, with its status and what comes next. The lines are ours and marked so; what people
// wrote in the file is never changed, moved or cut.
import { isOurs, keepable } from "./memory.js";
import { readLines, sectionsOf } from "./outline.js";
import type { Phase } from "./phase.js";

export const STATE_FILE = "STATE.md";
export const STATE_PATH = `.pawl/${STATE_FILE}`;
/** Phases whose lines are kept; the oldest of ours go. */
export const STATES_KEPT_MAX = 200;

const MARK = " <!-- pawl -->";
const TITLE = "Phases";

/** The text with the phase as it stands now. Done again, it changes nothing. */
export function withState(text: string, phase: Phase): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.every((line) => line.trim() === "")) return withState(`# State${MARK}\n`, phase);
  const start = `- phase: ${keepable(phase.slug)} | `;
  const line = `${start}${told(phase)}${MARK}`;
  const known = lines.findIndex((each) => each.startsWith(start) && isOurs(each));
  if (known >= 0) lines[known] = line;
  else add(lines, line);
  return `${lines.join(eol)}${eol}`;
}

function told({ status, verdict, iter, iterMax, resets, resetsMax, next }: Phase): string {
  const counts = `iter ${iter}/${iterMax}, resets ${resets}/${resetsMax}`;
  const parts = [`status: ${status}`, ...(verdict ? [`verdict: ${keepable(verdict)}`] : []), counts, `next: ${next}`];
  return parts.join(" | ");
}

function add(lines: string[], line: string): void {
  const heading = sectionsOf(readLines(lines.join("\n")), (title) => title === TITLE)[0];
  const inside = heading?.inside.filter(({ text }) => isOurs(text) && text.startsWith("- phase: ")) ?? [];
  const at = (inside.at(-1)?.at ?? heading?.at ?? -1) + 1;
  if (heading)
    lines.splice(at, 0, line); // no blank line: it would not be marked as ours
  else lines.push("", `## ${TITLE}${MARK}`, "", line);
  const [oldest] = inside;
  if (oldest && inside.length >= STATES_KEPT_MAX) lines.splice(oldest.at, 1);
}
