// Stores a tree and a commit without touching work tree, index or branch: raw bytes, a private index, no filter.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "./changes.js";
import { fault } from "./program.js";
import type { QuietGit } from "./quiet.js";

/** The sha of the tree that is `base` with the changes. `index` is a file of ours and is made anew. */
export async function storeTree(
  git: QuietGit,
  workspace: string,
  base: string,
  changes: Change[],
  index: string,
): Promise<string> {
  rmSync(index, { force: true });
  rmSync(`${index}.lock`, { force: true });
  await storeBlobs(git, workspace, changes);
  await git.ask(["read-tree", base], { index });
  await git.ask(["update-index", "-z", "--index-info"], { index, stdin: indexInfo(changes) });
  return git.text(["write-tree"], { index });
}

export function indexInfo(entries: { path: string; mode: string; sha: string }[]): string {
  return entries.map(({ path, mode, sha }) => `${mode} ${sha}\t${path}\0`).join("");
}

async function storeBlobs(git: QuietGit, workspace: string, changes: Change[]): Promise<void> {
  const plain = changes.filter((one) => one.mode !== "0" && one.bytes === undefined);
  const lines = plain.map((one) => `${join(workspace, one.path)}\n`).join("");
  const shas =
    lines === ""
      ? []
      : (await git.text(["hash-object", "-w", "--no-filters", "--stdin-paths"], { stdin: lines })).split("\n");
  for (const [i, one] of plain.entries()) mustBe(one, shas[i]);
  for (const one of changes) {
    if (one.mode === "0" || one.bytes === undefined) continue;
    mustBe(one, await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { stdin: one.bytes }));
  }
}

/** What is stored is what was judged. */
function mustBe(change: Change, sha: string | undefined): void {
  if (sha !== change.sha)
    throw fault("file-moves", `"${change.path}" changed while it was being committed`, "try again");
}
