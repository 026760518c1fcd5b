// Brings the user's own index in step with a commit of ours, for exactly the committed paths: whatever else is staged stays staged (P7).
import { setTimeout } from "node:timers/promises";
import { cleanText } from "../files/text.js";
import { type Edits, editStaged } from "./edits.js";
import { indexInfo } from "./objects.js";
import { fault } from "./program.js";
import type { QuietGit } from "./quiet.js";

/** How often, and how far apart, a locked index is tried. */
const LOCK_TRIES_MAX = 5;
const LOCK_WAIT_MS = 200;

interface Move {
  path: string;
  /** As the index says it; undefined when the path is new. */
  was: string | undefined;
  mode: string;
  sha: string;
}

interface Made {
  base: string;
  commit: string;
  /** After a crash the user may have staged something new, so only what still stands at the base is moved. */
  careful: boolean;
  edits: Edits;
}

export async function syncIndex(git: QuietGit, made: Made): Promise<void> {
  const { commit } = made;
  const moves = await mindful(git, await movesOf(git, made.base, commit), made);
  for (let tries = 1; moves.length > 0; tries++) {
    const stdin = indexInfo(moves);
    const { code, stderr } = await git.ask(["update-index", "-z", "--index-info"], { stdin, codes: [0, 128] });
    if (code === 0) return;
    const why = cleanText(stderr).trim().slice(0, 300);
    if (tries === LOCK_TRIES_MAX)
      throw fault("git-locked", `${commit.slice(0, 12)} is committed, but the index cannot be written: ${why}`);
    await setTimeout(LOCK_WAIT_MS);
  }
}

/** Where the user has staged something else, it stays staged; a change of ours to a text is made to theirs as well. */
async function mindful(git: QuietGit, moves: Move[], { careful, edits }: Made): Promise<Move[]> {
  if (!careful && !moves.some(({ path }) => edits.has(path))) return moves;
  const current = await indexEntries(git);
  const kept: Move[] = [];
  for (const move of moves) {
    const staged = current.get(move.path);
    const edit = edits.get(move.path);
    if (staged === move.was || (!careful && !edit)) kept.push(move);
    else if (edit && staged !== undefined) {
      const edited = await editStaged(git, staged, edit);
      if (edited) kept.push({ ...move, ...edited });
    }
  }
  return kept;
}

async function movesOf(git: QuietGit, base: string, commit: string): Promise<Move[]> {
  const raw = await git.list(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", base, commit]);
  const moves: Move[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [oldMode = "", mode = "", oldSha = "", sha = ""] = (raw[i] ?? "").slice(1).split(" ");
    const was = oldMode === "000000" ? undefined : `${oldMode} ${oldSha}`;
    moves.push({ path: raw[i + 1] ?? "", was, mode: mode === "000000" ? "0" : mode, sha });
  }
  return moves;
}

async function indexEntries(git: QuietGit): Promise<Map<string, string>> {
  const entries = await git.list(["ls-files", "-s", "-z"]);
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf("\t");
      return [entry.slice(tab + 1), entry.slice(0, entry.lastIndexOf(" ", tab))];
    }),
  );
}
