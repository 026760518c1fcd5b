// Texts that are kept or shown: bounded, with a mark where something is missing.
import { OUTPUT_CHARS_MAX } from "./limits.js";

/** The end of an output for the record; what is cut away is named by its length and the digest of the whole. */
export function cutOutput(text: string, sha256: (text: string) => string, max = OUTPUT_CHARS_MAX): string {
  if (text.length <= max) return text;
  return `[cut: the last ${max} of ${text.length} characters; sha256 of the whole ${sha256(text)}]\n${text.slice(-max)}`;
}
