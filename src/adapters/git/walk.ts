// Walks the product tree as it lies on disk, without git: every file that git would not ignore, and a finding for what nobody can judge.
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Finding } from "../../core/model.js";
import { cleanLine } from "../files/text.js";
import type { Blobs } from "./blobs.js";
import type { Rules } from "./ignoring.js";
import { gitFolders, readHead } from "./place.js";
import { fault } from "./program.js";

/** Files of one tree. More means that something large is not ignored. */
export const FILES_MAX = 100_000;
/** Findings of one walk; the rest is only counted. */
const WALK_FINDINGS_MAX = 100;
/** Files after which others get a turn. */
const TURN_FILES = 2_000;

export interface Walked {
  files: Record<string, string>;
  findings: Finding[];
}

export class Walk {
  private readonly files = new Map<string, string>();
  private readonly findings: Finding[] = [];
  private dropped = 0;

  /** `skipped`: paths that belong to Pawl, relative. `filesMax` is FILES_MAX but in tests. */
  constructor(
    private readonly top: string,
    private readonly blobs: Blobs,
    private readonly skipped: ReadonlySet<string>,
    private readonly filesMax = FILES_MAX,
  ) {}

  /** `forced`: files that git tracks although a rule ignores them. */
  async run(rules: Rules, forced: readonly string[]): Promise<Walked> {
    const todo: { folder: string; rules: Rules }[] = [{ folder: "", rules }];
    let next = TURN_FILES;
    for (let here = todo.pop(); here; here = todo.pop()) {
      const inside = this.folder(here.folder, here.rules);
      todo.push(...inside);
      if (this.files.size < next) continue;
      next = this.files.size + TURN_FILES;
      await setImmediate();
    }
    for (const path of forced) this.forced(path);
    this.blobs.endRound();
    if (this.dropped > 0)
      this.findings.push({ text: `${this.dropped} more findings are left out`, severity: "warning" });
    return { files: Object.fromEntries([...this.files].sort(byPath)), findings: this.findings };
  }

  /** Takes the files of one folder and names the folders in it that are to be walked. */
  private folder(folder: string, outer: Rules): { folder: string; rules: Rules }[] {
    const entries = this.list(folder);
    const names = new Set(entries.map((entry) => entry.name));
    if (folder !== "" && names.has(".git")) return this.nested(folder);
    if (folder !== "" && ["HEAD", "objects", "refs"].every((name) => names.has(name)))
      this.find(folder, "is a bare repository; git and editors that look into it may run what its configuration names");
    const rules = names.has(".gitignore") ? outer.inside(folder, this.ignoreText(folder)) : outer;
    const inside: { folder: string; rules: Rules }[] = [];
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (this.isPassedOver(path, entry, rules)) continue;
      if (entry.isDirectory()) inside.push({ folder: path, rules });
      else this.file(path);
    }
    return inside;
  }

  private isPassedOver(path: string, entry: Dirent, rules: Rules): boolean {
    return entry.name === ".git" || this.skipped.has(path) || rules.ignores(entry.isDirectory() ? `${path}/` : path);
  }

  private list(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.top, folder), { withFileTypes: true });
    } catch (error) {
      if (folder === "") throw fault("no-workspace", `"${this.top}" cannot be read: ${String(error)}`);
      this.take(folder, "000000:unreadable");
      this.find(folder, "is a folder that cannot be read");
      return [];
    }
  }

  private ignoreText(folder: string): string {
    const path = join(this.top, folder, ".gitignore");
    try {
      if (lstatSync(path).isFile()) return readFileSync(path, "utf8"); // git follows no link here either
    } catch {
      // gone, or unreadable: then it is named with the files
    }
    return "";
  }

  private nested(folder: string): [] {
    this.take(folder, `160000:${headOf(join(this.top, folder))}`);
    this.find(folder, "is a repository of its own; its contents are neither judged nor committed", "warning");
    return [];
  }

  private file(path: string): void {
    const whole = `${this.top}/${path}`; // join() would cost more than the stat
    const stat = lstatSync(whole, { bigint: true, throwIfNoEntry: false });
    if (!stat) {
      if (path.includes("\ufffd")) this.nameless(path);
      return; // gone since the folder was listed
    }
    if (!stat.isFile() && !stat.isSymbolicLink()) {
      this.find(path, "is neither a plain file nor a folder");
      return;
    }
    if ((stat.mode & 0o6000n) !== 0n && stat.isFile()) this.find(path, "would run with another user's rights (setuid)");
    const blob = this.blobs.of(whole, stat);
    this.take(path, `${modeOf(stat)}:${"sha" in blob ? blob.sha : "unreadable"}`);
    if ("trouble" in blob) this.find(path, blob.trouble);
  }

  private forced(path: string): void {
    if (this.files.has(path) || path.split("/").includes(".git")) return;
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const parent = path.slice(0, cut);
      if (this.skipped.has(parent)) return;
      if (!lstatSync(join(this.top, parent), { throwIfNoEntry: false })?.isDirectory()) return;
    }
    if (!lstatSync(join(this.top, path), { throwIfNoEntry: false })?.isDirectory()) this.file(path);
  }

  /** A name that is no UTF-8 cannot be opened by the text we have of it. */
  private nameless(path: string): void {
    this.take(path, "000000:unreadable");
    this.find(path, "has a name that is not UTF-8; rename it");
  }

  private take(path: string, entry: string): void {
    if (this.files.size >= this.filesMax)
      throw fault(
        "tree-too-big",
        `the workspace has more than ${this.filesMax} files that git does not ignore`,
        "name build output and packages in .gitignore",
      );
    this.files.set(path, entry);
  }

  private find(path: string, what: string, severity: Finding["severity"] = "error"): void {
    if (this.findings.length >= WALK_FINDINGS_MAX) this.dropped++;
    else this.findings.push({ text: `"${cleanLine(path)}" ${what}`, where: path, severity });
  }
}

export function modeOf(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return "120000";
  return (stat.mode & 0o100n) === 0n ? "100644" : "100755";
}

export function byPath([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function headOf(folder: string): string {
  try {
    const place = gitFolders(folder);
    return (place && readHead(place).head) ?? "";
  } catch {
    return "";
  }
}
