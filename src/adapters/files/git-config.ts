// A repository's `.git/config` as a signpost: two adapters compare it, and both must call the same change harmless.
import { createHash } from "node:crypto";

export function digestOfConfig(bytes: Buffer): string {
  const text = bytes.toString("latin1"); // every byte counts, whatever it means
  return createHash("sha256").update(withoutUpstreams(text), "latin1").digest("hex");
}

/** What `git push -u` and `git switch` write down of a branch is nobody's sign. Only whole plain lines are passed over: a header alone on
 *  its line, and the keys that name the other side; git reads nothing else out of them. */
function withoutUpstreams(config: string): string {
  let isBranch = false;
  const kept = config.split("\n").filter((line) => {
    if (/^\s*\[/.test(line)) isBranch = /^\[branch "[\w./-]+"\]$/.test(line);
    return !isBranch || !/^(?:\[branch "[\w./-]+"\]|\t(?:remote|merge|rebase) = [\w./-]+)$/.test(line);
  });
  return kept.join("\n");
}
