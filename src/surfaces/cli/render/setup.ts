// A plan of setting up on the screen: the diff before, one line a file afterwards, and what was left alone.
import { diffOf } from "../../../setup/diff.js";
import { MANIFEST } from "../../../setup/manifest.js";
import type { Change, Plan } from "../../../setup/model.js";
import type { Desk } from "../desk.js";
import { clean } from "./clean.js";
import { painter, type Tone } from "./paint.js";

/** Our own notes are named in the list, not shown. Lines of the diff of one new file that are shown; the rest is counted. */
const NEW_LINES_MAX = 40;
/** Files of one reason that are named. */
const NAMED_MAX = 5;

const TONES: Record<string, Tone> = { "+": "good", "-": "bad", "@": "faint" };

export function showPlan(desk: Desk, { changes }: Plan): void {
  const paint = painter(desk.colour);
  const painted = (line: string): string => {
    const tone = TONES[line[0] ?? ""];
    return tone ? paint(tone, clean(line)) : clean(line);
  };
  for (const change of changes.filter(({ path }) => path !== MANIFEST)) {
    const lines = diffOf(change).split("\n");
    const isNew = change.before === undefined && lines.length > NEW_LINES_MAX;
    const shown = isNew ? lines.slice(0, NEW_LINES_MAX) : lines;
    for (const line of shown) desk.out(`${painted(line)}\n`);
    if (isNew) desk.out(`${paint("faint", `… and ${lines.length - NEW_LINES_MAX} more lines of a new file`)}\n`);
  }
}

const ENDS = {
  nothing: "nothing was written",
  shown: "nothing was written; to write it: add --yes",
  written: "written",
} as const;

export function tellPlan(
  desk: Desk,
  { changes, left }: Plan,
  { did, notes }: { did: keyof typeof ENDS; notes: string[] },
): void {
  if (desk.json) {
    const told = changes.map((change) => ({ path: change.path, does: wordOf(change), why: change.why }));
    desk.out(`${JSON.stringify({ written: did === "written", changes: told, left, notes }, null, 2)}\n`);
    return;
  }
  const paint = painter(desk.colour);
  const width = Math.max(0, ...changes.map(({ path }) => path.length));
  for (const change of changes)
    desk.out(
      `${paint("strong", wordOf(change).padEnd(6))}  ${clean(change.path).padEnd(width)}  ${clean(change.why)}\n`,
    );
  for (const [why, paths] of grouped(left)) {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
    const names = paths.slice(0, NAMED_MAX).map((path) => `"${clean(path)}"`);
    desk.err(`${paint("ask", "left alone")}: ${names.join(", ")}${more}: ${clean(why)}\n`);
  }
  for (const note of notes) desk.err(`${paint("faint", "note")}: ${clean(note)}\n`);
  desk.out(changes.length === 0 ? "everything is as it should be; nothing was written\n" : `${ENDS[did]}\n`);
}

function wordOf({ before, after }: Change): "make" | "change" | "remove" {
  if (after === undefined) return "remove";
  return before === undefined ? "make" : "change";
}

function grouped(left: Plan["left"]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { path, why } of left) groups.set(why, [...(groups.get(why) ?? []), path]);
  return groups;
}
