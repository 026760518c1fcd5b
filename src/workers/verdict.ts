// Reads the verdict an agent left in its artifact. Every reader of verdict lines uses this one rule:
// a line of its own, outside code, quotes and comments, that says "Verdict:" and one declared word as a whole.
// Doubt and negation can take a pass away; nothing but the declared word gives one.
import type { VerdictFile } from "../core/model.js";
import { cut, oneLine } from "./findings.js";
import { type Line, readMarkdown } from "./markdown.js";
import { type Says, saysOf, wordsOf } from "./verdict-line.js";

export type Reading =
  | {
      outcome: string;
      status: "pass" | "block";
      /** The line that counted, as it stands there. */
      line: string;
      /** A pass under this condition: a warning, never a clean pass. */
      caveat?: string;
      /** The other verdict lines, in their order. */
      earlier: string[];
    }
  | { unclear: string };

/** Characters of a verdict line that is kept, and how many other lines are. */
export const VERDICT_LINE_CHARS_MAX = 300;
export const EARLIER_LINES_MAX = 20;

export function readVerdict(text: string | undefined, file: VerdictFile): Reading {
  const name = `"${oneLine(file.artifact)}"`;
  if (text === undefined) return { unclear: `${name} was not written` };
  if (text.replace(/\uFEFF/g, "").trim() === "") return { unclear: `${name} is empty` };
  const words = wordsOf(file);
  const markdown = readMarkdown(text);
  const spoken: Spoken[] = [];
  const hidden: Line[] = [];
  for (const line of markdown.lines) {
    const says = saysOf(unquoted(line), words);
    if (says && line.in === "text") spoken.push({ text: line.text, says });
    else if (says) hidden.push(line);
  }
  const counted = file.reading === "worst" ? worstOf(spoken, file) : spoken.at(-1);
  if (!counted) return { unclear: `${name} has no line that says ${wanted(file)}${hidden.length ? HIDDEN : ""}` };
  const { says } = counted;
  if ("unreadable" in says)
    return {
      unclear: `${name} has the verdict line "${shown(counted.text)}", which ${says.unreadable}; wanted is ${wanted(file)}`,
    };
  const open = markdown.unclosed;
  if (says.status === "pass" && open && hidden.some((line) => line.at >= open.at))
    return {
      unclear: `${name} has a further verdict line behind line ${open.at}, where a ${open.what} begins that never ends`,
    };
  const others = spoken.filter((each) => each !== counted).map((each) => shown(each.text));
  const outcome = outcomeOf(says, file);
  return { ...says, outcome, line: shown(counted.text), earlier: others.slice(-EARLIER_LINES_MAX) };
}

function outcomeOf({ outcome, caveat }: { outcome: string; caveat?: string }, { words }: VerdictFile): string {
  if (caveat === undefined) return outcome;
  return Object.values(words).find((word) => word.outcome === outcome)?.caveat ?? outcome;
}
const unquoted = (line: Line): string => (line.in === "quote" ? line.text.replace(/^[\s>]+/, "") : line.text);
const HIDDEN = " outside code, quotes and comments";

/** The first word of each outcome: what an agent may write. */
export function verdictLines(file: VerdictFile): string[] {
  const first = new Map<string, string>();
  for (const [word, { outcome, status }] of Object.entries(file.words)) {
    const key = JSON.stringify([status, outcome]);
    if (!first.has(key)) first.set(key, word);
  }
  return [...first.values()].map((word) => `VERDICT: ${word}`);
}

const wanted = (file: VerdictFile): string =>
  verdictLines(file)
    .map((line) => `"${line}"`)
    .join(" or ");
const shown = (line: string): string => cut(oneLine(line), VERDICT_LINE_CHARS_MAX);

interface Spoken {
  text: string;
  says: Says;
}

/** A block that can be read is the worst whatever else stands there; a line that cannot be read is worse than any pass. */
function worstOf(spoken: Spoken[], file: VerdictFile): Spoken | undefined {
  const outcomes = Object.values(file.words).map((word) => word.outcome);
  const badness = ({ says }: Spoken): number => {
    if ("unreadable" in says) return says.empty ? -1 : outcomes.length;
    const rank = outcomes.indexOf(says.outcome) + (says.caveat === undefined ? 0 : 0.5);
    return says.status === "block" ? outcomes.length + 1 + rank : rank;
  };
  let worst: Spoken | undefined;
  for (const each of spoken) if (!worst || badness(each) >= badness(worst)) worst = each;
  return worst;
}
