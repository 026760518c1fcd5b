// Which files an extension is made of, and their digests. They are fixed when the run begins: what runs outside the sandbox must be
// what a person started, not what an agent wrote meanwhile. An import whose name is computed is not found here, and not fixed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { type Entry, inside, installed } from "./entry.js";

/** Files of one extension with all it imports, and bytes of one. */
export const MODULES_MAX = 2_000;
export const MODULE_BYTES_MAX = 8 << 20;

/** "extension PATH" for the entry, "module PATH" for files of the repository it imports, "package PATH" for what is installed.
 *  Throws an Error that says what is wrong. */
export function modulesOf(workspace: string, entry: Entry): Record<string, string> {
  const files = reached(workspace, entry.file);
  const named: Record<string, string> = {};
  const packages = new Map<string, string[]>();
  for (const [file, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const path = relative(workspace, file);
    const home = packageOf(path);
    if (file === entry.file) named[`extension ${withExport(entry)}`] = sha256(text);
    else if (home === undefined) named[`module ${path}`] = sha256(text);
    if (home !== undefined) packages.set(home, [...(packages.get(home) ?? []), `${path} ${sha256(text)}`]);
  }
  for (const [home, told] of packages) named[`package ${home}`] = sha256(told.join("\n"));
  return named;
}

const withExport = ({ path, export: name }: Entry): string => (name === "default" ? path : `${path}:${name}`);

/** The folder of the innermost installed package a path lies in. */
function packageOf(path: string): string | undefined {
  const found = /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+/.exec(path);
  return found?.[0];
}

function reached(workspace: string, entry: string): Map<string, string> {
  const files = new Map<string, string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    if (files.size >= MODULES_MAX) throw new Error(`it imports more than ${MODULES_MAX} files`);
    const { size } = statSync(file);
    if (size > MODULE_BYTES_MAX)
      throw new Error(`"${relative(workspace, file)}" is larger than ${MODULE_BYTES_MAX} bytes`);
    const text = readFileSync(file, "latin1"); // bytes, one a character: only names of modules are looked for
    files.set(file, text);
    for (const name of named(text)) {
      const found = target(workspace, file, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  return files;
}

/** One too many costs a digest; so whatever looks like an import counts, in comments too. */
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n\\]{1,300})["']/g;
const named = (text: string): Set<string> => new Set([...text.matchAll(IMPORT)].map(([, name = ""]) => name));

/** Undefined for what is Node's own, and for what is not there: Node itself says so when it is really imported. */
function target(workspace: string, from: string, name: string): string | undefined {
  if (name.startsWith("node:") || /^[a-z]+:/.test(name)) return undefined;
  const given = /^\.{0,2}\//.test(name) ? resolve(dirname(from), name) : installed(workspace, name, dirname(from));
  const found = given === undefined ? undefined : ENDINGS.map((ending) => given + ending).find(isFile);
  if (found === undefined) return undefined;
  try {
    return inside(workspace, found);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`it imports "${name}" in "${relative(workspace, from)}": ${why}`);
  }
}
const ENDINGS = ["", ".js", ".cjs", ".mjs", ".json", "/index.js"];
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

const sha256 = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex");
