// What a sandbox sees of the disk: one plan, which an engine only renders. Called anew before every start, while nothing that may
// write the workspace is alive in a sandbox: here what an earlier step left is judged.
//
// M1 Nothing follows a link: every source exists, is a folder or a plain file, and is its own realpath.
// M2 The narrower path wins: mounts are made from the shallow to the deep, so a cover cannot be undone by what lies above it.
// M3 What is mounted cannot be moved away: a rename carries mounts below it along, so every writable folder between a mount and the
//    mount above it becomes a mount point itself.
// M4 What is absent cannot be planted: without a repository an empty `.git` is held read-only until the last sandbox is gone.
import { mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { SandboxPlan } from "../../ports/sandbox.js";
import { guardFault } from "./faults.js";
import { repositoryOf } from "./repository.js";
import { changedSignpost, look } from "./signposts.js";

export type Mount =
  | { kind: "bind"; target: string; write: boolean }
  /** A small scratch that hides what lies there. */
  | { kind: "empty"; target: string };
export interface MountPlan {
  /** In the order in which they must be made; a source is mounted at its own path. */
  mounts: Mount[];
  /** To be called once everything in the sandbox is dead. */
  release(): void;
}

/** Throws a FaultError `sbx-guard`. */
export function mountPlan(plan: SandboxPlan): MountPlan {
  const { workspace } = plan;
  mustNotBeHome(workspace, "the workspace");
  const changed = changedSignpost(workspace, plan.signposts);
  if (changed !== undefined)
    throw guardFault(
      `"${join(workspace, ".git", changed === ".git" ? "" : changed)}" is not what it was when the run started`,
    );
  const layout = new Layout();
  const release = plan.access === "write" ? holdGuard(join(workspace, ".git")) : () => {};
  try {
    layDeclared(layout, plan);
    layout.bind(workspace, plan.access === "write");
    if (plan.access === "write") for (const path of guardedPaths(plan)) layout.bind(path, false);
    for (const path of repositoryOf(workspace)) layout.bind(path, false);
    for (const path of plan.readable) layout.bind(path, false);
    for (const path of plan.earlier) layout.bind(path, false);
    for (const path of [plan.state, plan.stateElsewhere]) if (path && look(path)) layout.hide(path);
    layout.bind(plan.artifacts, true);
    return { mounts: layout.finish(), release };
  } catch (error) {
    release();
    throw error;
  }
}

class Layout {
  private readonly at = new Map<string, Mount>();

  bind(path: string, write: boolean) {
    mustBeItself(path);
    this.at.set(path, { kind: "bind", target: path, write });
  }
  hide(path: string) {
    mustBeItself(path);
    this.at.set(path, { kind: "empty", target: path });
  }
  finish(): Mount[] {
    for (const { target } of this.sorted()) this.holdAbove(target);
    return this.sorted();
  }
  private sorted(): Mount[] {
    return [...this.at.values()].sort((a, b) => depth(a.target) - depth(b.target));
  }
  /** M3 */
  private holdAbove(target: string) {
    const between: string[] = [];
    for (let path = dirname(target); path !== dirname(path); path = dirname(path)) {
      const above = this.at.get(path);
      if (above) {
        if (above.kind === "bind" && above.write) for (const folder of between) this.bind(folder, true);
        return;
      }
      between.push(path);
    }
  }
}

function depth(path: string): number {
  return path.split(sep).length;
}
export function isInside(parent: string, path: string): boolean {
  const way = relative(parent, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** M1 */
function mustBeItself(path: string) {
  if (!isAbsolute(path)) throw guardFault(`"${path}" is not an absolute path`);
  const found = look(path);
  if (!found) throw guardFault(`"${path}" is gone`);
  if (found.isSymbolicLink() || realpathSync.native(path) !== path)
    throw guardFault(`"${path}" is a link, or lies behind one; name what it points to`);
  if (!found.isDirectory() && !found.isFile()) throw guardFault(`"${path}" is neither a folder nor a plain file`);
}

/** Folders that hold everybody's keys and sockets, and what lies in the kernel's own. */
function mustNotBeHome(path: string, what: string) {
  const homes = ["/root", homedir()];
  const holdsHome = dirname(path) === "/home" || homes.some((home) => home === path || isInside(path, home));
  if (path === "/" || path === "/home" || holdsHome)
    throw guardFault(`${what}, "${path}", is a home or holds one; a sandbox never gets a home: use a folder inside it`);
}
const NEVER = ["/run", "/proc", "/sys", "/dev", "/boot"];
const NEVER_WHOLE = ["/var", "/etc"];
const NEVER_WRITABLE = ["/usr", "/etc", "/bin", "/sbin", "/lib"];

function layDeclared(layout: Layout, plan: SandboxPlan) {
  const held = [join(plan.workspace, ".git"), ...guardedPaths(plan)];
  for (const { path, access } of plan.isolation.mounts) {
    const what = "a mount of `isolation.mounts`";
    const within = (roots: string[]) => roots.some((root) => root === path || isInside(root, path));
    mustNotBeHome(path, what);
    if (within(NEVER) || NEVER_WHOLE.includes(path)) throw guardFault(`${what}, "${path}", belongs to the system`);
    const write = access === "write" && (plan.access === "write" || !isInside(plan.workspace, path));
    if (write && within(NEVER_WRITABLE)) throw guardFault(`${what}, "${path}", is the system's and cannot be writable`);
    if (write && within(held)) throw guardFault(`${what}, "${path}", is writable and lies in a protected path`);
    layout.bind(path, write);
  }
}

/** Without those that are absent, and those that a wider one covers: laying them again would hold their parents open (M3). */
function guardedPaths({ workspace, protect }: SandboxPlan): string[] {
  const whole = protect.map((path) => {
    const absolute = join(workspace, path);
    if (isAbsolute(path) || !isInside(workspace, absolute))
      throw guardFault(`"${path}" of \`isolation.protect\` is not inside the workspace "${workspace}"`);
    return absolute.endsWith(sep) ? absolute.slice(0, -1) : absolute;
  });
  const git = join(workspace, ".git");
  const covered = (path: string) => path === git || isInside(git, path) || whole.some((other) => isInside(other, path));
  return whole.filter((path) => look(path) && !covered(path));
}

/** Living sandboxes of this process, per guard folder. */
const holders = new Map<string, number>();

/** M4. An empty `.git` that is there already is a guard too, of a Pawl that was killed, and goes the same way. */
function holdGuard(path: string): () => void {
  const living = holders.get(path) ?? 0;
  if (living === 0) {
    removeEmpty(path);
    if (look(path)) return () => {};
    mkdirSync(path);
  }
  holders.set(path, living + 1);
  return () => {
    const left = (holders.get(path) ?? 1) - 1;
    if (left > 0) {
      holders.set(path, left);
      return;
    }
    holders.delete(path);
    removeEmpty(path);
  };
}
function removeEmpty(path: string) {
  try {
    rmdirSync(path);
  } catch {
    // not there, not empty or not a folder: then it is no guard of ours
  }
}
