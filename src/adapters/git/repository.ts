// The repository a Pawl was started in, as the port `Git` wants it. Its top is found once, at the start, and never again.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FaultError } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { CommitEnd, CommitWish, Git, PushEnd, Tree, Where } from "../../ports/git.js";
import type { PullRequests } from "../../ports/pull-requests.js";
import { Bank } from "./bank.js";
import { Blobs } from "./blobs.js";
import { Commit } from "./commit.js";
import { dirtyPaths, storedTree } from "./dirty.js";
import { type Facts, NO_FACTS, readFacts } from "./facts.js";
import { ghPullRequests } from "./gh.js";
import { Rules } from "./ignoring.js";
import { findPlace, type Place, readDefaultBranch, readHead, refExists } from "./place.js";
import { hooksIn, plantedHooks } from "./planted.js";
import { fault } from "./program.js";
import { push } from "./push.js";
import { type HostEnv, QuietGit } from "./quiet.js";
import { gitSignposts, movedSignposts, signpostPath } from "./signposts.js";
import { Staged } from "./staged.js";
import { Walk } from "./walk.js";

export interface GitOptions {
  /** Where the user stands; the repository is looked for from here upwards. */
  folder: string;
  /** Pawl's own environment: PATH, HOME and the user's git settings are found by it; nothing of it reaches git otherwise. */
  env: HostEnv;
  at?: FailPoint;
  /** Default: GitHub's own program, where it is installed. */
  pullRequests?: PullRequests;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Throws a FaultError when the folder cannot be entered or git is missing. */
export async function openGit(options: GitOptions): Promise<Git> {
  const place = findPlace(options.folder);
  if (place.gitDir === undefined || place.commonDir === undefined) return new Repository(options, place, NO_FACTS);
  const whole = { workspace: place.workspace, gitDir: place.gitDir, commonDir: place.commonDir };
  const facts = await readFacts(whole, options.env);
  return new Repository(options, place, facts, whole);
}

class Repository implements Git {
  private readonly blobs: Blobs;
  private readonly bank: Bank;
  private readonly git: QuietGit | undefined;
  private readonly staged: Staged | undefined;
  private readonly started: Record<string, string>;
  private readonly hooksFolder: string | undefined;
  private readonly hooks: Record<string, string>;
  private top: { texts: string; rules: Rules } | undefined;
  private tracked: { head: string; paths: string[] } | undefined;
  private stored: { head: string; files: Map<string, string> } | undefined;

  constructor(
    private readonly options: GitOptions,
    private readonly place: Place,
    private readonly facts: Facts,
    private readonly whole?: Required<Place>,
  ) {
    this.blobs = new Blobs(facts.algorithm, options.now ?? Date.now);
    this.bank = new Bank(place.workspace, this.blobs);
    this.started = gitSignposts(place.workspace);
    this.hooksFolder = whole && (facts.hooksPath ?? join(whole.commonDir, "hooks"));
    this.hooks = this.hooksFolder ? hooksIn(this.hooksFolder) : {};
    if (!whole) return;
    this.git = new QuietGit(whole, options.env, () => this.mustBeItself());
    this.staged = new Staged(whole.gitDir, options.now ?? Date.now);
  }

  async where(): Promise<Where> {
    const { workspace } = this.place;
    if (!this.whole) return { kind: "no-git", workspace, home: join(workspace, ".pawl", "local") };
    const at = readHead(this.whole);
    const defaultBranch = readDefaultBranch(this.whole.commonDir);
    return {
      kind: at.head === undefined ? "no-commit" : "repository",
      workspace,
      home: join(this.whole.commonDir, "pawl"),
      ...at,
      ...(defaultBranch ? { defaultBranch } : {}),
      ...(this.facts.user ? { user: this.facts.user } : {}),
    };
  }

  async hasBranch(name: string): Promise<boolean> {
    return this.whole !== undefined && refExists(this.whole.commonDir, `refs/heads/${name}`);
  }

  async signposts(): Promise<Record<string, string>> {
    return gitSignposts(this.place.workspace);
  }

