// The headings of a Markdown text and what stands under them.
import type { MarkdownLine } from "../ports/hook.js";

export interface Heading {
  level: number;
  text: string;
  at: number;
}

/** `# like this` and underlined ones. */
export function headingsOf(lines: MarkdownLine[]): Heading[] {
  const headings: Heading[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.in !== "text") continue;
    const [whole = "", hashes = ""] = HASHES.exec(line.text) ?? [];
    if (hashes) headings.push({ level: hashes.length, text: plain(line.text.slice(whole.length)), at: line.at });
    const above = lines[i - 1];
    const [, underline = ""] = UNDERLINE.exec(line.text) ?? [];
    if (underline && above?.in === "text" && PARAGRAPH.test(above.text))
      headings.push({ level: underline.startsWith("=") ? 1 : 2, text: plain(above.text), at: above.at });
  }
  return headings;
}
const HASHES = /^ {0,3}(#{1,6})(?:\s+|$)/;
const UNDERLINE = /^ {0,3}(=+|-{2,})\s*$/;
const PARAGRAPH = /^ {0,3}(?!\d{1,9}[.)]\s)[^\s#>|*+-]/;

const plain = (text: string): string =>
  text
    .replace(/\s#{1,6}\s*$/, "")
    .replace(/[*_`]/g, "")
    .trim();

/** What headings are compared by: without number, closing colon and case. */
export const keyOf = (heading: string): string =>
  plain(heading)
    .replace(/^(?:\d{1,3}[.)]){0,5}\d{0,3}\s+/, "")
    .replace(/[\s:]+$/, "")
    .replace(/\s+/g, " ")
    .toLowerCase();

/** The lines under a heading, up to the next of its level or above; headings and comments are no content. */
export function contentOf(heading: Heading, headings: Heading[], lines: MarkdownLine[]): MarkdownLine[] {
  const end =
    headings.find((next) => next.at > heading.at && next.level <= heading.level)?.at ?? Number.POSITIVE_INFINITY;
  const titles = new Set(headings.map((each) => each.at));
  return lines.filter(
    (line) =>
      line.at > heading.at &&
      line.at < end &&
      line.in !== "comment" &&
      !titles.has(line.at) &&
      !UNDERLINE.test(line.text) &&
      line.text.trim() !== "",
  );
}
