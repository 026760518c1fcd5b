// The line of a state file that names the current unit, and the folder it means. Pure.

export interface Line {
  /** Counted from 1. */
  at: number;
  /** What stands behind the colon, without decoration. */
  text: string;
}

/** The last such line that names one: a state file is written on from top to bottom. */
export function currentUnit(state: string): Line | undefined {
  const found = state.split(/\r?\n/).flatMap((line, i) => {
    const [, said = ""] = /^[\s>*_#|-]*current\s+unit[\s*_]*[:|][\s*_|]*(.*)$/i.exec(line) ?? [];
    const text = said
      .replace(/[*_`|]+/g, (marks) => (marks.includes("_") && marks === "_" ? marks : ""))
      .replace(/\s*\([^)]*\)\s*$/, "")
      .trim();
    return text === "" || NONE.test(text) ? [] : [{ at: i + 1, text }];
  });
  return found.at(-1);
}
const NONE = /^(none|n\/?a|-+|tbd|not (started|set|applicable).*|all (complete|done).*|unknown)\.?$/i;

/** "invoice-export", "Unit 2 - invoice-export" and "Unit 2: Invoice Export" are the folder `invoice-export` or `unit-002-invoice-export`;
 *  "Unit 2" alone is `unit-2`, `unit-002` or the only `unit-002-…`. */
export function fits(text: string, folder: string): boolean {
  if (text === folder) return true;
  const [, numeral, title = ""] = /^unit\s*[-#]?\s*(\d+)\b\s*[-–—:.]*\s*(.*)$/i.exec(text) ?? [];
  const [, number, slug = ""] = /^unit-(\d+)(?:-(.+))?$/.exec(folder) ?? [];
  if (numeral === undefined) return slugOf(text) === (slug || folder);
  const isNumber = number !== undefined && Number(number) === Number(numeral);
  if (title === "") return isNumber;
  return slugOf(title) === (slug || folder) && (number === undefined || isNumber);
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
