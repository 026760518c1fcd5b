// The commands with which a person finishes what we refused, ready to be pasted into a shell.

/** Paths that are written out; more are read from a file. */
const PATHS_SHOWN_MAX = 50;

/** `listFile` holds all paths, each ended by a zero byte; it is used when there are many. */
export function commitByHand(workspace: string, paths: string[], message: string, listFile: string): string {
  const git = `git -C ${quote(workspace)} --literal-pathspecs`;
  if (!paths.length) return `${git} status`;
  const which =
    paths.length <= PATHS_SHOWN_MAX
      ? `-- ${paths.map(quote).join(" ")}`
      : `--pathspec-from-file=${quote(listFile)} --pathspec-file-nul`;
  return `${git} add ${which} && ${git} commit -m ${quote(message)} ${which}`;
}

/** Characters that a terminal acts on, or that a screen cleans away: control characters and marks of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One word for a POSIX shell; with unseen characters in bash's `$'…'` form, byte by byte, so that a terminal shows them as text. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  if (word.search(UNSEEN) < 0) return `'${word.replaceAll("'", "'\\''")}'`;
  const inside = word
    .replace(/[\\']/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replace(UNSEEN, (one) => [...Buffer.from(one)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""));
  return `$'${inside}'`;
}
