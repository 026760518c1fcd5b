// Loads the modules a loop file names under `extensions:`. They are the repository's own code and run with Pawl's rights: outside.
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Action, ActionEnd } from "../../ports/action.js";
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
    for (const [name, action] of Object.entries(found)) {
      const { run, outcomes = [], check = () => [] } = action ?? {}; // nobody has looked at it yet
      if (typeof run !== "function") throw bad(path, `its action "${name}" has no function "run"`);
      if (actions.some((each) => each.name === name) || name === "commit")
        throw bad(path, `the action "${name}" is registered twice`);
      actions.push({ name, outcomes, check, run: async (task) => readEnd(await run(task)) });
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

/** What comes back is somebody else's JavaScript: nothing at all is "pass", and another shape is a mistake that is told as one. */
function readEnd(end: unknown): ActionEnd {
  if (end === undefined || end === null) return {};
  const { outcome, findings, output, set } = end as Record<keyof ActionEnd, unknown>; // each is looked at next
  const wrong =
    (outcome !== undefined && typeof outcome !== "string" && "outcome must be a text") ||
    (output !== undefined && typeof output !== "string" && "output must be a text") ||
    (findings !== undefined && !isFindings(findings) && "findings must be a list of {text, severity}") ||
    (set !== undefined && !isTexts(set) && "set must hold names and texts");
  if (wrong) throw new Error(`its answer cannot be read: ${wrong}`);
  return end as ActionEnd; // looked at just now
}
const isTexts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string");
const isFindings = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => typeof each?.text === "string" && ["error", "warning", "info"].includes(each.severity));

const bad = (path: string, why: string): Refusal =>
  new Refusal(
    "bad-extension",
    `extension "${path}" cannot be loaded: ${why}`,
    "mend the module, or take it out of extensions:",
  );
