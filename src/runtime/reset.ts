// A killed loop is put aside so that it may start afresh: its history under another name, its record in the archive, both committed.

import { folderOfJob, oneLine } from "../core/phase.js";
import { settled } from "../core/place.js";
import { Refusal } from "../ports/errors.js";
import type { House } from "../ports/house.js";
import { lookAt } from "./open.js";
import { whyNoCommits } from "./saving.js";

/** Who may be reset: throws a Refusal for everybody but a killed loop. Touches nothing. */
export async function resettable(house: House, id: string): Promise<{ loop: string; job: string; source: string }> {
  const { flow, run, frozen } = await lookAt(house, id);
  const cursor = settled(run.cursor);
  if (flow.restart !== "archive")
    throw new Refusal("no-kill-switch", `loop "${flow.name}" may be started again as it is`, `pawl run ${flow.name}`);
  if (cursor.at !== "ended")
    throw new Refusal("not-ended", `run ${id} was not killed: it is open`, `go on with it: pawl resume ${id}`, 3);
  if (cursor.ending === "success")
    throw new Refusal(
      "has-converged",
      `run ${id} has converged; there is nothing to reset`,
      "start a new job, or answer its manual items",
      1,
    );
  if (cursor.ending !== "killed")
    throw new Refusal(
      "not-killed",
      `run ${id} was not killed: it ended as ${cursor.ending}; only a killed loop is reset`,
      "take a new branch, ticket or phase",
      1,
    );
  if (!house.recordsOf(run.job).records.some((record) => record.run === id))
    throw new Refusal("archived", `run ${id} is archived already`, `pawl run ${flow.name}`, 1);
  return { loop: flow.name, job: run.job, source: frozen.source.path };
}

export interface Reset {
  folder: string;
  loopMd?: string;
  /** What failed and stops nothing. */
  warnings: string[];
}

export async function resetRun(house: House, id: string, signal: AbortSignal): Promise<Reset> {
  const { loop, job } = await resettable(house, id);
  if (await house.store.holder(id)) throw new Refusal("locked", `run ${id} is being driven`, `pawl status ${id}`, 3);
  const { folder, loopMd, moved } = await house.archive({ job, loop, run: id });
  const within = (path: string) => path.slice(house.where.workspace.length + 1);
  const paths = moved.flatMap(({ from, to }) => [within(from), within(to)]);
  const warnings = await commitReset(house, id, job, paths, signal);
  return { folder, ...(loopMd ? { loopMd } : {}), warnings };
}

async function commitReset(
  house: House,
  id: string,
  job: string,
  paths: string[],
  signal: AbortSignal,
): Promise<string[]> {
  if (await whyNoCommits(house, [])) return [];
  const { frozen, run } = await lookAt(house, id);
  const at = `${house.store.runFolder(id)}/reset`;
  const end = await house.git.commit({
    paths,
    leavesIgnored: true,
    message: `chore(${oneLine(job)}): loop reset by a person`,
    intent: `${at}/intent.json`,
    signposts: await house.git.signposts(),
    hook: await house.hookOf({ frozen, run, folder: at, signal }),
  });
  if (end.end === "refused") return [`the reset is not committed: ${end.why}; by hand: ${end.byHand}`];
  if (end.end === "fault") return [`the reset is not committed: ${end.message}; look at ${folderOfJob(job)}`];
  return [];
}
