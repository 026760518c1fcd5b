// Asks the repository's own pre-commit and commit-msg hooks, through whoever can run them safely.
import { lstatSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommitWish } from "../../ports/git.js";
import { readArtifact } from "../files/safe-read.js";
import { cleanText, cutTail, decodeText } from "../files/text.js";
import type { Facts } from "./facts.js";
import type { Place } from "./place.js";

/** Characters of a hook's complaint that are shown. */
const HOOK_OUTPUT_CHARS_MAX = 2_000;
const MESSAGE_BYTES_MAX = 64 << 10;
const MESSAGE_FILE = "COMMIT_EDITMSG";

export interface Asking {
  place: Required<Place>;
  facts: Facts;
  wish: CommitWish;
  /** Ours; the message file is written here. */
  folder: string;
  index: string;
  message: string;
}

export async function askHooks(asking: Asking): Promise<{ no: string } | { ran: boolean; message: string }> {
  const { wish, folder, message } = asking;
  const env = { GIT_INDEX_FILE: asking.index, GIT_EDITOR: ":" };
  let ran = false;
  for (const name of ["pre-commit", "commit-msg"] as const) {
    if (!hasHook(asking, name)) continue;
    if (name === "commit-msg") writeFileSync(join(folder, MESSAGE_FILE), message);
    const { code, output } = await wish.hook(name, name === "commit-msg" ? [join(folder, MESSAGE_FILE)] : [], env);
    if (code !== 0)
      return {
        no: `the ${name} hook refused with exit ${code}: ${cutTail(cleanText(output).trim(), HOOK_OUTPUT_CHARS_MAX)}`,
      };
    ran = true;
    if (name === "commit-msg")
      return { ran, message: decodeText(readArtifact(folder, MESSAGE_FILE, MESSAGE_BYTES_MAX)) };
  }
  return { ran, message };
}

/** Where git would look for it. A file that is not executable is no hook, as for git. */
function hasHook({ place, facts }: Asking, name: string): boolean {
  const path = join(facts.hooksPath ?? join(place.commonDir, "hooks"), name);
  if (!lstatSync(path, { throwIfNoEntry: false })) return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
}
