// What of a stranger's text may reach a screen, a journal or a message: no escapes, no control or direction marks, a bounded end.
import { OUTPUT_CHARS_MAX } from "../../core/limits.js";

/** Terminal sequences: CSI, OSC (ended by BEL or ST), and the two-character ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]/g;
/** Control characters but tab and line feed, and the marks that turn the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Anything but plain text; most lines have none of it. */
const SUSPECT = /[^\t\n -~\u00a0-\u060f\u0700-\u1fff\u2100-\uffff]/;

export const printable = (text: string): string =>
  SUSPECT.test(text) ? text.replace(ESCAPES, "").replace(CONTROLS, "") : text;

/** The first line that says something, cut short: for a message of one line. */
export function oneLine(text: string, charsMax = 300): string {
  const line =
    printable(text)
      .split("\n")
      .find((each) => each.trim() !== "") ?? "";
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line.trim();
}

const CUT = "[… earlier output cut]\n";

/** The end of a text, with a mark where something was cut off; never longer than `charsMax`. */
export const endOf = (text: string, charsMax = OUTPUT_CHARS_MAX): string =>
  text.length <= charsMax ? text : marked(text, charsMax);

function marked(text: string, charsMax: number): string {
  const rest = text.slice(-(charsMax - CUT.length));
  return CUT + (/^[\udc00-\udfff]/.test(rest) ? rest.slice(1) : rest); // not half a character
}

/** Keeps only the end of what goes by, in bounded memory. */
export class Tail {
  private text = "";
  private isCut = false;
  constructor(private readonly charsMax = OUTPUT_CHARS_MAX) {}
  push(line: string): void {
    this.text += `${line}\n`;
    if (this.text.length <= 2 * this.charsMax) return;
    this.text = this.text.slice(-this.charsMax);
    this.isCut = true;
  }
  toString(): string {
    const text = this.text.replace(/\n$/, "");
    return this.isCut ? marked(text, this.charsMax) : endOf(text, this.charsMax);
  }
}
