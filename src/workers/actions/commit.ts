// action: commit. The single commit point of a run: only what the run changed, only when it began in a clean tree (P7).

import type { Action, ActionEnd, ActionTask } from "../../ports/action.js";
import { FaultError } from "../../ports/errors.js";
import type { CommitWish, Git } from "../../ports/git.js";
import type { Start } from "../../ports/store.js";
import { oneLine } from "../findings.js";
import { fillIn, unknownNames } from "../template.js";

/** Names a commit message may use. */
export const MESSAGE_NAMES = ["subject", "loop", "job", "run"] as const;
const DEFAULT_MESSAGE = "{loop}: {subject}";
const SUBJECT_CHARS_MAX = 200;

export interface CommitBench {
  git: Git;
  start: Start;
  /** Runs a hook of the repository, as it was when the run began, inside the sandbox. */
  hook(task: ActionTask): CommitWish["hook"];
}

export const checkCommit: Action["check"] = (params) => {
  const given = typeof params === "object" && params !== null && !Array.isArray(params) ? params : {};
  const unknown = Object.keys(given).filter((key) => key !== "message");
  const complaints = unknown.map((key) => ({
    path: [key],
    message: `"${key}" is no parameter of commit`,
    hint: "it has only: message",
  }));
  const { message } = given;
  if (message === undefined) return complaints;
  if (typeof message !== "string" || !message.trim())
    return [...complaints, { path: ["message"], message: '"message" must be a text' }];
  const names = unknownNames(message, MESSAGE_NAMES).map((name) => ({
    path: ["message"],
    message: `the message names {${name}}, which nothing fills in`,
    hint: `known are ${MESSAGE_NAMES.map((each) => `{${each}}`).join(" ")}`,
  }));
  return [...complaints, ...names];
};

export const commitAction = (bench: CommitBench): Action => ({
  name: "commit",
  outcomes: ["not-committed"],
  check: checkCommit,
  run: (task) => commit(bench, task),
});

async function commit({ git, start, hook }: CommitBench, task: ActionTask): Promise<ActionEnd> {
  const message = messageOf(task);
  if (start.dirty.length)
    return notCommitted(`the tree was not clean when the run began: ${shown(start.dirty)}`, byHand(message));
  const changed = await git.dirty(); // it began clean, so all of this is the run's, or a person's who worked beside it
  const foreign = new Set(task.run.foreign);
  const paths = changed.filter((path) => !foreign.has(path));
  const left = changed.filter((path) => foreign.has(path));
  const mixed = task.run.shared.filter((path) => foreign.has(path) && changed.includes(path));
  if (mixed.length) {
    const why = `people changed files that the run had changed too, so what lies there was never checked: ${shown(mixed)}`;
    return notCommitted(why, byHand(message));
  }
  const intent = `${commitFolder(task)}/intent.json`;
  const end = await git.commit({ paths, message, intent, signposts: start.signposts, hook: hook(task) });
  const findings = left.length
    ? [{ text: `left out, for people changed them during the run: ${shown(left)}`, severity: "warning" as const }]
    : [];
  switch (end.end) {
    case "committed":
      return { output: `committed ${end.commit}`, set: { commit: end.commit }, findings };
    case "nothing":
      if (left.length)
        return notCommitted(`all that changed, people changed during the run: ${shown(left)}`, byHand(message));
      return { output: `nothing to commit; the work is in ${end.head.slice(0, 12)}`, findings };
    case "refused":
      return notCommitted(end.why, end.byHand);
    case "fault":
      throw new FaultError({ code: end.code, message: end.message });
  }
}

/** The same folder at every try of this visit: a commit that was made before a crash is found again there. */
export const commitFolder = ({ runFolder, step, visit }: ActionTask): string =>
  `${runFolder}/commits/${encodeURIComponent(step)}-${visit}`;

const notCommitted = (why: string, hand: string): ActionEnd => ({
  outcome: "not-committed",
  findings: [
    { text: why, severity: "warning" },
    { text: hand, rule: "by hand", severity: "info" },
  ],
  output: `not committed: ${why}`,
});

/** Values come from branches, tickets and people: one line each, so that none can forge a trailer or a second paragraph. */
function messageOf({ run, flow, params }: ActionTask): string {
  const template =
    typeof params === "object" && params !== null && !Array.isArray(params) && typeof params.message === "string"
      ? params.message
      : DEFAULT_MESSAGE;
  const subject = oneLine(run.inputs.subject ?? flow.name).slice(0, SUBJECT_CHARS_MAX);
  return fillIn(template, { subject, loop: flow.name, job: oneLine(run.job), run: run.id });
}

const byHand = (message: string): string => `git add -- PATHS && git commit -m '${message.replaceAll("'", "'\\''")}'`;
const shown = (paths: string[]): string =>
  `${paths.slice(0, 5).map(oneLine).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;
