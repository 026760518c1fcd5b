// Finds and loads a loop for the house: settings, extensions, registered names. Apart from house.ts because it brings yaml and zod.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { refuseStranger } from "./adapters/extensions/extensions.js";
import { nothing } from "./adapters/extensions/gather.js";
import { formatIssue, type Issue } from "./config/issues.js";
import type { Overrides } from "./config/known.js";
import { type ExtraFacts, JOB_FOLDER, loadLoop, type Registered, type Shelf } from "./config/load.js";
import { performersOf } from "./config/schema/performer.js";
import { parseSettings, type Settings } from "./config/settings.js";
import { type Branches, branchesOf } from "./core/branches.js";
import { digestOf } from "./core/digest.js";
import { HOST } from "./core/hosts.js";
import type { Flow, Limits, Performer } from "./core/model.js";
import { asLater } from "./core/named.js";
import { type Context, contextFor } from "./documents.js";
import { extrasFor, fromTop, laterParts } from "./extras.js";
import { describe, registryOf } from "./hooks/registry.js";
import { Refusal } from "./ports/errors.js";
import type { Extras } from "./ports/extension.js";
import type { House, Loaded, LoadOptions } from "./ports/house.js";
import type { Library, Source } from "./ports/library.js";
import { BUILT_IN } from "./workers/actions/built-in.js";

/** What is wrong with a loop file, all of it. Exit 2. */
export class BadLoop extends Refusal {
  constructor(readonly issues: Issue[]) {
    super("bad-loop", issues.map(formatIssue).join("\n"));
  }
}

type Found = Pick<House, "where" | "sha256" | "job"> & { library: Library };
export interface LoadTask {
  house: Found;
  env: Record<string, string | undefined>;
  uses: string[];
  name: string;
  how: LoadOptions;
  /** Where the caller stands. */
  cwd: string;
}

export async function loadFor({ house, env, uses, name, how, cwd }: LoadTask): Promise<Loaded & { issues: Issue[] }> {
  const source = await find(house, name, how.byPath ?? false);
  const job = await jobFor(house, source, how);
  const settings = await settingsOf(house.library);
  const near = source.origin === "bundled" ? undefined : dirname(resolve(house.where.workspace, source.path));
  let extras = nothing();
  const registered: Registered = {
    uses,
    performers: settings.performers,
    ...(job === undefined ? {} : { job }),
    ...chosen(how, settings),
    isSet: (variable) => env[variable] !== undefined && env[variable] !== "",
    sha256: house.sha256,
    extras: async (entries) => {
      const { workspace } = house.where;
      const found = entries.map((entry) => fromTop(workspace, near, entry));
      extras = await extrasFor(workspace, found, how.parent ? { parent: how.parent } : {});
      return factsOf(extras);
    },
  };
  const shelf = shelfOf(house.library, near);
  const loaded = await loadLoop(source, shelf, registered, overridesOf(how));
  if ("issues" in loaded) throw new BadLoop(loaded.issues);
  if (source.origin !== "path" && loaded.file.name !== name) {
    const message = `${source.path}: the loop is called "${loaded.file.name}", but its file is "${name}"`;
    throw new Refusal("name-differs", message, `write name: ${name}, or rename the file`);
  }
  const { file, warnings, validators } = loaded;
  const mayDefault = file.body !== "skills" && Object.keys(loaded.flow.performers).length > 0;
  const place = { workspace: house.where.workspace, cwd };
  const context = await contextFor({ loaders: extras.loaders, place, how, mayDefault, sha256: house.sha256 });
  const later = await laterParts(house.library, house.where.workspace, loaded.flow);
  if (how.parent) refuseStranger(how.parent, later);
  const flow = withContext(loaded.flow, { ...extras.named, ...asLater(later) }, context, house.sha256);
  return {
    flow,
    source: { path: source.path, text: source.text },
    files: { ...filesOf(house, validators, documentsIn(loaded.flow)), ...context.files },
    context: context.facts,
    warnings: warnings.map(formatIssue),
    issues: warnings,
    ...(how.agent ? { agent: how.agent } : {}),
    ...(file.stateDir ? { stateDir: stateDirOf(house, file.stateDir) } : {}),
    makesBranch: file.makesBranch || file.requireBranch !== undefined,
    ...(file.requireBranch ? { requireBranch: branchesOf(settings).base } : {}),
  };
}

/** Who works where the loop names nobody, and whether the caller said so. */
function chosen(
  { agent, anyAgent = false }: LoadOptions,
  settings: Settings,
): Pick<Registered, "fallback" | "isChosen"> {
  const fallback = agent ?? settings.agent ?? (anyAgent ? HOST : undefined);
  return { isChosen: agent !== undefined || anyAgent, ...(fallback ? { fallback } : {}) };
}

function overridesOf({ maxAttempts, maxIter, maxResets }: LoadOptions): Overrides {
  return {
    ...(maxAttempts ? { maxAttempts } : {}),
    ...(maxIter ? { maxIter } : {}),
    ...(maxResets ? { maxResets } : {}),
  };
}

