// Where the git data of a workspace lies, so that it can be held read-only. Reads two small files, asks no git.
import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";
import { guardFault } from "./faults.js";
import { look } from "./signposts.js";

/** `.git`; where it is a file (linked worktree, submodule), that file and the folder it sends git to. None without a repository. */
export function repositoryOf(workspace: string): string[] {
  const dotGit = join(workspace, ".git");
  const found = look(dotGit);
  if (!found) return [];
  return found.isFile() ? [dotGit, commonFolder(workspace, dotGit)] : [dotGit];
}

function commonFolder(workspace: string, dotGit: string): string {
  const named = /^gitdir: (.+)\n?$/.exec(readFileSync(dotGit, "utf8"))?.[1];
  if (!named) throw guardFault(`"${dotGit}" does not name a git folder`);
  const own = isAbsolute(named) ? named : resolve(workspace, named);
  const cut = own.lastIndexOf(`${sep}worktrees${sep}`);
  const common = cut < 0 ? own : own.slice(0, cut);
  const isGitFolder =
    look(join(common, "HEAD"))?.isFile() &&
    look(join(common, "objects"))?.isDirectory() &&
    look(join(common, "refs"))?.isDirectory();
  if (!isGitFolder) throw guardFault(`"${dotGit}" sends git to "${common}", which is not a git folder`);
  return common;
}