  async tree(): Promise<Tree> {
    const skipped = new Set([".pawl/jobs", ...(this.whole ? [] : [".pawl/local"])]);
    const walk = new Walk(this.place.workspace, this.blobs, skipped);
    const { files, findings } = await walk.run(this.rules(), await this.trackedIgnored());
    this.bank.inWalk(files);
    const planted = this.hooksFolder ? plantedHooks(this.hooksFolder, this.hooks) : [];
    return { digest: digestOf(files), files, findings: [...findings, ...planted] };
  }

  async dirty(now?: Tree): Promise<string[]> {
    const { files } = now ?? (await this.tree());
    const head = this.whole && readHead(this.whole).head;
    if (!this.git || head === undefined) return Object.keys(files);
    if (this.stored?.head !== head) {
      this.stored = { head, files: await storedTree(this.git, head) };
      await this.bank.inCommit(this.git, this.stored.files);
    }
    const sides = { git: this.git, workspace: this.place.workspace, facts: this.facts, blobs: this.blobs };
    return dirtyPaths(sides, this.stored.files, files, (await this.staged?.paths(this.git, head)) ?? []);
  }

  changed(before: Tree, after: Tree): string[] {
    const paths = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
    return [...paths].filter((path) => before.files[path] !== after.files[path]).sort();
  }

  async commit(wish: CommitWish): Promise<CommitEnd> {
    try {
      this.options.at?.("commit:before");
      if (!this.git || !this.whole)
        return { end: "refused", why: `"${this.place.workspace}" is not in a git repository`, byHand: "git init" };
      const commit = new Commit(this.git, this.whole, this.facts, this.blobs, wish, this.options.at ?? (() => {}));
      return await commit.make();
    } catch (error) {
      if (error instanceof FaultError) return { end: "fault", code: error.record.code, message: error.record.message };
      return { end: "fault", code: "commit-failed", message: error instanceof Error ? error.message : String(error) };
    }
  }

  async push(commit: string, folder: string): Promise<PushEnd> {
    const { git, whole, facts } = this;
    const { env, pullRequests = ghPullRequests(env, this.place.workspace) } = this.options;
    if (!git || !whole) return { end: "left", why: "there is no repository here", byHand: "git init" };
    return push({ git, place: whole, facts, host: env, pullRequests }, commit, folder);
  }

  /** Before any git runs: the repository is still the one that was found. */
  private mustBeItself(): void {
    const moved = movedSignposts(this.started, gitSignposts(this.place.workspace));
    if (moved.length === 0) return;
    const names = moved.map((name) => `"${signpostPath(name)}"`).join(", ");
    throw fault(
      "sbx-guard",
      `${names} changed since Pawl started, so git is not asked`,
      "look at it; start again if you made the change",
    );
  }

  private rules(): Rules {
    const texts = this.whole
      ? [readText(this.facts.excludesFile), readText(join(this.whole.commonDir, "info", "exclude"))]
      : [];
    const joined = texts.join("\0");
    if (this.top?.texts !== joined) this.top = { texts: joined, rules: Rules.top(texts) };
    return this.top.rules;
  }

  /** Files that git tracks although a rule ignores them. Asked once for every HEAD. */
  private async trackedIgnored(): Promise<string[]> {
    if (!this.git || !this.whole) return [];
    const head = readHead(this.whole).head ?? "none";
    if (this.tracked?.head !== head) {
      const settings = [`core.excludesFile=${this.facts.excludesFile}`];
      const paths = await this.git.list(["ls-files", "-c", "-i", "-z", "--exclude-standard"], { settings });
      this.tracked = { head, paths };
    }
    return this.tracked.paths;
  }
}

/** Paths, modes and contents, in the order of the paths; names cannot hold a zero byte, so nothing runs together. */
export function digestOf(files: Readonly<Record<string, string>>): string {
  const hash = createHash("sha256");
  const lines = Object.keys(files)
    .sort()
    .map((path) => `${files[path]?.replace(":", " ")} ${path}\0`);
  hash.update(lines.join(""));
  return hash.digest("hex");
}

function readText(path: string): string {
  try {
    if (!existsSync(path)) return ""; // the usual case; an exception would cost more than the rest of the look
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
