// Finds loops, skills, validators and documents in the folders of the repository, then among those shipped with Pawl.
import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { ARTIFACT_BYTES_MAX, LOOP_FILE_BYTES_MAX, NAME_CHARS_MAX } from "../../core/limits.js";
import { Refusal } from "../../ports/errors.js";
import type { Library, Skill, Source } from "../../ports/library.js";
import { decodeText } from "../files/text.js";
import { isOutside, readInside } from "./inside.js";
import { SKILL_PLACES, skillNames, skillOf } from "./skills.js";

export interface LibraryOptions {
  /** Absolute, its own realpath. */
  workspace: string;
  /** The folder with `loops`, `skills` and `validators` of the package. */
  bundled: string;
  /** What a path given by a person is relative to; the workspace by default. */
  cwd?: string;
}

/** Bytes of a validator: scripts, not programs with their libraries. */
export const VALIDATOR_BYTES_MAX = 8 << 20;

export class FolderLibrary implements Library {
  private readonly workspace: string;
  constructor(private readonly options: LibraryOptions) {
    this.workspace = options.workspace;
  }

  async loop(name: string): Promise<Source | undefined> {
    if (!isSlug(name)) return undefined;
    const bundled = this.source(this.options.bundled, join("loops", `${name}.yaml`), name, "bundled");
    // a repository may not replace a bundled graph of nodes
    if (bundled && hasNodes(bundled.text)) return bundled;
    return this.source(this.workspace, join(LOOPS, `${name}.yaml`), name, "repository") ?? bundled;
  }

  async loopAt(path: string): Promise<Source> {
    const whole = resolve(this.options.cwd ?? this.workspace, path);
    let bytes: Buffer;
    try {
      const stat = statSync(whole);
      if (!stat.isFile()) throw new Error("it is not a plain file");
      if (stat.size > LOOP_FILE_BYTES_MAX) throw new Error(`it is larger than ${LOOP_FILE_BYTES_MAX} bytes`);
      bytes = readFileSync(whole);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Refusal(
        "loop-unreadable",
        `the loop file "${path}" cannot be read: ${why}`,
        "give the path of a loop file, or the name of a loop in .pawl/loops",
      );
    }
    const name = whole.slice(whole.lastIndexOf("/") + 1).replace(/\.ya?ml$/, "");
    return { name, path: this.shown(realpathSync(whole)), text: decodeText(bytes), origin: "path" };
  }

  async loops(): Promise<{ name: string; origin: "repository" | "bundled"; path: string; covers: boolean }[]> {
    const own = loopNames(join(this.workspace, LOOPS));
    const shipped = loopNames(join(this.options.bundled, "loops"));
    const listed = [];
    for (const name of await this.loopNames()) {
      const winner = await this.loop(name).catch(() => undefined);
      const origin = winner?.origin === "bundled" || !own.includes(name) ? "bundled" : "repository";
      const path = origin === "bundled" ? join("loops", `${name}.yaml`) : join(LOOPS, `${name}.yaml`);
      const covers = origin === "repository" && shipped.includes(name);
      listed.push({ name, origin, path: winner?.path ?? path, covers } as const);
    }
    return listed;
  }

  async loopNames(): Promise<string[]> {
    const folders = [join(this.workspace, LOOPS), join(this.options.bundled, "loops")];
    return [...new Set(folders.flatMap(loopNames))].sort();
  }

  async skill(name: string): Promise<Skill | undefined> {
    if (!isSlug(name)) return undefined;
    for (const place of SKILL_PLACES) {
      const found = await skillOf(this.rootOf(place.origin), place.folder, name, hardLinksIn(place.origin));
      if (!found) continue;
      if ("broken" in found)
        throw new Refusal(
          "skill-broken",
          `the skill "${name}" (${this.shown(found.path)}) cannot be used: ${found.broken}`,
        );
      return { ...found, path: this.shown(found.path) };
    }
    return undefined;
  }

