// Finds and loads a loop for the house: settings, extensions, registered names. Apart from house.ts because it brings yaml and zod.
import { resolve } from "node:path";
import { extensionsOf } from "./adapters/extensions/extensions.js";
import { formatIssue, type Issue } from "./config/issues.js";
import type { ActionFacts } from "./config/known.js";
import { loadLoop, type Registered } from "./config/load.js";
import { parseSettings, type Settings } from "./config/settings.js";
import { type Branches, branchesOf } from "./core/branches.js";
import { digestOf } from "./core/digest.js";
import { HOST } from "./core/hosts.js";
import type { Performer } from "./core/model.js";
import { extensionKey } from "./core/named.js";
import { describe, registryOf } from "./hooks/registry.js";
import { Refusal } from "./ports/errors.js";
import type { House, Loaded, LoadOptions } from "./ports/house.js";
import type { Library, Source } from "./ports/library.js";
import { checkCommit } from "./workers/actions/commit.js";

/** What is wrong with a loop file, all of it. Exit 2. */
export class BadLoop extends Refusal {
  constructor(readonly issues: Issue[]) {
    super("bad-loop", issues.map(formatIssue).join("\n"));
  }
}

type Found = Pick<House, "where" | "sha256"> & { library: Library };
export interface LoadTask {
  house: Found;
  env: Record<string, string | undefined>;
  uses: string[];
  name: string;
  how: LoadOptions;
}

export async function loadFor({ house, env, uses, name, how }: LoadTask): Promise<Loaded & { issues: Issue[] }> {
  const source = await find(house, name, how.byPath ?? false);
  const settings = await settingsOf(house.library);
  const fallback = how.agent ?? settings.agent ?? (how.anyAgent ? HOST : undefined);
  const registered: Registered = {
    ...describe(registryOf()),
    uses,
    performers: settings.performers,
    ...(fallback ? { fallback } : {}),
    isChosen: how.agent !== undefined || (how.anyAgent ?? false),
    isSet: (variable) => env[variable] !== undefined && env[variable] !== "",
    sha256: house.sha256,
    actions: async (extensions) => ({
      ...factsOf(await extensionsOf(house.where.workspace, extensions)),
      commit: COMMIT,
    }),
  };
  const { maxAttempts, maxIter, maxResets } = how;
  const overrides = {
    ...(maxAttempts ? { maxAttempts } : {}),
    ...(maxIter ? { maxIter } : {}),
    ...(maxResets ? { maxResets } : {}),
  };
  const loaded = await loadLoop(source, house.library, registered, overrides);
  if ("issues" in loaded) throw new BadLoop(loaded.issues);
  if (source.origin !== "path" && loaded.file.name !== name) {
    const message = `${source.path}: the loop is called "${loaded.file.name}", but its file is "${name}"`;
    throw new Refusal("name-differs", message, `write name: ${name}, or rename the file`);
  }
  const { file, flow, warnings, validators } = loaded;
  const whole = { ...flow, named: { ...flow.named, ...(await extensionsNamed(house, file.extensions)) } };
  return {
    flow: { ...whole, digest: digestOf(whole, house.sha256) },
    source: { path: source.path, text: source.text },
    files: await filesOf(house, validators, file.additionalFiles),
    actions: await extensionsOf(house.where.workspace, file.extensions),
    warnings: warnings.map(formatIssue),
    issues: warnings,
    ...(how.agent ? { agent: how.agent } : {}),
    ...(file.stateDir ? { stateDir: stateDirOf(house, file.stateDir) } : {}),
    ...(file.requireBranch ? { requireBranch: branchesOf(settings).base } : {}),
  };
}

const COMMIT: ActionFacts = { outcomes: ["not-committed"], check: checkCommit };
const factsOf = (actions: Awaited<ReturnType<typeof extensionsOf>>): Record<string, ActionFacts> =>
  Object.fromEntries([...actions].map(([name, { outcomes, check }]) => [name, { outcomes, check }]));

async function find(house: Found, name: string, byPath: boolean): Promise<Source> {
  if (byPath) return house.library.loopAt(name);
  const source = await house.library.loop(name);
  if (source) return source;
  const names = (await house.library.loops()).map((loop) => loop.name);
  const hint = names.length
    ? `there are: ${names.join(", ")}`
    : "write .pawl/loops/NAME.yaml, or give the path of a file";
  throw new Refusal("unknown-loop", `there is no loop called "${name}"`, hint);
}

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

async function settingsOf(library: Library): Promise<Settings> {
  const source = await library.settings();
  if (!source) return { performers: {} };
  const parsed = parseSettings(source.text, source.path);
  if ("issues" in parsed) throw new BadLoop(parsed.issues);
  return parsed.settings;
}

/** What is copied into the run: validators, and documents as they are now. */
async function filesOf(
  house: Found,
  validators: Record<string, { path: string; digest: string }[]>,
  documents: string[],
): Promise<Loaded["files"]> {
  const tools = Object.entries(validators).flatMap(([tool, [found]]) =>
    found ? [[`validator ${tool}`, { ...found, from: found.path }] as const] : [],
  );
  const texts = await Promise.all(
    documents.map(async (path) => {
      const document = await house.library.document(path);
      const whole = `${house.where.workspace}/${path}`;
      return document ? [[`document ${path}`, { path: whole, digest: document.digest, from: whole }] as const] : [];
    }),
  );
  return Object.fromEntries([...tools, ...texts.flat()]);
}

async function extensionsNamed({ library }: Found, paths: string[]): Promise<Record<string, string>> {
  const named = paths.map(async (path) => [extensionKey(path), (await library.document(path))?.digest ?? ""] as const);
  return Object.fromEntries(await Promise.all(named));
}

/** A folder of its own: what lies in it is hidden from the work. */
function stateDirOf({ where }: Found, folder: string): string {
  const whole = resolve(where.workspace, folder);
  if (whole !== where.workspace) return whole;
  throw new Refusal("bad-path", `"state_dir" cannot be the repository itself ("${folder}")`, "name a folder inside it");
}
