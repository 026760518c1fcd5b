// The stamps of setups, below Pawl's working home, which no sandbox sees.
//
// `NAME.json` stamps one setup: text, variables, sandbox, workspace. `OF.last` names the setup that a step ran last: with another
// text in between a step runs its old text again.
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import type { OpenSetup, Setup, Setups } from "../../ports/setups.js";
import { readArtifact } from "../files/safe-read.js";

/** Goes up when a sandbox gives a setup something else than before. */
const PROFILE = 1;
const LOCK_BYTES_MAX = 16 << 20;
/** Folders below the workspace in which lock files are looked for, level by level. */
const LEVELS = 3;
const FOLDERS_MAX = 2_000;
const LOCKS = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "requirements.txt",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "Pipfile.lock",
  "Cargo.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
  "gradle.lockfile",
  "pubspec.lock",
]);
const PASSED_OVER = new Set(["node_modules", "vendor", "target", "dist", "build"]);

interface Stamp {
  at: string;
  locks: Record<string, string>;
  /** Names in the workspace that were not there before. */
  made: string[];
}

export function openSetups(home: string): Setups {
  const folder = join(home, "setups");
  return { open: (setup) => openSetup(folder, setup) };
}

function openSetup(folder: string, setup: Setup): OpenSetup {
  const { workspace, of, ...rest } = setup;
  const name = digest({ ...rest, workspace, profile: PROFILE, node: process.version, on: `${platform()} ${arch()}` });
  const stampAt = join(folder, `${name}.json`);
  const lastAt = join(folder, `${digest([workspace, of])}.last`);
  let before: string[] = [];
  return {
    doneSince() {
      const last = textOf(lastAt);
      if (last !== undefined && last !== name) return undefined;
      const stamp = stampOf(stampAt);
      if (!stamp || digest(stamp.locks) !== digest(locksOf(workspace))) return undefined;
      const there = new Set(namesIn(workspace));
      return stamp.made.every((each) => there.has(each)) ? stamp.at : undefined;
    },
    begin() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(stampAt, { force: true });
      writeWhole(lastAt, name);
      before = namesIn(workspace);
    },
    succeed() {
      const made = namesIn(workspace).filter((each) => !before.includes(each));
      const stamp: Stamp = { at: new Date().toISOString(), locks: locksOf(workspace), made };
      writeWhole(stampAt, JSON.stringify(stamp));
    },
  };
}

/** Keys in one order, whoever wrote them. */
function digest(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex");
}

/** Path to digest. A lock file that cannot be read plainly counts as changed whenever it is looked at: the setup runs. */
function locksOf(workspace: string): Record<string, string> {
  const found = foldersOf(workspace).flatMap((folder) =>
    namesIn(join(workspace, folder)).flatMap((name) => (LOCKS.has(name) ? [join(folder, name)] : [])),
  );
  return Object.fromEntries(found.map((name) => [name, digestOf(workspace, name)]));
}
function foldersOf(workspace: string): string[] {
  const all = [""];
  let level = [""];
  for (let deep = 1; deep < LEVELS && all.length < FOLDERS_MAX; deep += 1) {
    level = level.flatMap((folder) =>
      entriesOf(join(workspace, folder)).flatMap(({ name, isFolder }) =>
        isFolder && !name.startsWith(".") && !PASSED_OVER.has(name) ? [join(folder, name)] : [],
      ),
    );
    all.push(...level);
  }
  return all.slice(0, FOLDERS_MAX);
}
function digestOf(workspace: string, name: string): string {
  try {
    return createHash("sha256")
      .update(readArtifact(workspace, name, LOCK_BYTES_MAX, "accept"))
      .digest("hex");
  } catch {
    return `unreadable ${randomBytes(8).toString("hex")}`;
  }
}
function entriesOf(folder: string): { name: string; isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(), // not where a link leads
    }));
  } catch {
    return [];
  }
}
const namesIn = (folder: string): string[] => entriesOf(folder).map(({ name }) => name);

function stampOf(path: string): Stamp | undefined {
  const text = textOf(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Stamp; // ours: written whole or not at all
  } catch {
    return undefined;
  }
}
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
function writeWhole(path: string, text: string) {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = openSync(beside, "wx", 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(beside, path);
}
