// Finds the repository the launch folder lies in, once, by looking upwards ourselves: git's own search could be misled later.
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { FaultError } from "../../ports/errors.js";
import { fault } from "./program.js";

/** All absolute and their own realpaths. Without git only the workspace is known. */
export interface Place {
  workspace: string;
  /** The folder with HEAD and index of this work tree. */
  gitDir?: string;
  /** The folder with objects, branches and configuration; another one in a linked work tree. */
  commonDir?: string;
}

/** Throws a FaultError when the folder cannot be entered. */
export function findPlace(folder: string): Place {
  let start: string;
  try {
    start = realpathSync(folder);
    if (!statSync(start).isDirectory()) throw new Error("it is not a folder");
  } catch (error) {
    throw fault("no-workspace", `the folder "${folder}" cannot be entered: ${message(error)}`);
  }
  const device = statSync(start).dev;
  for (let here = start; ; here = dirname(here)) {
    if (statSync(here).dev !== device) break; // another file system is another owner's
    const found = gitFolders(here);
    if (found) return { workspace: here, ...found };
    if (dirname(here) === here) break;
  }
  return { workspace: start };
}

/** What `.git` in this folder leads to, if it is a repository. An empty `.git` is none, as for git itself. */
export function gitFolders(folder: string): { gitDir: string; commonDir: string } | undefined {
  const dotGit = join(folder, ".git");
  try {
    const named = lstatSync(dotGit).isFile() ? /^gitdir: (.+?)\n?$/s.exec(readFileSync(dotGit, "utf8"))?.[1] : ".git";
    if (named === undefined) return undefined;
    const gitDir = realpathSync(resolve(folder, named));
    const commonDir = commonDirOf(gitDir);
    return isGitDir(gitDir, commonDir) ? { gitDir, commonDir } : undefined;
  } catch (error) {
    if (error instanceof FaultError) throw error;
    return undefined;
  }
}

/** Where no ref of a branch is, the branch has no commit yet. Reads files only. */
export function readHead(place: { gitDir: string; commonDir: string }): { branch?: string; head?: string } {
  const text = readText(join(place.gitDir, "HEAD"))?.trim() ?? "";
  if (SHA.test(text)) return { head: text };
  const ref = /^ref: (refs\/.+)$/.exec(text)?.[1];
  if (ref === undefined) throw fault("git-broken", `"${place.gitDir}/HEAD" names neither a branch nor a commit`);
  const branch = ref.replace(/^refs\/heads\//, "");
  const head = readRef(place.commonDir, ref);
  return head === undefined ? { branch } : { branch, head };
}

export const refExists = (commonDir: string, ref: string): boolean => readRef(commonDir, ref) !== undefined;

/** The branch that HEAD of "origin" names here. Reads a file only. */
export function readDefaultBranch(commonDir: string): string | undefined {
  const text = readText(join(commonDir, "refs", "remotes", "origin", "HEAD"))?.trim() ?? "";
  return /^ref: refs\/remotes\/origin\/(.+)$/.exec(text)?.[1];
}

const SHA = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

function readRef(commonDir: string, ref: string): string | undefined {
  if (ref.split("/").includes("..")) throw fault("git-broken", `HEAD names "${ref}", which is no branch`);
  const loose = readText(join(commonDir, ref))?.trim();
  if (loose !== undefined && SHA.test(loose)) return loose;
  for (const line of readText(join(commonDir, "packed-refs"))?.split("\n") ?? [])
    if (line.endsWith(` ${ref}`) && SHA.test(line.slice(0, -ref.length - 1))) return line.slice(0, -ref.length - 1);
  return undefined;
}

function commonDirOf(gitDir: string): string {
  const named = readText(join(gitDir, "commondir"))?.trim();
  return named ? realpathSync(resolve(gitDir, named)) : gitDir;
}

function isGitDir(gitDir: string, commonDir: string): boolean {
  return (
    lstatSync(join(gitDir, "HEAD"), { throwIfNoEntry: false }) !== undefined &&
    statSync(join(commonDir, "objects"), { throwIfNoEntry: false })?.isDirectory() === true &&
    statSync(join(commonDir, "refs"), { throwIfNoEntry: false })?.isDirectory() === true
  );
}

function readText(path: string): string | undefined {
  try {
    if (!existsSync(path)) return undefined; // the usual case for most; an exception costs ten times the look
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
