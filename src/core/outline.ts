// A Markdown text as lines and sections. Code, comments and front matter are seen, so that no heading is found in them.

export interface Line {
  /** Index in the text. */
  at: number;
  text: string;
  /** Without comments. */
  shown: string;
  kind: "plain" | "code" | "comment";
}
export interface Section {
  /** Index of the heading. */
  at: number;
  /** Up to the next heading of the same level or a higher one. */
  inside: Line[];
}

/** Longer lines are no headings. */
const HEADING_CHARS_MAX = 500;

export function readLines(text: string): Line[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  let fence = lines[0] === "---" && lines.indexOf("---", 1) > 0 ? "---" : undefined;
  let isComment = false;
  return lines.map((line, at) => {
    const inside = fence;
    if (inside !== undefined) {
      if (at > 0 && closes(line, inside)) fence = undefined;
      return { at, text: line, shown: line, kind: "code" };
    }
    if (!isComment) fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) return { at, text: line, shown: line, kind: "code" };
    const { shown, isOpen } = withoutComments(line, isComment);
    const kind = isComment || (shown.trim() === "" && line.trim() !== "") ? "comment" : "plain";
    isComment = isOpen;
    return { at, text: line, shown, kind };
  });
}

const closes = (line: string, fence: string): boolean =>
  fence === "---" ? line === "---" : line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim());

function withoutComments(line: string, inComment: boolean): { shown: string; isOpen: boolean } {
  let shown = "";
  let rest = line;
  let isOpen = inComment;
  for (;;) {
    const next = rest.indexOf(isOpen ? "-->" : "<!--");
    if (!isOpen) shown += next < 0 ? rest : rest.slice(0, next);
    if (next < 0) return { shown: shown.trimEnd(), isOpen };
    rest = rest.slice(next + (isOpen ? 3 : 4));
    isOpen = !isOpen;
  }
}

/** The sections whose title matches, none within another. */
export function sectionsOf(lines: Line[], matches: (title: string) => boolean): Section[] {
  const found: Section[] = [];
  let level: number | undefined;
  for (const line of lines) {
    const heading = headingOf(line);
    if (heading && (level === undefined || heading.level <= level)) {
      level = matches(heading.title) ? heading.level : undefined;
      if (level !== undefined) found.push({ at: line.at, inside: [] });
    } else if (level !== undefined) found.at(-1)?.inside.push(line);
  }
  return found;
}

function headingOf({ shown, kind }: Line): { level: number; title: string } | undefined {
  if (kind !== "plain" || shown.length > HEADING_CHARS_MAX) return undefined;
  const [, marks, title = ""] = /^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*$/.exec(shown) ?? [];
  return marks === undefined ? undefined : { level: marks.length, title };
}