  async skills(): Promise<{ name: string; origin: string; description: string; broken?: string }[]> {
    const found = new Map<string, { name: string; origin: string; description: string; broken?: string }>();
    for (const { origin, folder } of SKILL_PLACES) {
      const names = skillNames(join(this.rootOf(origin), folder)).filter((name) => isSlug(name) && !found.has(name));
      for (const name of names) {
        const one = await skillOf(this.rootOf(origin), folder, name, hardLinksIn(origin));
        if (!one) continue;
        const said = "broken" in one ? { description: "", broken: one.broken } : { description: one.description };
        found.set(name, { name, origin: origin === "bundled" ? origin : folder, ...said });
      }
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async validator(tool: string): Promise<{ path: string; digest: string; origin: "repository" | "bundled" }[]> {
    if (!isSlug(tool)) return [];
    for (const origin of ["repository", "bundled"] as const) {
      const found = this.validatorsIn(origin, tool);
      if (found.length > 0) return found.map((one) => ({ ...one, origin }));
    }
    return [];
  }

  async document(
    path: string,
    near = this.workspace,
  ): Promise<{ text: string; digest: string; path: string } | undefined> {
    const inside = this.placesOf(path, near);
    if (inside.length === 0)
      throw new Refusal("document-outside", `the document "${path}" lies outside the repository`);
    for (const { root, way, whole } of inside) {
      const read = readInside(root, way, ARTIFACT_BYTES_MAX);
      if (read === undefined) continue;
      if ("trouble" in read) throw new Refusal("document-unreadable", `the document "${path}" ${read.trouble}`);
      return { text: decodeText(read.bytes), digest: digestOf(read.bytes), path: this.shown(whole) };
    }
    return undefined;
  }

  async fileNames(folder: string, near = this.workspace): Promise<string[]> {
    const entries = this.placesOf(folder, near).flatMap(({ whole }) => list(whole));
    return [
      ...new Set(entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name)),
    ].sort();
  }

  /** Where a path of a loop file may lie: from the folder of that file, from the top of the repository. */
  private placesOf(path: string, near: string): { root: string; way: string; whole: string }[] {
    const places = [...new Set([resolve(near, path), resolve(this.workspace, path)])];
    return places.flatMap((whole) => {
      const root = [this.workspace, topOf(near)].find((each) => !isOutside(relative(each, whole)));
      return root === undefined ? [] : [{ root, way: relative(root, whole), whole }];
    });
  }

  async settings(): Promise<Source | undefined> {
    return this.source(this.workspace, join(".pawl", "config.yaml"), "config", "repository");
  }

  private source(root: string, path: string, name: string, origin: "repository" | "bundled"): Source | undefined {
    const read = readInside(root, path, LOOP_FILE_BYTES_MAX, hardLinksIn(origin));
    if (read === undefined) return undefined;
    if ("trouble" in read) throw new Refusal("loop-unreadable", `"${path}" ${read.trouble}`);
    return { name, path: this.shown(join(root, path)), text: decodeText(read.bytes), origin };
  }

  private validatorsIn(origin: Origin, tool: string): { path: string; digest: string }[] {
    const root = this.rootOf(origin);
    const found: { path: string; digest: string }[] = [];
    for (const entry of list(join(root, "validators"))) {
      const extension = extname(entry.name);
      if (entry.name.slice(0, entry.name.length - extension.length) !== tool) continue;
      const path = join("validators", entry.name);
      const read = readInside(root, path, VALIDATOR_BYTES_MAX, hardLinksIn(origin));
      if (read && "trouble" in read) {
        if (statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()) continue;
        throw new Refusal("validator-unreadable", `the validator "${path}" ${read.trouble}`);
      }
      const isProgram = read && (KNOWN.has(extension) || (statSync(read.path).mode & 0o111) !== 0);
      if (isProgram) found.push({ path: join(root, path), digest: digestOf(read.bytes) });
    }
    return found;
  }

  private rootOf(origin: Origin): string {
    return origin === "repository" ? this.workspace : this.options.bundled;
  }

  private shown(path: string): string {
    const way = relative(this.workspace, path);
    return isOutside(way) ? path : way;
  }
}

/** What a loop, a skill and a validator may be called. Everything else is answered like an unknown name, and nothing is opened. */
export function isSlug(name: string): boolean {
  return name.length <= NAME_CHARS_MAX && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && !name.includes("..");
}

type Origin = "repository" | "bundled";

/** The repository a folder lies in, or the folder itself where it lies in none. */
function topOf(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
  return folder;
}

/** Package managers make hard links; nobody else has a reason to. */
function hardLinksIn(origin: Origin): "refuse" | "accept" {
  return origin === "bundled" ? "accept" : "refuse";
}

const LOOPS = join(".pawl", "loops");
/** Run by the interpreter of their kind, executable or not. */
const KNOWN = new Set([".py", ".ts", ".mts", ".js", ".mjs", ".cjs", ".sh", ".bash", ".rb", ".pl"]);

function loopNames(folder: string): string[] {
  return list(folder)
    .filter((entry) => entry.name.endsWith(".yaml"))
    .map((entry) => entry.name.slice(0, -".yaml".length))
    .filter(isSlug);
}

/** By code units, so that the order is the same everywhere. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function hasNodes(text: string): boolean {
  return /^["']?nodes["']?[ \t]*:/m.test(text);
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
