// Loads the modules a loop file names under `extensions:`. They are the repository's own code and run with Pawl's rights: outside.
// X1 Nothing is loaded but for a plan, a check of the file, or a run. X2 What is not as it was when the run began is not loaded.
import { Console } from "node:console";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { strangerTo } from "../../core/named.js";
import { Refusal } from "../../ports/errors.js";
import type { Extras } from "../../ports/extension.js";
import { type Entry, entryOf } from "./entry.js";
import { gather, nothing, type Taken } from "./gather.js";
import { modulesOf } from "./modules.js";

/** A module that never comes to its end is no extension. */
export const LOAD_MS = 30_000;

export interface ExtensionsWish {
  workspace: string;
  /** As the loop file has them, or as `core/named.ts` gives them back. */
  entries: string[];
  /** Names that are Pawl's own. */
  taken: Taken;
  /** What the extensions of a run were made of when it began. */
  frozen?: Record<string, string>;
  /** What the run that starts this loop has named, where a run does: its agents may have been at work since. */
  parent?: Record<string, string>;
}

/** All that these extensions register. Refusal ("bad-extension", "extension-changed") that names the entry and its cause. */
export async function extensionsOf({ workspace, entries, taken, frozen, parent }: ExtensionsWish): Promise<Extras> {
  const extras = nothing();
  const found = entries.map((text) => {
    const entry = attempt(text, () => entryOf(workspace, text));
    const named = attempt(text, () => modulesOf(workspace, entry));
    Object.assign(extras.named, named);
    return { entry, named };
  });
  if (frozen) refuseChanged(frozen, extras.named);
  if (parent) refuseStranger(parent, extras.named);
  if (found.length > 0) globalThis.console = new Console(process.stderr); // stdout is the answer, or a protocol
  for (const { entry, named } of found) gather(extras, await made(entry, named), taken, (why) => bad(entry.text, why));
  return extras;
}

/** X2 */
function refuseChanged(frozen: Record<string, string>, now: Record<string, string>): void {
  for (const key of new Set([...Object.keys(frozen), ...Object.keys(now)])) {
    if (frozen[key] === now[key]) continue;
    const what = now[key] === undefined ? "is gone" : frozen[key] === undefined ? "was added" : "was changed";
    throw new Refusal(
      "extension-changed",
      `"${key.slice(key.indexOf(" ") + 1)}" ${what} since the run began, so its extensions are not loaded`,
      "bring back what was there, or abandon the run and start anew",
      3,
    );
  }
}

/** X2, for a loop that another one starts. */
export function refuseStranger(parent: Record<string, string>, parts: Record<string, string>): void {
  const key = strangerTo(parent, parts);
  if (key === undefined) return;
  throw new Refusal(
    "extension-changed",
    `"${key.slice(key.indexOf(" ") + 1)}" is not what it was when the run that starts this loop began, so its extensions are not loaded`,
    "look at the change, then start the loop yourself",
    3,
  );
}

/** Without loading anything: what these entries are made of. An entry that cannot be found is left to who loads it. */
export function partsOf(workspace: string, entries: string[]): Record<string, string> {
  const parts = entries.map((text) => {
    try {
      return modulesOf(workspace, entryOf(workspace, text));
    } catch {
      return {};
    }
  });
  return Object.assign({}, ...parts);
}

/** The object to look at: the export itself, or what its class makes. */
async function made(entry: Entry, named: Record<string, string>): Promise<object> {
  const found = (await imported(entry, named))[entry.export];
  if (found === undefined && entry.export !== "default") throw bad(entry.text, `it exports no "${entry.export}"`);
  if (typeof found === "function") return attempt(entry.text, () => constructed(found, entry.export));
  if (typeof found === "object" && found !== null) return found;
  const what = entry.export === "default" ? "its default export" : `its export "${entry.export}"`;
  throw bad(entry.text, `${what} is no object and no class`);
}

function constructed(found: unknown, name: string): object {
  try {
    return new (found as new () => object)(); // a function; one that cannot be called so throws, which is told
  } catch (error) {
    throw new Error(`the constructor of "${name}" fails: ${messageOf(error)}`);
  }
}

async function imported({ file, text }: Entry, named: Record<string, string>): Promise<Record<string, unknown>> {
  // in a process that lives long, what was changed meanwhile is read anew
  const stamp = createHash("sha256").update(JSON.stringify(named)).digest("hex").slice(0, 16);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`it is not loaded after ${LOAD_MS / 1000} s`)), LOAD_MS);
  });
  try {
    return await Promise.race([
      import(`${pathToFileURL(file).href}?${stamp}`) as Promise<Record<string, unknown>>,
      late,
    ]); // a module is such a record
  } catch (error) {
    throw bad(text, messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

function attempt<T>(text: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw bad(text, messageOf(error));
  }
}
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const bad = (entry: string, why: string): Refusal =>
  new Refusal(
    "bad-extension",
    `extension "${entry}" cannot be loaded: ${why}`,
    "mend the module, or take it out of extensions:",
  );
