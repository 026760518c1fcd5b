// One commit of given paths on top of HEAD, by plumbing. In order: judge, store, ask the hooks, write the intention, move the branch, bring
// the user's index in step. Until the branch moves nothing of the user's is changed; afterwards a repeated call finds the commit.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FailPoint } from "../../ports/fail-points.js";
import type { CommitEnd, CommitWish } from "../../ports/git.js";
import { cleanText } from "../files/text.js";
import type { Blobs } from "./blobs.js";
import { commitByHand } from "./by-hand.js";
import { type Change, type Changes, readChanges } from "./changes.js";
import { type Sides, storedTree } from "./dirty.js";
import { type Edits, ignoredPaths, readEdits } from "./edits.js";
import type { Facts } from "./facts.js";
import { askHooks } from "./hooks.js";
import { type Intent, readIntent, writeIntent } from "./intent.js";
import { indexInfo, storeTree } from "./objects.js";
import { type Place, readHead } from "./place.js";
import { fault } from "./program.js";
import type { QuietGit } from "./quiet.js";
import { gitSignposts, movedSignposts, signpostPath } from "./signposts.js";
import { syncIndex } from "./users-index.js";

/** How often the work is done anew because HEAD moved under it. */
const MOVES_MAX = 3;
/** Complaints that are written out. */
const COMPLAINTS_MAX = 20;

interface Base {
  branch: string;
  head: string;
  user: { name: string; email: string };
}

export class Commit {
  private readonly sides: Sides;
  private readonly index: string;
  private readonly edits: Edits;
  private readonly message: string;
  private readonly messageDigest: string;

  constructor(
    private readonly git: QuietGit,
    private readonly place: Required<Place>,
    private readonly facts: Facts,
    blobs: Blobs,
    private readonly wish: CommitWish,
    private readonly at: FailPoint,
  ) {
    this.sides = { git, workspace: place.workspace, facts, blobs };
    this.edits = new Map(Object.entries(wish.edits ?? {}));
    const folder = dirname(wish.intent);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.index = join(folder, "index");
    this.message = tidy(wish.message);
    this.messageDigest = createHash("sha256").update(this.message).digest("hex");
  }

  async make(): Promise<CommitEnd> {
    this.at("commit:before");
    const moved = movedSignposts(this.wish.signposts, gitSignposts(this.place.workspace));
    if (moved.length > 0)
      return this.refuse(`${moved.map((name) => `"${signpostPath(name)}"`).join(", ")} changed since the run started`);
    const intent = readIntent(this.wish.intent);
    if (intent && (await this.isMade(intent))) return this.finish(intent.base, intent.commit, "as it was");
    for (let tries = 0; tries < MOVES_MAX; tries++) {
      const base = this.judgeBase();
      if (typeof base === "string") return this.refuse(base);
      const end = await this.attempt(base, intent);
      if (end !== "moved") return end;
    }
    throw fault("head-moves", `the branch moved ${MOVES_MAX} times while the commit was being made`, "try again");
  }

  private async isMade(intent: Intent): Promise<boolean> {
    const { head } = readHead(this.place);
    if (head === undefined) return false;
    const asked = await this.git.ask(["merge-base", "--is-ancestor", intent.commit, head], { codes: [0, 1, 128] });
    return asked.code === 0;
  }

  /** A text says why there can be no commit here now. */
  private judgeBase(): Base | string {
    const { branch, head } = readHead(this.place);
    if (head === undefined)
      return `the branch "${branch}" has no commit yet; make one with "git commit --allow-empty -m start", then resume`;
    if (branch === undefined)
      return `HEAD is detached at ${head.slice(0, 12)}, and a commit there would be lost; go to a branch with "git switch NAME" or make one with "git switch -c NAME"`;
    const busy = UNFINISHED.find(([file]) => existsSync(join(this.place.gitDir, file)));
    if (busy) return `a ${busy[1]} is in progress; finish it or end it with "git ${busy[1]} --abort"`;
    const { user } = this.facts;
    if (!user)
      return `git does not know who commits; say it with "git config --global user.name NAME" and "git config --global user.email ADDRESS"`;
    if (this.message === "") return "the commit's message is empty";
    return { branch, head, user };
  }

