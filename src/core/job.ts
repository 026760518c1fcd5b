// Which job a run belongs to: the ticket of the spec when it is this branch's, else the branch, else "unknown".
import { NAME_CHARS_MAX } from "./limits.js";

export interface JobFacts {
  /** From the front matter of `.pawl/spec.md`. */
  spec?: { ticket?: string | undefined; branch?: string | undefined } | undefined;
  /** Checked out; absent when detached or without git. */
  branch?: string | undefined;
}
export type Job =
  | { job: string; ticket: string | null; warning?: string }
  /** The name would lead out of `.pawl/jobs`, or cannot be a folder. */
  | { refused: string };

/** Begins the job of a run that has no ticket or branch of its own yet; no ticket or branch may. */
const PENDING = "_pending-";

/** The job of a run that starts before its ticket and branch exist. */
export const pendingJob = (run: string): string => `${PENDING}${run}`;
export const isPending = (job: string): boolean => job.startsWith(PENDING);
/** The run a pending job is called after; runs that it starts share its job. */
export const founderOf = (job: string): string | undefined => (isPending(job) ? job.slice(PENDING.length) : undefined);

/** Does the spec speak of the branch that is checked out? One that was left over from another branch does not. */
export const isOfBranch = ({ spec, branch }: JobFacts): boolean =>
  branch !== undefined && spec?.branch?.trim() === branch;

/** The job a run started now belongs to. */
export function jobOf({ spec, branch }: JobFacts): Job {
  const ticket = spec?.ticket?.trim();
  if (ticket !== undefined && isRealId(ticket) && isOfBranch({ spec, branch })) {
    const trouble = jobTrouble(ticket);
    return trouble
      ? { refused: `the ticket ${shown(ticket)} in ".pawl/spec.md" cannot be a job: it ${trouble}` }
      : { job: ticket, ticket };
  }
  if (branch === undefined)
    return {
      job: UNKNOWN,
      ticket: null,
      warning: `no branch is checked out, so the job is called "${UNKNOWN}"; to give it a name, start from a branch: git switch -c NAME`,
    };
  const trouble = jobTrouble(branch);
  return trouble
    ? { refused: `the branch ${shown(branch)} cannot be a job: it ${trouble}` }
    : { job: branch, ticket: null };
}

/** Why a name cannot be a job, as the end of a sentence; undefined when it can. Slashes are folders. */
export function jobTrouble(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > NAME_CHARS_MAX) return `has more than ${NAME_CHARS_MAX} characters`;
  if (UNSEEN.test(name)) return "has control characters";
  if (name.startsWith("/") || name.startsWith("~") || /^[A-Za-z]:[\\/]/.test(name)) return "is an absolute path";
  if (name.includes("\\")) return "has a backslash";
  if (isPending(name)) return `begins with "${PENDING}", which is kept for runs without a ticket`;
  for (const part of name.split("/")) {
    if (part === "") return "has an empty folder name";
    if (part === "." || part === "..") return `has the folder "${part}"`;
    if (part.trim() !== part) return "has a folder name that begins or ends with a blank";
  }
  return undefined;
}

const UNKNOWN = "unknown";

/** Words people write where there is no ticket. */
const NO_IDS = new Set(["", "none", "unknown", "null", "nil", "undefined", "tbd", "todo", "n/a", "na", "-", "~", "?"]);

function isRealId(ticket: string): boolean {
  return !NO_IDS.has(ticket.toLowerCase());
}

// Control characters, and those that are not seen or turn the direction of writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

function shown(name: string): string {
  return JSON.stringify(name.slice(0, NAME_CHARS_MAX));
}
