// Words for messages: the nearest known word, lists as people write them, and values of others made safe to show.

/** Longer words are not compared: nobody mistypes them, and the work grows with the square. */
export const SUGGEST_CHARS_MAX = 60;
/** Characters of a foreign value in a message. */
export const SHOWN_CHARS_MAX = 60;

/** `did you mean "x"?`, or nothing when no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const found = nearest(word, known);
  return found === undefined ? undefined : `did you mean ${quote(found)}?`;
}

/** The known word with the fewest edits, if they are few for its length; the first of equals. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length === 0 || word.length > SUGGEST_CHARS_MAX) return undefined;
  const editsMax = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; edits: number } | undefined;
  for (const candidate of known) {
    if (candidate.length > SUGGEST_CHARS_MAX || Math.abs(candidate.length - word.length) > editsMax) continue;
    const edits = countEdits(fold(word), fold(candidate));
    if (edits <= editsMax && edits < candidate.length && edits < (best?.edits ?? Number.POSITIVE_INFINITY))
      best = { word: candidate, edits };
  }
  return best?.word;
}

/** "a, b or c" */
export function listed(words: readonly string[], last: "or" | "and" = "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** In double quotes, cut, without control characters. */
export function quote(text: string): string {
  const shown = clean(text);
  return shown.length > SHOWN_CHARS_MAX ? `"${[...shown].slice(0, SHOWN_CHARS_MAX).join("")}…"` : `"${shown}"`;
}

/** A value of the file, short enough for a message. */
export function show(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "blank text" : quote(value);
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value === "object" ? "a map" : String(value);
}

/** Without control, format and other invisible characters: nothing of a file may steer a terminal. Line ends become blanks. */
export function clean(text: string): string {
  return text.replace(/[\r\n\t\u2028\u2029]+/gu, " ").replace(/\p{C}/gu, "");
}

const fold = (word: string) => word.toLowerCase().replaceAll("-", "_");

/** Levenshtein with swaps of neighbours counted once. */
function countEdits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(cheapest(a, b, i, j, { before, row, next }));
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

function cheapest(
  a: string,
  b: string,
  i: number,
  j: number,
  rows: { before: number[]; row: number[]; next: number[] },
): number {
  const cost = (from: number[], at: number) => from[at] ?? Number.POSITIVE_INFINITY;
  const changed = a[i - 1] === b[j - 1] ? 0 : 1;
  const edits = Math.min(cost(rows.row, j) + 1, cost(rows.next, j - 1) + 1, cost(rows.row, j - 1) + changed);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(edits, cost(rows.before, j - 2) + 1) : edits;
}