  private async attempt(base: Base, intent: Intent | undefined): Promise<CommitEnd | "moved"> {
    const stored = await storedTree(this.git, base.head);
    const { changes, findings, doubtful } = await this.read(stored);
    if (findings.length > 0) {
      const shown = findings.slice(0, COMPLAINTS_MAX).map((one) => `"${one.where}" ${one.text}`);
      if (findings.length > shown.length) shown.push(`and ${findings.length - shown.length} more`);
      return this.refuse(shown.join("; "), doubtful);
    }
    if (changes.length === 0) return { end: "nothing", head: base.head };
    const tree = await storeTree(this.git, this.place.workspace, base.head, changes, this.index);
    if (tree === (await this.git.text(["rev-parse", `${base.head}^{tree}`])))
      return { end: "nothing", head: base.head };
    const commit = this.isSame(intent, base, tree) ? intent.commit : await this.store(base, tree, changes, stored);
    if (typeof commit !== "string") return commit;
    this.at("commit:intent");
    return (await this.move(base, commit)) ? this.finish(base.head, commit, "as wished") : "moved";
  }

  private async read(stored: ReadonlyMap<string, string>): Promise<Changes> {
    const { paths, leavesIgnored } = this.wish;
    const all = [...paths, ...this.edits.keys()];
    const ignored = leavesIgnored ? await ignoredPaths(this.git, this.facts, all) : new Set<string>();
    const isTaken = (path: string) => !ignored.has(path);
    const lying = await readChanges(this.sides, paths.filter(isTaken), stored);
    const ours = new Map([...this.edits].filter(([path]) => isTaken(path)));
    const edited = await readEdits(this.sides, ours, stored);
    return {
      changes: [...lying.changes, ...edited.changes],
      findings: [...lying.findings, ...edited.findings],
      doubtful: [...lying.doubtful, ...edited.doubtful],
    };
  }

  /** The hooks have passed and the commit is stored: a crash came before the branch moved. */
  private isSame(intent: Intent | undefined, base: Base, tree: string): intent is Intent {
    return intent?.base === base.head && intent.tree === tree && intent.message === this.messageDigest;
  }

  private async store(
    base: Base,
    tree: string,
    changes: Change[],
    stored: ReadonlyMap<string, string>,
  ): Promise<string | CommitEnd> {
    const folder = dirname(this.wish.intent);
    const asked = await askHooks({
      place: this.place,
      facts: this.facts,
      wish: this.wish,
      folder,
      index: this.index,
      message: this.message,
    });
    if ("no" in asked) return this.refuse(asked.no);
    if (asked.ran && !(await this.isUntouched(tree, changes, stored)))
      return this.refuse("a commit hook changed the files or the index; look at what it did");
    const message = tidy(asked.message);
    if (message === "") return this.refuse("the commit-msg hook left no message");
    const commit = await this.git.text(["commit-tree", tree, "-p", base.head], { identity: base.user, stdin: message });
    writeIntent(this.wish.intent, { base: base.head, tree, commit, message: this.messageDigest });
    return commit;
  }

  private async isUntouched(tree: string, changes: Change[], stored: ReadonlyMap<string, string>): Promise<boolean> {
    const now = await this.read(stored);
    if (indexInfo(now.changes) !== indexInfo(changes)) return false;
    return (await this.git.text(["write-tree"], { index: this.index })) === tree;
  }

  /** False when the branch is no longer at the base, or no longer checked out. */
  private async move(base: Base, commit: string): Promise<boolean> {
    const isThere = () => {
      const now = readHead(this.place);
      return now.branch === base.branch && now.head === base.head;
    };
    if (!isThere()) return false;
    const ref = `refs/heads/${base.branch}`;
    const { code, stderr } = await this.git.ask(["update-ref", "-m", "pawl: commit", ref, commit, base.head], {
      identity: base.user,
      codes: [0, 1, 128],
    });
    if (code === 0) return true;
    if (!isThere()) return false;
    throw fault("git-locked", `"${ref}" cannot be moved: ${cleanText(stderr).trim().slice(0, 300)}`);
  }

  private async finish(base: string, commit: string, index: "as wished" | "as it was"): Promise<CommitEnd> {
    this.at("commit:moved");
    await syncIndex(this.git, { base, commit, careful: index === "as it was", edits: this.edits });
    this.at("commit:after");
    return { end: "committed", commit };
  }

  private refuse(why: string, doubtful: readonly string[] = []): CommitEnd {
    const list = join(dirname(this.wish.intent), "paths");
    const all = [...this.wish.paths, ...this.edits.keys()];
    const rest = all.filter((path) => !doubtful.includes(path));
    writeFileSync(list, rest.map((path) => `${path}\0`).join(""));
    return {
      end: "refused",
      why,
      byHand: commitByHand(this.place.workspace, rest, this.message || "work of a run", list),
    };
  }
}

/** Files git leaves while something is unfinished, and the command that ends it. */
const UNFINISHED: [string, string][] = [
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
];

function tidy(message: string): string {
  const text = cleanText(message).trim();
  return text === "" ? "" : `${text}\n`;
}
