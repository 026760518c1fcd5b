// Finds the run that an agent's turn may belong to, and keeps count of the reminders. Reads the little that is needed: it is
// called at the end of every turn.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reminders, TurnRecord } from "../../core/turn.js";
import type { Frozen } from "../../ports/store.js";
import { readArtifact } from "../files/safe-read.js";
import { replaceQuickly } from "./disk.js";
import { frozenIn } from "./frozen.js";
import { thisMachine } from "./machine.js";
import { isRunId, partsOfJob } from "./names.js";
import { type FoundRecord, scanRecords } from "./scan.js";

/** Folders of jobs without a name yet that are looked at. */
const PENDING_MAX = 50;
const REMINDERS = "reminders.json";
const OVER = ["complete", "failed"];

export interface FoundTurn {
  record: TurnRecord;
  flow: Frozen["flow"];
  folder: string;
}

/** Runs of this work tree that are not over, of the job and of jobs that have no name yet. `home` holds the folder `runs`. */
export function openTurns({
  workspace,
  home,
  job,
}: {
  workspace: string;
  home: string;
  job: string | undefined;
}): FoundTurn[] {
  const jobs = join(workspace, ".pawl", "jobs");
  const parts = job === undefined ? [] : partsOfJob(job);
  const folders = [...(Array.isArray(parts) && parts.length > 0 ? [join(jobs, ...parts)] : []), ...pendingIn(jobs)];
  return folders
    .flatMap((folder) => scanRecords(folder).records)
    .filter(({ status, run }) => !OVER.includes(status) && isRunId(run))
    .flatMap((found) => turnOf(found, workspace, join(home, "runs", found.run)));
}

function pendingIn(jobs: string): string[] {
  try {
    const names = readdirSync(jobs).filter((name) => name.startsWith("_pending-"));
    return names.slice(0, PENDING_MAX).map((name) => join(jobs, name));
  } catch {
    return [];
  }
}

/** A record alone proves nothing: it may be another clone's, or written by an agent. The run must be here, and of this tree. */
function turnOf({ run, loop, status, record }: FoundRecord, workspace: string, folder: string): FoundTurn[] {
  const frozen = frozenAt(folder);
  if (frozen?.run !== run || frozen.start.workspace !== workspace) return [];
  const { skills, current_skill_index: index, iteration_count: iteration } = record;
  const skill: unknown = Array.isArray(skills) && typeof index === "number" ? skills[index] : undefined;
  return [
    {
      record: {
        run,
        loop,
        status,
        skill: typeof skill === "string" ? skill : undefined,
        iteration: typeof iteration === "number" ? iteration : 0,
      },
      flow: frozen.flow,
      folder,
    },
  ];
}

function frozenAt(folder: string): Frozen | undefined {
  try {
    return frozenIn(readFileSync(join(folder, "flow.json"), "utf8"));
  } catch {
    return undefined;
  }
}

export function remindersIn(folder: string): Reminders | undefined {
  try {
    const found = JSON.parse(readFileSync(join(folder, REMINDERS), "utf8")) as Partial<Reminders> | null; // looked at below
    return typeof found?.at === "string" && typeof found.count === "number" ? (found as Reminders) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws when it cannot be written: who cannot count must not remind. */
export function keepReminders(folder: string, reminders: Reminders): void {
  replaceQuickly(join(folder, REMINDERS), `${JSON.stringify(reminders)}\n`, thisMachine().token());
}

/** Ticket and branch of `.pawl/spec.md` without a reader of YAML, which costs more than all the rest. */
export function quickSpec(workspace: string): { ticket?: string; branch?: string } | undefined {
  try {
    const text = readArtifact(workspace, ".pawl/spec.md").toString("utf8");
    const block = /^---[ \t]*\r?\n([\s\S]*?)\n---[ \t]*(?:\r?\n|$)/.exec(text.replace(/^\ufeff/, ""))?.[1];
    if (block === undefined) return undefined;
    const read = (key: string): string | undefined => {
      const value = new RegExp(`^${key}[ \\t]*:[ \\t]*(?:"([^"]*)"|'([^']*)'|(.*?))(?:[ \\t]+#.*)?\\r?$`, "m").exec(
        block,
      );
      return value
        ?.slice(1)
        .find((each) => each !== undefined)
        ?.trim();
    };
    const ticket = read("ticket") ?? read("ticket_id");
    const branch = read("branch");
    return { ...(ticket === undefined ? {} : { ticket }), ...(branch === undefined ? {} : { branch }) };
  } catch {
    return undefined;
  }
}
