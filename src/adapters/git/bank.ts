// The files of the memory bank as people wrote them. Lines of Pawl's own in them are no part of the product: a note about a run that has
// ended makes no evidence stale, no tree dirty, and nothing foreign to the next run.
import { join } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { MEMORY_FILES, withoutOurs } from "../../core/memory.js";
import { STATE_PATH } from "../../core/state.js";
import { readArtifact } from "../files/safe-read.js";
import type { Blobs } from "./blobs.js";
import type { QuietGit } from "./quiet.js";

const PATHS = [...Object.keys(MEMORY_FILES).map((name) => `.pawl/${name}`), STATE_PATH];

export class Bank {
  /** Digest of a whole file to that of what people wrote in it; undefined when they wrote nothing. */
  private readonly known = new Map<string, string | undefined>();
  constructor(
    private readonly workspace: string,
    private readonly blobs: Blobs,
  ) {}

  /** The files of a walk, changed in place. */
  inWalk(files: Record<string, string>): void {
    for (const path of PATHS) {
      const [mode = "", sha = ""] = files[path]?.split(":") ?? [];
      if (mode.startsWith("100"))
        put(
          path,
          mode,
          this.own(sha, () => this.read(path)),
          files,
        );
    }
  }

  /** The entries of a commit, changed in place. */
  async inCommit(git: QuietGit, stored: Map<string, string>): Promise<void> {
    for (const path of PATHS) {
      const [mode = "", sha = ""] = stored.get(path)?.split(":") ?? [];
      if (!mode.startsWith("100")) continue;
      const bytes = this.known.has(sha) ? undefined : (await git.ask(["cat-file", "blob", sha])).stdout;
      const own = this.own(sha, () => bytes);
      if (own === undefined) stored.delete(path);
      else stored.set(path, `${mode}:${own}`);
    }
  }

  private own(sha: string, read: () => Buffer | undefined): string | undefined {
    if (this.known.has(sha)) return this.known.get(sha);
    const bytes = read();
    const text = bytes?.toString("utf8") ?? "";
    if (!bytes || bytes.length > ARTIFACT_BYTES_MAX || !Buffer.from(text).equals(bytes)) return sha; // nothing of ours is in such a file
    const kept = withoutOurs(text);
    const own = kept === "" ? undefined : kept === text ? sha : this.blobs.ofBytes(Buffer.from(kept));
    this.known.set(sha, own);
    return own;
  }

  private read(path: string): Buffer | undefined {
    try {
      return readArtifact(join(this.workspace, ".pawl"), path.slice(".pawl/".length));
    } catch {
      return undefined; // what the walk said of it stands
    }
  }
}

function put(path: string, mode: string, own: string | undefined, files: Record<string, string>): void {
  if (own === undefined) delete files[path];
  else files[path] = `${mode}:${own}`;
}
