// What Pawl asks of the repository. Never runs porcelain on the host without guards, never stashes, resets, cleans or forces (P6, P7).
import type { Finding } from "../core/model.js";

export interface Git {
  /** Where we are. Works without git and without a commit: says so in `kind`. Throws a FaultError when git itself is broken. */
  where(): Promise<Where>;
  /** Is there a branch of this name now? Never without git. */
  hasBranch(name: string): Promise<boolean>;
  /** Kinds and digests of the files that send git elsewhere. Asks no git. */
  signposts(): Promise<Record<string, string>>;
  /** The product tree as it lies on disk: every file that git would not ignore, without `.git` and `.pawl/jobs`. Raw bytes, runs no filter.
   *  Of the memory bank what people wrote: without our own lines. */
  tree(): Promise<Tree>;
  /** Paths that differ from HEAD at this moment, untracked ones included, without `.pawl/jobs`. `now`: the tree, for who has it. */
  dirty(now?: Tree): Promise<string[]>;
  /** Paths that differ between two trees. */
  changed(before: Tree, after: Tree): string[];
  /** One commit of exactly `paths`, as they lie on disk, on top of HEAD. Idempotent by `intent`: called again after a crash it finds
   *  its own commit instead of making a second one. Must not throw. */
  commit(wish: CommitWish): Promise<CommitEnd>;
  /** Pushes `commit`, the newest of the branch, to the branch's own upstream: when it is the only one that lacks there and the branch
   *  has an open pull request. Never forces, runs no hook. `folder` is ours. Must not throw. */
  push(commit: string, folder: string): Promise<PushEnd>;
}
export interface Where {
  kind: "repository" | "no-commit" | "no-git";
  /** Absolute, its own realpath: the work tree's top, or the folder itself without git. */
  workspace: string;
  /** Working home for runs: `<common dir>/pawl`, or `<workspace>/.pawl/local` without git. Absolute. */
  home: string;
  /** Undefined when detached or without git. */
  branch?: string;
  head?: string;
  /** The branch that the remote "origin" checks out for whoever clones it, as far as this clone knows. */
  defaultBranch?: string;
  user?: { name: string; email: string };
}
export interface Tree {
  /** sha256 over paths, modes and contents, sorted. */
  digest: string;
  /** path → `mode:blob sha`; a link is "120000:…", a nested repository "160000:" and its path is a finding. */
  files: Record<string, string>;
  findings: Finding[];
}
export interface CommitWish {
  paths: string[];
  /** Paths whose text in the commit is HEAD's with a change of ours, whatever lies on disk or is staged: people's edits of them stay
   *  theirs, as they were. Each must be pure, and change nothing when it is made again. */
  edits?: Record<string, (before: string) => string>;
  /** True: paths that git ignores are left out, not forced in. */
  leavesIgnored?: boolean;
  message: string;
  /** A file of ours in the visit's folder where the intention is written before the ref moves. */
  intent: string;
  signposts: Record<string, string>;
  /** Runs the repository's own pre-commit and commit-msg hooks as they were at the start, inside the sandbox. */
  hook(
    name: "pre-commit" | "commit-msg",
    args: string[],
    env: Record<string, string>,
  ): Promise<{ code: number; output: string }>;
}
export type CommitEnd =
  | { end: "committed"; commit: string }
  | { end: "nothing"; head: string }
  /** Visible outcome, exit 5: why, and the commands to finish by hand. */
  | { end: "refused"; why: string; byHand: string }
  | { end: "fault"; code: string; message: string };
/** "left": why it is for the user to push, and the command. */
export type PushEnd = { end: "pushed"; to: string } | { end: "left"; why: string; byHand: string };
