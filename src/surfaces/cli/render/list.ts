// All runs here in one table, and those that wait for a person with what they ask and what answers them.
import type { View } from "../../../core/view.js";
import { clean } from "./clean.js";
import { painter } from "./paint.js";
import type { Screen } from "./status.js";
import { table } from "./table.js";
import { COLUMNS, wrap } from "./width.js";

export type Listed = Pick<
  View,
  "run" | "job" | "loop" | "status" | "state" | "outcome" | "reason" | "next" | "gate"
> & {
  /** When it moved last; ISO 8601. */
  updated?: string;
};

export function listText(runs: readonly Listed[], screen: Screen = {}): string[] {
  const { columns = COLUMNS } = screen;
  if (!runs.length) return ["no runs here; start one with: pawl run LOOP"];
  const rows = runs.map((each) => [
    each.run,
    each.loop,
    each.job,
    each.outcome ? `${each.status} (${each.outcome})` : each.status,
    (each.updated ?? "").slice(0, 16).replace("T", " "),
  ]);
  const heads = [{ head: "run" }, { head: "loop", grows: true }, { head: "job", grows: true }, { head: "status" }];
  const lines = table([...heads, { head: "moved (UTC)" }], rows, columns);
  const inbox = inboxText(runs, screen);
  return inbox.length ? [...lines, "", ...inbox] : lines;
}

/** Gates, pauses and used-up budgets alike: each with its reason and the command that answers it. */
export function inboxText(runs: readonly Listed[], { columns = COLUMNS, colour = false }: Screen = {}): string[] {
  const paint = painter(colour);
  const open = runs.filter((each) => each.state !== "running" && each.state !== "ended");
  if (!open.length) return [];
  const entries = open.flatMap((each) => [
    ...wrap(clean(`${each.run}: ${each.reason}`), columns - 2, "  ").map((line) => `  ${paint("ask", line)}`),
    `    ${clean(each.next)}`,
  ]);
  return ["waits for somebody:", ...entries];
}
