// The repository's settings, `.pawl/config.yaml`: who works here by default, and which branches and editors are used.
// A key without a value is unset; everything else is as strict as a loop file.
import type { z } from "zod";
import type { Limits, Performer } from "../core/model.js";
import type { Issue } from "./issues.js";
import { collect } from "./parse.js";
import { limits, readLimits } from "./schema/allowance.js";
import { compact } from "./schema/compact.js";
import { complainOf } from "./schema/complaints.js";
import type { Positions } from "./schema/file.js";
import { command, insidePath, keys, oneOrMore, seconds, slug, text } from "./schema/leaf.js";
import { performers, readPerformers } from "./schema/performer.js";
import { checkPerformers } from "./schema/rules.js";
import { readSource } from "./schema/source.js";

export interface Settings {
  performers: Record<string, Performer>;
  /** For skills and for agents a loop does not map. */
  agent?: string;
  branchBase?: string;
  productionBranch?: string;
  /** Absent: those that are found. */
  ides?: string[];
  /** Folder of the specs, inside the repository. */
  documents?: string;
  /** Of all runs of one job together. */
  jobLimits?: Limits;
}

export const settingsSchema = keys({
  agents: performers()
    .default({})
    .meta({ description: "What the names of agents stand for, in every loop. Default none." }),
  agent: slug("the name of an agent").optional().meta({ description: "Who works where a loop names nobody." }),
  branch_base: text("the name of a branch")
    .optional()
    .meta({ description: "The branch that work starts from. Default: git's." }),
  production_branch: text("the name of a branch").optional().meta({ description: "The branch that is in production." }),
  ides: oneOrMore(slug("the name of an editor"), "names of editors")
    .optional()
    .meta({ description: "Editors to set up." }),
  documents: insidePath("a folder of the repository").optional().meta({ description: "Folder of the specs." }),
  job_limits: limits("all runs of one job together")
    .optional()
    .meta({ description: "What one job may use up, over all its runs. Default: no limit." }),
  // these two are for the validator "run_tests", which reads them itself: it gets no settings
  test_command: command()
    .optional()
    .meta({ description: "What run_tests runs. Default: the project's own test command, where it can be found." }),
  test_timeout: seconds()
    .optional()
    .meta({ description: "Seconds the test command may take under run_tests. Default 1800." }),
});

export function parseSettings(text: string, path: string): (Positions & { settings: Settings }) | { issues: Issue[] } {
  const source = readSource(text, path);
  if (source.data === undefined) return { issues: source.issues };
  const data = Object.fromEntries(Object.entries(source.data).filter((entry) => entry[1] !== null));
  const parsed = settingsSchema.safeParse(data);
  const complaints = (parsed.error?.issues ?? []).flatMap((issue) => complainOf(issue, data, undefined));
  const issues = collect(source, [...complaints, ...checkPerformers(data)], path);
  if (issues.length > 0 || !parsed.success) return { issues };
  return { settings: readSettings(parsed.data), at: source.at, wrote: source.wrote };
}

function readSettings(parsed: z.output<typeof settingsSchema>): Settings {
  const { ides } = parsed;
  return compact({
    performers: readPerformers(parsed.agents),
    agent: parsed.agent,
    branchBase: parsed.branch_base,
    productionBranch: parsed.production_branch,
    ides: typeof ides === "string" ? [ides] : ides,
    documents: parsed.documents,
    jobLimits: parsed.job_limits && readLimits(parsed.job_limits),
  });
}
