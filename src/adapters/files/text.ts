// Makes text of strangers fit for prompts, logs and screens: decoded, without control characters, cut with a mark.
import { createHash } from "node:crypto";

/** Bytes that are no UTF-8 become U+FFFD; nothing is refused. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: false }).decode(bytes);
}

// Sequences first, so that their letters go with them: CSI, the string kinds (OSC, DCS, APC, PM, SOS), then two-byte ones.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;
// C0 but tab and newline, DEL, C1, and the marks that turn the direction of writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;

/** Keeps newlines and tabs; CRLF becomes LF. */
export function cleanText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** One line, for a list or a table. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/** The beginning of a text, at most `charsMax` with its mark. */
export function cutHead(text: string, charsMax: number): string {
  const mark = markOf(text, charsMax);
  return mark === "" ? text : `${whole(text.slice(0, Math.max(0, charsMax - mark.length - 1)))}\n${mark}`;
}

/** The end of a text, at most `charsMax` with its mark: the place where programs say what went wrong. */
export function cutTail(text: string, charsMax: number): string {
  const mark = markOf(text, charsMax);
  const room = Math.max(0, charsMax - mark.length - 1);
  return mark === "" ? text : `${mark}\n${room === 0 ? "" : whole(text.slice(-room))}`;
}

/** Names how much there was and its digest, so that the cut text can be matched with the whole one. */
function markOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return "";
  return `[cut: ${text.length} characters in all, sha256 ${createHash("sha256").update(text).digest("hex")}]`;
}

/** No half of a surrogate pair at either end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}
