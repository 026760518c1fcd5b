// Which paths differ from HEAD, found by comparing our own walk with the stored tree, so that no filter or monitor runs.
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attributes, readAttributes } from "./attributes.js";
import { type Blobs, WHOLE_BYTES_MAX } from "./blobs.js";
import type { Facts } from "./facts.js";
import { type QuietGit, splitZero } from "./quiet.js";

/** Bytes of paths on one command line. */
const ARGUMENT_BYTES_MAX = 64 << 10;

export interface Sides {
  git: QuietGit;
  workspace: string;
  facts: Facts;
  blobs: Blobs;
}

/** path → `mode:sha` of a commit. */
export async function storedTree(git: QuietGit, commit: string): Promise<Map<string, string>> {
  const entries = await git.list(["ls-tree", "-r", "-z", "--full-tree", commit]);
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode = "", , sha = ""] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1), `${mode}:${sha}`];
    }),
  );
}

/** `staged`: paths that are dirty whatever lies on disk. */
export async function dirtyPaths(
  sides: Sides,
  stored: ReadonlyMap<string, string>,
  files: Readonly<Record<string, string>>,
  staged: readonly string[],
): Promise<string[]> {
  const raw: string[] = [];
  for (const [path, entry] of Object.entries(files)) if (!same(stored.get(path), entry, sides.facts)) raw.push(path);
  const gone = [...stored.keys()].filter((path) => files[path] === undefined && !path.startsWith(".pawl/jobs/"));
  const dirty = new Set(await trulyChanged(sides, stored, files, raw));
  for (const path of await trulyGone(sides, stored, gone)) dirty.add(path);
  for (const path of staged) dirty.add(path);
  return [...dirty].sort();
}

/** The user's file mode setting says whether the executable bit counts. */
export function same(stored: string | undefined, entry: string, facts: Facts): boolean {
  if (stored === entry || stored === undefined) return stored === entry;
  if (stored.startsWith("160000:") && entry === "160000:") return true; // its HEAD cannot be read: the finding tells
  return !facts.fileMode && stored.startsWith("100") && entry.startsWith("100") && stored.slice(7) === entry.slice(7);
}

/** Leaves out what differs only because git stores it in another form. */
async function trulyChanged(
  sides: Sides,
  stored: ReadonlyMap<string, string>,
  files: Readonly<Record<string, string>>,
  paths: string[],
): Promise<string[]> {
  const both = paths.filter((path) => stored.get(path)?.startsWith("100") && files[path]?.startsWith("100"));
  const attributes = await readAttributes(sides.git, both);
  const converted = both.filter((path) => attributes.get(path)?.converted);
  const untouched = await asInIndex(sides, stored, converted);
  return paths.filter((path) => {
    const said = attributes.get(path);
    if (!said) return true;
    if (said.converted) return !untouched.has(path);
    return !isCrlfOf(sides, path, stored.get(path) ?? "", files[path] ?? "", said);
  });
}

function isCrlfOf(sides: Sides, path: string, stored: string, entry: string, said: Attributes): boolean {
  if (!turnsCrlf(said, sides.facts)) return false;
  const bytes = readSmall(join(sides.workspace, path));
  if (!bytes?.includes("\r\n")) return false;
  const unix = Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return same(stored, `${entry.slice(0, 7)}${sides.blobs.ofBytes(unix)}`, sides.facts);
}

export function turnsCrlf(said: Attributes, facts: Facts): boolean {
  return said.text === "yes" || (said.text === "unsaid" && facts.convertsCrlf);
}

/** Paths whose size and time are those the index knows, with HEAD's content: what git itself takes as unchanged. */
async function asInIndex(sides: Sides, stored: ReadonlyMap<string, string>, paths: string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const some of slices(paths)) {
    const { stdout } = await sides.git.ask(["ls-files", "-s", "--debug", "-z", "--", ...some]);
    // with -z: "mode sha stage\tpath\0  ctime: s:ns\n  mtime: s:ns\n …  size: n\tflags: x\n" again and again
    const [first = "", ...rest] = stdout.toString("utf8").split("\0");
    let entry = first;
    for (const part of rest) {
      const next = part.search(/\d{6} [0-9a-f]{40,64} \d\t/);
      const tab = entry.indexOf("\t");
      const [mode = "", sha = ""] = entry.slice(0, tab).split(" ");
      const path = entry.slice(tab + 1);
      if (stored.get(path) === `${mode}:${sha}` && unchanged(join(sides.workspace, path), part)) known.add(path);
      entry = next < 0 ? "" : part.slice(next);
    }
  }
  return known;
}

function unchanged(path: string, debug: string): boolean {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const [, s, ns] = /mtime: (\d+):(\d+)/.exec(debug) ?? [];
  const size = /size: (\d+)/.exec(debug)?.[1];
  if (!stat || s === undefined || ns === undefined) return false;
  return stat.mtimeNs === BigInt(s) * 1_000_000_000n + BigInt(ns) && String(stat.size & 0xffffffffn) === size;
}

/** Leaves out what is absent by the user's own wish: sparse check-outs and submodules that were never fetched. */
async function trulyGone(sides: Sides, stored: ReadonlyMap<string, string>, paths: string[]): Promise<string[]> {
  const skipped = new Set<string>();
  if (paths.length > 0)
    for (const entry of splitZero((await sides.git.ask(["ls-files", "-t", "-z"])).stdout))
      if (entry.startsWith("S ")) skipped.add(entry.slice(2));
  return paths.filter((path) => {
    if (skipped.has(path)) return false;
    const isModule = stored.get(path)?.startsWith("160000:");
    return !(isModule && lstatSync(join(sides.workspace, path), { throwIfNoEntry: false })?.isDirectory());
  });
}

function* slices(paths: string[]): Generator<string[]> {
  let some: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    if (bytes > ARGUMENT_BYTES_MAX) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(path);
    bytes += Buffer.byteLength(path) + 1;
  }
  if (some.length > 0) yield some;
}

function readSmall(path: string): Buffer | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= WHOLE_BYTES_MAX ? readFileSync(path) : undefined;
}
