// Text from outside made safe for a screen: nothing of it can steer a terminal, hide or reorder what stands there.
import { stripVTControlCharacters } from "node:util";

/** One line without control, escape and invisible format characters; line ends and tabs become blanks. */
export function clean(text: string): string {
  return bare(text)
    .replace(/[\r\n\t\v\f\u2028\u2029]+/gu, " ")
    .replace(/\p{C}/gu, "");
}

/** The same line by line. */
export const cleanLines = (text: string): string[] =>
  bare(text)
    .split(/\r\n|[\r\n\u2028\u2029]/u)
    .map(clean);

/** Stripped once more than once: what is left of one sequence must not make another. */
function bare(text: string): string {
  const once = stripVTControlCharacters(text);
  return once === text ? text : bare(once);
}
