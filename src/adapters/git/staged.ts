// What the user has staged. Asked of git once for every index and HEAD: the start of a run waits for it, and a process is dear.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Blobs } from "./blobs.js";
import type { QuietGit } from "./quiet.js";

export class Staged {
  private readonly blobs: Blobs;
  private known: { index: string; head: string; paths: string[] } | undefined;

  constructor(
    private readonly gitDir: string,
    now: () => number,
  ) {
    this.blobs = new Blobs("sha256", now);
  }

  /** Paths whose entry in the index is another than that of the commit; those of the record are nobody's work. */
  async paths(git: QuietGit, head: string): Promise<string[]> {
    const index = this.index();
    if (index !== undefined && this.known?.index === index && this.known.head === head) return this.known.paths;
    const paths = await ask(git, head);
    const isSame = index !== undefined && this.index() === index; // else it was changed while git read it
    this.known = isSame ? { index, head, paths } : undefined;
    return paths;
  }

  /** Digest of the user's index; undefined when there is none, or none that can be read. */
  private index(): string | undefined {
    const path = join(this.gitDir, "index");
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const blob = stat?.isFile() ? this.blobs.of(path, stat) : undefined;
    return blob && "sha" in blob ? blob.sha : undefined;
  }
}

async function ask(git: QuietGit, head: string): Promise<string[]> {
  const flags = ["--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"];
  const paths = await git.list(["diff-index", "--cached", ...flags, head]);
  return paths.filter((path) => !path.startsWith(".pawl/jobs/"));
}
