// The commands with which a person finishes what we refused, ready to be pasted into a shell.

/** Paths that are written out; more are read from a file. */
const PATHS_SHOWN_MAX = 50;

/** `listFile` holds all paths, each ended by a zero byte; it is used when there are many. */
export function commitByHand(workspace: string, paths: string[], message: string, listFile: string): string {
  const git = `git -C ${quote(workspace)} --literal-pathspecs`;
  const which =
    paths.length <= PATHS_SHOWN_MAX
      ? `-- ${paths.map(quote).join(" ")}`
      : `--pathspec-from-file=${quote(listFile)} --pathspec-file-nul`;
  return `${git} add ${which} && ${git} commit -m ${quote(message)} ${which}`;
}

/** One word for a POSIX shell; with control characters in bash's `$'…'` form, so that a terminal shows them as text. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (!/[\x00-\x1f\x7f]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const inside = word
    .replace(/[\\']/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    .replace(/[\x00-\x1f\x7f]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `$'${inside}'`;
}
