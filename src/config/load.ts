// A named loop, whole: parsed, what it names looked up, lowered and checked. The one way from a text to a flow for every surface.
import type { Json, Performer } from "../core/model.js";
import type { Issue } from "./issues.js";
import type { ActionFacts, HookFacts, Known, Overrides } from "./known.js";
import { type Lowered, lower } from "./lower/index.js";
import { parseLoop } from "./parse.js";
import type { LoopFile } from "./schema/file.js";

/** Where the names of a file are looked up. Structurally a part of ports/library. */
export interface Shelf {
  loops(): Promise<{ name: string }[]>;
  skill(name: string): Promise<{ text: string; digest: string } | undefined>;
  validator(tool: string): Promise<{ path: string; digest: string }[]>;
  document(path: string): Promise<{ digest: string } | undefined>;
}
/** What is registered in this process, and what the repository and the caller prefer. */
export interface Registered {
  uses: string[];
  performers: Record<string, Performer>;
  fallback?: string;
  isChosen?: boolean;
  hooks: Record<string, HookFacts>;
  conditions: string[];
  isSet(variable: string): boolean;
  sha256(text: string): string;
  /** The built-in actions, with those of the file's extensions. Throws what the caller shows when an extension cannot be loaded. */
  actions(extensions: string[]): Promise<Record<string, ActionFacts>>;
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
  const known = await lookUp(parsed.file, shelf, registered);
  const lowered = lower({ file: parsed.file, where: parsed, path: source.path }, known, overrides);
  if ("issues" in lowered) return { issues: [...parsed.warnings, ...lowered.issues] };
  return {
    file: parsed.file,
    flow: lowered.flow,
    warnings: [...parsed.warnings, ...lowered.warnings],
    validators: known.validators,
  };
}

async function lookUp(file: LoopFile, shelf: Shelf, registered: Registered): Promise<Known> {
  const { actions, ...rest } = registered;
  const names = namesIn(file);
  const loops = await shelf.loops();
  return {
    ...rest,
    loops: loops.map((loop) => loop.name),
    skills: await each(names.skills, (name) => shelf.skill(name)),
    validators: await each(names.validators, (tool) => shelf.validator(tool)),
    documents: await each(names.documents, (path) => shelf.document(path)),
    actions: await actions(file.extensions),
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
