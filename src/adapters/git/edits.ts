// Changes of ours to a text that people edit too: the commit holds HEAD's text with our change and nothing of theirs (P7).
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import type { Changes } from "./changes.js";
import type { Sides } from "./dirty.js";
import type { Facts } from "./facts.js";
import type { QuietGit } from "./quiet.js";
import { findSecrets } from "./secrets.js";

export type Edits = ReadonlyMap<string, (before: string) => string>;

/** What is no plain text file in HEAD is left alone. */
export async function readEdits(sides: Sides, edits: Edits, stored: ReadonlyMap<string, string>): Promise<Changes> {
  const all: Changes = { changes: [], findings: [], doubtful: [] };
  for (const [path, edit] of edits) {
    const [mode = "100644", sha] = stored.get(path)?.split(":") ?? [];
    if (!mode.startsWith("100") || isUnderFile(path, stored)) continue;
    const before = sha === undefined ? "" : await textOf(sides.git, sha);
    if (before === undefined) continue;
    const after = edit(before);
    if (after === before) continue;
    const bytes = Buffer.from(after);
    const found = findSecrets(path, bytes, Buffer.from(before));
    all.findings.push(...found);
    if (found.length) all.doubtful.push(path);
    all.changes.push({
      path,
      mode: mode === "100755" ? "100755" : "100644",
      sha: sides.blobs.ofBytes(bytes),
      bytes,
    });
  }
  return all;
}

/** The same change to what a person has staged, so that what is staged beside HEAD is theirs alone. Undefined: nothing to change. */
export async function editStaged(
  git: QuietGit,
  entry: string,
  edit: (before: string) => string,
): Promise<{ mode: string; sha: string } | undefined> {
  const [mode = "", sha = ""] = entry.split(" ");
  const before = mode.startsWith("100") ? await textOf(git, sha) : undefined;
  if (before === undefined) return undefined;
  const stdin = edit(before);
  if (stdin === before) return undefined;
  return { mode, sha: await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { stdin }) };
}

/** Those of the paths that git ignores, tracked or not: what is ignored is not forced in. */
export async function ignoredPaths(git: QuietGit, facts: Facts, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  // it takes paths, not pathspecs, and refuses to be told so
  const { stdout } = await git.ask(["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"], {
    stdin: paths.map((path) => `${path}\0`).join(""),
    settings: [`core.excludesFile=${facts.excludesFile}`],
    codes: [0, 1],
  });
  return new Set(stdout.toString("utf8").split("\0").filter(Boolean));
}

/** Undefined when it is too long or no text. */
async function textOf(git: QuietGit, sha: string): Promise<string | undefined> {
  const { stdout } = await git.ask(["cat-file", "blob", sha]);
  const text = stdout.toString("utf8");
  return stdout.length <= ARTIFACT_BYTES_MAX && Buffer.from(text).equals(stdout) ? text : undefined;
}

function isUnderFile(path: string, stored: ReadonlyMap<string, string>): boolean {
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1))
    if (stored.has(path.slice(0, cut))) return true;
  return false;
}
