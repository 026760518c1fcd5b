// Loads the modules a loop file names under `extensions:`. They are the repository's own code and run with Pawl's rights: outside.
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Action } from "../../ports/action.js";
import { Refusal } from "../../ports/errors.js";

/** What an extension's default export may hold. */
export interface Extension {
  actions?: Record<string, Pick<Action, "run"> & Partial<Pick<Action, "outcomes" | "check">>>;
}

/** The registered actions of these modules, by name. */
export async function extensionsOf(workspace: string, paths: string[]): Promise<Map<string, Action>> {
  return new Map((await loadExtensions(workspace, paths)).map((action) => [action.name, action]));
}

/** Refusal ("bad-extension") that names the file. */
async function loadExtensions(workspace: string, paths: string[]): Promise<Action[]> {
  const actions: Action[] = [];
  for (const path of paths) {
    const { actions: found = {} } = await loadOne(workspace, path);
    for (const [name, { run, outcomes = [], check = () => [] }] of Object.entries(found)) {
      if (typeof run !== "function") throw bad(path, `its action "${name}" has no function "run"`);
      if (actions.some((each) => each.name === name) || name === "commit")
        throw bad(path, `the action "${name}" is registered twice`);
      actions.push({ name, outcomes, check, run });
    }
  }
  return actions;
}

async function loadOne(workspace: string, path: string): Promise<Extension> {
  const file = resolve(workspace, path);
  try {
    const way = relative(workspace, realpathSync(file));
    if (way.startsWith("..") || isAbsolute(way)) throw new Error("it lies outside the repository");
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }; // what it exports is looked at next
    if (typeof module.default !== "object" || module.default === null)
      throw new Error("its default export is no object");
    return module.default; // an Extension as far as anybody can tell; each action is looked at before use
  } catch (error) {
    throw bad(path, error instanceof Error ? error.message : String(error));
  }
}

const bad = (path: string, why: string): Refusal =>
  new Refusal(
    "bad-extension",
    `extension "${path}" cannot be loaded: ${why}`,
    "mend the module, or take it out of extensions:",
  );
