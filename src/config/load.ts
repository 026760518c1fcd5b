// A named loop, whole: parsed, what it names looked up, lowered and checked. The one way from a text to a flow for every surface.
import type { Json, Performer } from "../core/model.js";
import { folderOfJob } from "../core/phase.js";
import { agentsOfRole } from "../core/stacks.js";
import { agentFilePath, agentFolder, isAgentFile, readAgentFile, stemOf } from "./agent-file.js";
import type { Issue } from "./issues.js";
import type { ActionFacts, HookFacts, Known, Overrides } from "./known.js";
import { type Lowered, lower } from "./lower/index.js";
import { parseLoop } from "./parse.js";
import type { LoopFile } from "./schema/file.js";

/** Where the names of a file are looked up. Structurally a part of ports/library. */
export interface Shelf {
  loopNames(): Promise<string[]>;
  skill(name: string): Promise<{ text: string; digest: string } | undefined>;
  validator(tool: string): Promise<{ path: string; digest: string }[]>;
  fileNames(folder: string): Promise<string[]>;
  document(path: string): Promise<(NonNullable<Known["documents"][string]> & { text?: string }) | undefined>;
}
/** What is registered in this process, and what the repository and the caller prefer. */
export interface Registered {
  uses: string[];
  performers: Record<string, Performer>;
  fallback?: string;
  isChosen?: boolean;
  isSet(variable: string): boolean;
  sha256(text: string): string;
  /** The job a run of it would belong to; absent where nobody can tell. */
  job?: string;
  /** What the file's extensions add. Throws what the caller shows when one cannot be loaded. */
  extras(extensions: string[]): Promise<ExtraFacts>;
}
export interface ExtraFacts {
  /** With the built-in ones. */
  actions: Record<string, ActionFacts>;
  /** With the shipped ones. */
  hooks: Record<string, HookFacts>;
  conditions: string[];
  performers: Record<string, Performer>;
}
export type LoadedLoop = {
  file: LoopFile;
  flow: Extract<Lowered, { flow: unknown }>["flow"];
  warnings: Issue[];
  validators: Known["validators"];
};

export async function loadLoop(
  source: { name: string; text: string; path: string },
  shelf: Shelf,
  registered: Registered,
  overrides: Overrides,
): Promise<LoadedLoop | { issues: Issue[] }> {
  const parsed = parseLoop(source.text, source.path);
  if ("issues" in parsed) return parsed;
  const file = inJob(parsed.file, registered.job ?? "");
  const known = await lookUp(file, shelf, registered);
  const lowered = lower({ file, where: parsed, path: source.path }, known, overrides);
  if ("issues" in lowered) return { issues: [...parsed.warnings, ...lowered.issues] };
  return {
    file,
    flow: lowered.flow,
    warnings: [...parsed.warnings, ...lowered.warnings],
    validators: known.validators,
  };
}

/** `{job}` in the plan is the folder of the job that the run belongs to. */
function inJob(file: LoopFile, job: string): LoopFile {
  if (file.body !== "doer" || !file.plan?.startsWith(JOB_FOLDER)) return file;
  return { ...file, plan: `${folderOfJob(job)}${file.plan.slice(JOB_FOLDER.length)}` };
}
export const JOB_FOLDER = "{job}";

async function lookUp(file: LoopFile, shelf: Shelf, registered: Registered): Promise<Known> {
  const { extras, ...rest } = registered;
  const { performers, ...facts } = await extras(file.extensions);
  const names = namesIn(file);
  const written = file.body === "doer" ? await shelf.fileNames(agentFolder(file.agentsDir)) : [];
  const mapped = [file.performers, rest.performers, performers].flatMap((each) => Object.keys(each));
  const agents = [...new Set([...mapped, ...written.filter(isAgentFile).map(stemOf)])];
  return {
    ...rest,
    registered: agents,
    loops: await shelf.loopNames(),
    skills: await each(names.skills, (name) => shelf.skill(name)),
    validators: await each(names.validators, (tool) => shelf.validator(tool)),
    documents: await each(names.documents, (path) => shelf.document(path)),
    agentFiles: await each(namesOfAgents(file, agents, rest.uses), (name) => agentFile(shelf, file, name)),
    ...facts,
    performers: { ...performers, ...rest.performers },
  };
}

async function each<T>(names: string[], look: (name: string) => Promise<T>): Promise<Record<string, T>> {
  const found: Record<string, T> = Object.create(null); // names are the author's: "constructor" is a name like another
  for (const name of new Set(names)) found[name] = await look(name);
  return found;
}

function namesIn(file: LoopFile): { skills: string[]; validators: string[]; documents: string[] } {
  const hooked = file.body === "nodes" ? file.nodes.flatMap((node) => [...node.entry, ...node.exit]) : [];
  return {
    skills: skillsIn(file),
    validators: [...file.validators.map((use) => use.tool), ...hooked.flatMap((use) => toolOf(use.hook, use.with))],
    documents: [...file.additionalFiles, ...(file.body === "doer" && file.plan ? [file.plan] : [])],
  };
}

/** Who may have an agent file: every agent that the body names. */
function namesOfAgents(file: LoopFile, registered: string[], uses: string[]): string[] {
  switch (file.body) {
    case "skills":
      return [];
    case "steps":
      return file.steps.flatMap(({ work }) => (work.kind === "agent" ? [work.agent] : []));
    case "nodes":
      return file.nodes.flatMap(({ work }) => (work.kind === "agent" ? [work.agent] : []));
    case "doer":
      return [file.doer, ...file.reviewers].flatMap((role) => agentsOfRole(role, registered, uses));
  }
}

async function agentFile(
  shelf: Shelf,
  { agentsDir }: LoopFile,
  name: string,
): Promise<NonNullable<Known["agentFiles"]>[string]> {
  const asked = agentFilePath(agentsDir, name);
  const found = await shelf.document(asked);
  if (found?.text === undefined) return undefined;
  const { path = asked, digest, text } = found;
  return { path, digest, read: readAgentFile(text, path) };
}

function skillsIn(file: LoopFile): string[] {
  switch (file.body) {
    case "skills":
      return file.skills;
    case "steps":
      return file.steps.flatMap(({ work }) => (work.kind === "skill" ? [work.skill] : []));
    case "nodes":
      return file.nodes.flatMap(({ work }) => (work.kind === "skill" ? [work.skill] : []));
    case "doer":
      return [];
  }
}

/** The `validator` hook names a validator in its params; whether they are right is checked with the hook. */
const toolOf = (hook: string, params: { [key: string]: Json }): string[] =>
  hook === "validator" && typeof params.tool === "string" ? [params.tool] : [];
