// One entry of `extensions:`, its words and the file it means. Only a file of the repository or a package that is installed in it.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

export interface Entry {
  /** As the author wrote it. */
  text: string;
  /** The export; "default" where none is named. */
  export: string;
  /** Absolute, its own realpath, inside the workspace. */
  file: string;
  /** The file relative to the workspace. */
  path: string;
}

/** `module` or `module:Export`. Throws an Error that says what is wrong with it. */
export function entryOf(workspace: string, text: string): Entry {
  const [, module = "", name = "default"] = /^([^:\s]+)(?::([A-Za-z_$][\w$]*))?$/.exec(text) ?? [];
  if (module === "") throw new Error('it must be "module" or "module:Class", like ext/wiki.mjs:Wiki');
  const file = FILE.test(module) ? fileIn(workspace, module) : packageFile(workspace, module);
  return { text, export: name, file, path: relative(workspace, file) };
}

/** A path by its ending or its dots; everything else is the name of a package. */
const FILE = /^\.{0,2}\/|\.[cm]?[jt]s$/;

function fileIn(workspace: string, module: string): string {
  if (/\.[cm]?ts$/.test(module)) throw new Error("it is TypeScript; name the JavaScript that is made of it");
  return inside(workspace, resolve(workspace, module));
}

/** Its realpath, which must be a file of the repository. */
export function inside(workspace: string, path: string): string {
  const real = realpathOf(path);
  const way = relative(workspace, real);
  if (way === "" || way.startsWith("..") || isAbsolute(way)) throw new Error("it lies outside the repository");
  if (way.split("/")[0] === ".git") throw new Error("it lies in the git folder");
  if (!statSync(real).isFile()) throw new Error("it is not a plain file");
  return real;
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new Error("there is no such file");
  }
}

function packageFile(workspace: string, name: string): string {
  if (!/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name))
    throw new Error(`"${name}" is neither the path of a file (.mjs, .js) nor the name of a package`);
  const found = installed(workspace, name, workspace);
  if (!found) throw new Error(`no package "${name}" is installed in this repository`);
  return inside(workspace, found);
}

/** The file that importing `name` or `name/part` gives; undefined when it is not installed. Looks upwards from `from`, as far as the
 *  workspace. */
export function installed(workspace: string, name: string, from: string): string | undefined {
  const parts = name.split("/");
  const [own, part] = [name.startsWith("@") ? 2 : 1].flatMap((count) => [
    parts.slice(0, count).join("/"),
    parts.slice(count).join("/"),
  ]);
  for (let folder = from; own; folder = dirname(folder)) {
    const base = join(folder, "node_modules", own);
    const manifest = manifestOf(base);
    if (manifest) return join(base, part || mainOf(manifest));
    if (folder === workspace || folder === dirname(folder)) return undefined;
  }
  return undefined;
}

interface Manifest {
  main?: unknown;
  exports?: unknown;
}
function manifestOf(folder: string): Manifest | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof found === "object" && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}

/** As Node chooses for an import: its own exports under the conditions we have, then main, then index.js. */
function mainOf({ main, exports }: Manifest): string {
  return chosen(exports) ?? (typeof main === "string" && main ? main : "index.js");
}
function chosen(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (Array.isArray(exports)) return exports.map(chosen).find((each) => each !== undefined);
  if (typeof exports !== "object" || exports === null) return undefined;
  for (const [key, value] of Object.entries(exports)) {
    const found = [".", "import", "node", "default"].includes(key) ? chosen(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
