// A unified diff of one change, for a person to read before it is made.
import type { Change } from "./model.js";

const CONTEXT = 3;
/** Lines of the changed middle of both texts, multiplied; above this the middle is shown as replaced whole. */
const CELLS_MAX = 4_000_000;

interface Line {
  sign: " " | "-" | "+";
  text: string;
}

export function diffOf({ path, before, after }: Change): string {
  const lines = compare(linesOf(before), linesOf(after));
  const head = [
    before === undefined ? "--- /dev/null" : `--- a/${path}`,
    after === undefined ? "+++ /dev/null" : `+++ b/${path}`,
  ];
  return [...head, ...hunksOf(lines)].join("\n");
}

const NO_END = "\\ No newline at end of file";

/** The end of a text without a line end is a line of its own kind, so that adding one is seen. */
function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop();
  return last === "" || last === undefined ? lines : [...lines, `${last}\n${NO_END}`];
}

function compare(before: string[], after: string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const middle = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)] as const;
  const same = (text: string): Line => ({ sign: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(...middle),
    ...before.slice(before.length - tail).map(same),
  ];
}

function compareMiddle(before: string[], after: string[]): Line[] {
  const gone = (text: string): Line => ({ sign: "-", text });
  const come = (text: string): Line => ({ sign: "+", text });
  if (before.length * after.length > CELLS_MAX) return [...before.map(gone), ...after.map(come)];
  const common = commonLengths(before, after);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [one, other] = [before[i], after[j]];
    if (one !== undefined && one === other) {
      lines.push({ sign: " ", text: one });
      i += 1;
      j += 1;
    } else if (other === undefined || (one !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push(gone(one ?? ""));
      i += 1;
    } else {
      lines.push(come(other));
      j += 1;
    }
  }
  return lines;
}

/** Lengths of the longest common rest, from each pair of places. */
function commonLengths(before: string[], after: string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const [row, below] = [table[i], table[i + 1]];
      if (row) row[j] = before[i] === after[j] ? (below?.[j + 1] ?? 0) + 1 : Math.max(below?.[j] ?? 0, row[j + 1] ?? 0);
    }
  return table;
}

function hunksOf(lines: Line[]): string[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const groups: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = groups.at(-1);
    if (last && index - last.to <= 2 * CONTEXT) last.to = index;
    else groups.push({ from: index, to: index });
  }
  return groups.flatMap(({ from, to }) =>
    hunk(lines, Math.max(0, from - CONTEXT), Math.min(lines.length, to + CONTEXT + 1)),
  );
}

function hunk(lines: Line[], from: number, to: number): string[] {
  const count = (list: Line[], without: string): number => list.filter(({ sign }) => sign !== without).length;
  const range = (without: string): string => {
    const length = count(lines.slice(from, to), without);
    return `${count(lines.slice(0, from), without) + (length ? 1 : 0)},${length}`;
  };
  return [`@@ -${range("+")} +${range("-")} @@`, ...lines.slice(from, to).map(({ sign, text }) => sign + text)];
}
