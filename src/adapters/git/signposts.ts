// The files of a repository that send git elsewhere or make it run something: their kinds and digests, asked of no git.
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { digestOfConfig } from "../files/git-config.js";

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
/** Larger files are known by their kind only. */
const SIGNPOST_BYTES_MAX = 1 << 20;

/** Absent ones are left out. HEAD moves with every branch, so only its kind counts. */
export function gitSignposts(workspace: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const path = join(workspace, ".git", name);
    const stat = look(path);
    if (stat) found[name || ".git"] = digestOf(path, name, stat);
  }
  return found;
}

/** Names that are not what they were, sorted. */
export function movedSignposts(before: Record<string, string>, now: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).sort();
}

/** As people type it. */
export function signpostPath(name: string): string {
  return name === ".git" ? name : `.git/${name}`;
}

function digestOf(path: string, name: string, stat: Stats): string {
  if (stat.isSymbolicLink()) return "link";
  if (stat.isDirectory()) return "folder";
  if (!stat.isFile()) return "other";
  if (name === "HEAD" || stat.size >= SIGNPOST_BYTES_MAX || stat.size === 0) return "file";
  const bytes = readFileSync(path);
  return name === "config" ? digestOfConfig(bytes) : createHash("sha256").update(bytes).digest("hex");
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // nobody may look
  }
}
