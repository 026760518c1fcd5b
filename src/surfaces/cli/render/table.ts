// Columns of text, side by side, never wider than the screen.
import { clean } from "./clean.js";
import { COLUMNS, cut, fit, widthOf } from "./width.js";

export interface Column {
  head: string;
  align?: "right";
  /** Gives way first when the screen is narrow: the last column that grows takes what is left. */
  grows?: boolean;
}

const GAP = "  ";
/** What a growing column keeps however narrow the screen is. */
const GROWING_MIN = 8;

/** Lines of a table; cells are cleaned here. An empty table has no lines, not even heads. */
export function table(columns: Column[], rows: string[][], screen = COLUMNS, indent = ""): string[] {
  if (!rows.length) return [];
  const cells = rows.map((row) => columns.map((_, i) => clean(row[i] ?? "")));
  const heads = columns.map((column) => column.head);
  const widths = columns.map((_, i) => Math.max(...[heads, ...cells].map((row) => widthOf(row[i] ?? ""))));
  shrink(columns, widths, screen - widthOf(indent) - GAP.length * (columns.length - 1));
  const line = (row: string[]): string =>
    cut((indent + row.map((cell, i) => placed(cell, widths[i] ?? 0, columns[i])).join(GAP)).trimEnd(), screen);
  const shown = heads.some((head) => head) ? [heads, ...cells] : cells;
  return shown.map(line);
}

function shrink(columns: Column[], widths: number[], room: number): void {
  const order = [...columns.keys()].sort(
    (a, b) => Number(columns[b]?.grows ?? false) - Number(columns[a]?.grows ?? false),
  );
  for (const i of order) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room;
    if (over <= 0) return;
    const width = widths[i] ?? 0;
    widths[i] = Math.max(Math.min(GROWING_MIN, width), width - over);
  }
}

function placed(cell: string, width: number, column: Column | undefined): string {
  if (column?.align !== "right") return fit(cell, width);
  const shown = cut(cell, width);
  return " ".repeat(Math.max(0, width - widthOf(shown))) + shown;
}