/** The library with documents as this loop file means them. */
function shelfOf(library: Library, near: string | undefined): Shelf {
  return {
    loopNames: () => library.loopNames(),
    skill: (name) => library.skill(name),
    validator: (tool) => library.validator(tool),
    fileNames: (folder) => library.fileNames(folder, near),
    document: async (path) => {
      const found = await library.document(path, near);
      return found && { ...found, isBlank: found.text.trim() === "" };
    },
  };
}

const factsOf = ({ actions, hooks, performers }: Extras): ExtraFacts => ({
  ...describe(registryOf(hooks)),
  actions: {
    ...Object.fromEntries([...actions].map(([name, { outcomes, check }]) => [name, { outcomes, check }])),
    ...BUILT_IN,
  },
  performers: performersOf(performers),
});

const documentsIn = ({ documents, named }: Flow): [string, string][] =>
  documents.map((path) => [path, named[`document ${path}`] ?? ""]);

/** A flow is what it was lowered to, with what its extensions are made of and the documents of this run. */
function withContext(flow: Flow, named: Record<string, string>, { files }: Context, sha256: Found["sha256"]): Flow {
  const brought = Object.entries(files).map(([key, { digest }]) => [key, digest] as const);
  const documents = [...new Set([...brought.map(([key]) => key.slice("document ".length)), ...flow.documents])];
  const whole = { ...flow, documents, named: { ...flow.named, ...named, ...Object.fromEntries(brought) } };
  return { ...whole, digest: digestOf(whole, sha256) };
}
/** Asked only for a loop that works in the folder of its job, which needs a project to have one in. */
async function jobFor(house: Found, { text }: Source, how: LoadOptions): Promise<string | undefined> {
  if (!text.includes(JOB_FOLDER)) return undefined;
  const { workspace } = house.where;
  if (!how.anyAgent && !existsSync(`${workspace}/.pawl`))
    throw new Refusal("no-project", `"${workspace}" has no folder .pawl`, "make it: pawl init", 2);
  return how.job ?? (await house.job()).job;
}

async function find(house: Found, name: string, byPath: boolean): Promise<Source> {
  if (byPath) return house.library.loopAt(name);
  const source = await house.library.loop(name);
  if (source) return source;
  const names = await house.library.loopNames();
  const hint = names.length
    ? `there are: ${names.join(", ")}`
    : "write .pawl/loops/NAME.yaml, or give the path of a file";
  throw new Refusal("unknown-loop", `there is no loop called "${name}"`, hint);
}

export { phasesIn } from "./adapters/library/phases.js";

/** Who works under this name. Refusal ("unknown-agent") where nobody does. */
export async function performerFor(task: { library: Library; uses: string[]; name: string }): Promise<Performer> {
  const { performers } = await settingsOf(task.library);
  const found = performers[task.name] ?? (task.uses.includes(task.name) ? { use: task.name } : undefined);
  if (found !== undefined && found.use !== HOST && (found.use !== "command" || found.run !== undefined)) return found;
  const names = [...Object.keys(performers), ...task.uses.filter((use) => use !== HOST && use !== "command")];
  throw new Refusal(
    "unknown-agent",
    `there is no agent "${task.name}" that Pawl can start`,
    `there are: ${names.join(", ")}`,
  );
}

export const branchesFor = async (library: Library, defaultBranch: string | undefined): Promise<Branches> =>
  branchesOf(await settingsOf(library), defaultBranch);

export const jobLimitsFor = async (library: Library): Promise<Limits> => (await settingsOf(library)).jobLimits ?? {};

async function settingsOf(library: Library): Promise<Settings> {
  const source = await library.settings();
  if (!source) return { performers: {} };
  const parsed = parseSettings(source.text, source.path);
  if ("issues" in parsed) throw new BadLoop(parsed.issues);
  return parsed.settings;
}

/** What is copied into the run: validators, and documents as they are now. */
function filesOf(
  house: Found,
  validators: Record<string, { path: string; digest: string }[]>,
  documents: [path: string, digest: string][],
): Loaded["files"] {
  const tools = Object.entries(validators).flatMap(([tool, [found]]) =>
    found ? [[`validator ${tool}`, { ...found, from: found.path }] as const] : [],
  );
  const texts = documents.map(([path, digest]) => {
    const whole = resolve(house.where.workspace, path);
    return [`document ${path}`, { path: whole, digest, from: whole }] as const;
  });
  return Object.fromEntries([...tools, ...texts]);
}

/** A folder of its own: what lies in it is hidden from the work. */
function stateDirOf({ where }: Found, folder: string): string {
  const whole = resolve(where.workspace, folder);
  if (whole !== where.workspace) return whole;
  throw new Refusal("bad-path", `"state_dir" cannot be the repository itself ("${folder}")`, "name a folder inside it");
}
