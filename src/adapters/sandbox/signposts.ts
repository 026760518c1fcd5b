// The files that send git elsewhere. Read at the start of a run and compared before every start: a difference is an attack (P6).
// `adapters/git/signposts.ts` reads them too, and a run's start holds what that one read: what one calls harmless, both must
// (`adapters/files/git-config.ts` does for the config). They differ at a linked `.git`, which is refused here by that difference.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { digestOfConfig } from "../files/git-config.js";

/** Larger ones count by their size: a config of a megabyte is nobody's config. */
export const SIGNPOST_BYTES_MAX = 1 << 20;
const NAMES = [
  "",
  "HEAD",
  "config",
  "config.worktree",
  "commondir",
  "objects",
  "refs",
  "hooks",
  "info",
  "info/attributes",
  "objects/info/alternates",
  "modules",
];

/** Name below `.git` (".git" itself: ".git") to its kind, or to the sha256 of a file's text. Asks no git, follows no link. */
export function readSignposts(workspace: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const path = join(workspace, ".git", name);
    const stats = look(path);
    if (!stats) continue;
    found[name || ".git"] = describe(path, name, stats);
    if (name === "" && !stats.isDirectory()) break; // a link or a file has nothing below it that is ours to read
  }
  return found;
}

/** The name of the first signpost that differs. An empty `.git` folder is none: it may be our own guard, left by a Pawl that was killed. */
export function changedSignpost(workspace: string, before: Record<string, string>): string | undefined {
  const found = readSignposts(workspace);
  const now = isBareFolder(found) && readdirSync(join(workspace, ".git")).length === 0 ? {} : found;
  const was = isBareFolder(before) && Object.keys(now).length === 0 ? {} : before;
  return [...new Set([...Object.keys(was), ...Object.keys(now)])].find((name) => was[name] !== now[name]);
}

/** `lstat` that says undefined for "not there", also when a file stands where a folder should. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function isBareFolder(posts: Record<string, string>): boolean {
  return posts[".git"] === "folder" && Object.keys(posts).length === 1;
}

function describe(path: string, name: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "folder";
  if (!stats.isFile()) return "other";
  if (name === "HEAD" || stats.size === 0) return "file";
  if (stats.size >= SIGNPOST_BYTES_MAX) return `file of ${stats.size} bytes`;
  const bytes = readFileSync(path);
  return name === "config" ? digestOfConfig(bytes) : createHash("sha256").update(bytes).digest("hex");
}
