// What a doer or a reviewer left is committed by itself, as soon as its verdict is on paper: one commit of the work, one of the review.
// Made again after a crash it finds its own commit. Where the run may not commit, nothing happens: it said so when it started.
import type { Run, Saved, Verdict } from "../core/model.js";
import { folderOfJob, messageOfSave, reviewFile } from "../core/phase.js";
import { FaultError, Refusal } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import type { Frozen } from "../ports/store.js";
import { branchOf } from "./branch.js";

export interface Save {
  frozen: Frozen;
  run: Run;
  saves: Saved;
  signal: AbortSignal;
}
export interface SaveEnd {
  commit?: string;
  /** What failed; the run goes on with a warning. */
  trouble?: string;
}

/** Throws a FaultError when git cannot do it now. */
export async function saveVisit(house: House, save: Save): Promise<SaveEnd> {
  const { saves } = save;
  return saves.what === "review" ? saveReview(house, save) : commitPaths(house, save, () => workOf(house, save));
}

/** Why no run may commit by itself in this place: undefined where it may. */
export async function whyNoCommits(house: House, dirty: string[]): Promise<string | undefined> {
  const { kind, branch } = await house.git.where();
  if (kind === "no-git") return "there is no git repository";
  if (kind === "no-commit") return "the repository has no commit yet";
  if (branch === undefined) return "no branch is checked out";
  if (await isEverybodys(house, branch)) return `"${branch}" is a branch that takes no commits of Pawl's own`;
  if (dirty.length) return "the tree was not clean when the run began";
  return undefined;
}

/** Where the settings cannot be read nobody can tell, so it is taken for one. */
async function isEverybodys(house: House, branch: string): Promise<boolean> {
  try {
    return (await house.branches()).protected.includes(branch);
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

async function commitPaths(house: House, save: Save, pathsOf: () => Promise<string[] | string>): Promise<SaveEnd> {
  const { frozen, run, saves, signal } = save;
  const { branch } = await house.git.where();
  if (await whyNoCommits(house, frozen.start.dirty)) return {};
  const own = branchOf(frozen, run);
  if (branch !== own) return { trouble: `"${branch}" is checked out, and the run belongs to "${own ?? "no branch"}"` };
  const paths = await pathsOf();
  if (typeof paths === "string") return { trouble: paths };
  const folder = `${house.store.runFolder(run.id)}/saves/${encodeURIComponent(saves.node)}-${saves.visit}`;
  const end = await house.git.commit({
    paths,
    leavesIgnored: true,
    message: messageOfSave(frozen.flow, run, saves),
    intent: `${folder}/intent.json`,
    signposts: frozen.start.signposts,
    hook: await house.hookOf({ frozen, run, folder, signal }),
  });
  switch (end.end) {
    case "committed":
      return { commit: end.commit };
    case "nothing":
      return {};
    case "refused":
      return { trouble: `${end.why}; by hand: ${end.byHand}` };
    case "fault":
      throw new FaultError({ code: end.code, message: end.message, hint: `then: pawl resume ${run.id}` });
  }
}

/** All that changed is the run's, for it began in a clean tree; but not what people changed meanwhile. */
async function workOf(house: House, { run }: Save): Promise<string[] | string> {
  const changed = await house.git.dirty();
  const foreign = new Set(run.foreign);
  const mixed = run.shared.filter((path) => foreign.has(path) && changed.includes(path));
  if (mixed.length) return `people changed files that the run had changed too: ${mixed.slice(0, 5).join(", ")}`;
  return changed.filter((path) => !foreign.has(path));
}

/** The reviews are published beside the record, also where nothing is committed. */
async function saveReview(house: House, save: Save): Promise<SaveEnd> {
  const { frozen, run, saves } = save;
  const reviews = await reviewsOf(house, save);
  const names = Object.keys(reviews);
  if (names.length === 0) return {};
  const trouble = await house.records.publishReviews({ job: run.job, loop: frozen.flow.name, run: run.id }, reviews);
  if (trouble) return { trouble };
  const paths = names.map((name) => `${folderOfJob(run.job)}/${name}`);
  return commitPaths(house, { ...save, saves }, async () => paths);
}

/** Their texts by the names they are published under: REVIEW.md, of several reviewers REVIEW-NAME.md. */
async function reviewsOf(house: House, { frozen, run, saves }: Save): Promise<Record<string, string>> {
  const work = frozen.flow.nodes[saves.node]?.work;
  const parts = work?.kind === "fan" ? Object.keys(work.branches) : [undefined];
  const reviews: Record<string, string> = {};
  for (const part of parts) {
    const verdict: Verdict | undefined = run.results[part === undefined ? saves.node : `${saves.node}/${part}`];
    const [path] = verdict?.artifacts ?? [];
    const read = path === undefined ? undefined : await house.files.read(house.store.runFolder(run.id), path);
    if (!read || !("text" in read)) continue;
    // two reviews that say the same are two reviews
    const origin = `<!-- visit ${saves.visit} of "${saves.node}", run ${run.id} -->`;
    reviews[reviewFile(part)] = `${read.text.trimEnd()}\n\n${origin}\n`;
  }
  return reviews;
}
