// How wide a text is on a terminal, and how it is cut and wrapped to columns. Texts are clean already.

export const COLUMNS = 80;

/** Columns of a text: wide characters count two, marks that stand on others none. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/u.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += charWidth(character);
  return width;
}

/** At most `columns` wide; what is cut off ends in "…". */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  return `${takeWidth(text, columns - 1)}…`;
}

/** Filled with blanks, or cut, to exactly `columns`. */
export function fit(text: string, columns: number): string {
  const shown = cut(text, columns);
  return shown + " ".repeat(Math.max(0, columns - widthOf(shown)));
}

/** Lines of at most `columns`, broken between words where it can be; the lines after the first are indented. */
export function wrap(text: string, columns: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    const room = columns - widthOf(lines.length ? indent : "");
    if (line && widthOf(line) + 1 + widthOf(word) <= room) {
      line += ` ${word}`;
      continue;
    }
    if (line) lines.push(line);
    const wide = columns - widthOf(indent);
    while (widthOf(word) > wide && wide > 2) {
      const head = takeWidth(word, wide);
      lines.push(head);
      word = word.slice(head.length);
    }
    line = word;
  }
  if (line || !lines.length) lines.push(line);
  return lines.map((each, i) => (i === 0 ? each : indent + each));
}

function takeWidth(text: string, columns: number): string {
  let width = 0;
  let taken = "";
  for (const character of text) {
    width += charWidth(character);
    if (width > columns) break;
    taken += character;
  }
  return taken;
}

const NONE = /^\p{M}$/u;
const WIDE =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6])$/u;
const charWidth = (character: string): number => (NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1);
