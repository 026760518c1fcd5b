// People's files in the work tree, for setting up: no link is followed on the way, and a file is replaced whole or not at all.
import { chmodSync, lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import { FaultError, Refusal } from "../../ports/errors.js";
import type { Found, Ground, ShippedSkill } from "../../ports/ground.js";
import { ArtifactFault, readArtifact, WHY } from "../files/safe-read.js";
import { codeOf, diskFault, replaceDurably } from "./disk.js";
import { InTheWay, openFolder } from "./folders.js";
import { thisMachine } from "./machine.js";

/** Skills of the package, and files of one skill. */
const SKILLS_MAX = 500;
const SKILL_FILES_MAX = 100;

/** `bundled` holds the folder `skills` of the package. */
export function openGround({ workspace, bundled }: { workspace: string; bundled: string }): Ground {
  const root = realpathSync(workspace);
  const look = (path: string): Found => lookAt(root, path, "refuse");
  return {
    look,
    isThere: (path) => isThere(join(root, path)),
    replace(path, before, after) {
      const found = look(path);
      if (found && "trouble" in found) throw changed(path, found.trouble);
      if (found?.text !== before) throw changed(path, "was changed meanwhile");
      try {
        if (after === undefined) remove(root, path);
        else write(root, path, after);
      } catch (error) {
        throw troubleOf(error, path);
      }
    },
    shippedSkills: () => shippedSkills(bundled),
  };
}

function lookAt(root: string, path: string, hardLinks: "refuse" | "accept"): Found {
  try {
    const bytes = readArtifact(root, path, ARTIFACT_BYTES_MAX, hardLinks);
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { trouble: "is not text in UTF-8" };
    if (!(error instanceof ArtifactFault)) throw diskFault(error, "read", path);
    if (error.code !== "artifact-missing") return troubleAt(root, path, WHY[error.code]);
    return wrongAbove(root, path);
  }
}

/** Missing is not enough: a folder above it may be a link or a file. */
function wrongAbove(root: string, path: string): Found {
  const parts = path.split("/").slice(0, -1);
  for (const [index] of parts.entries()) {
    const folder = parts.slice(0, index + 1).join("/");
    const stat = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isDirectory()) return { trouble: `lies below "${folder}", which is a link or a file` };
  }
  return undefined;
}

function troubleAt(root: string, path: string, trouble: string): Found {
  if (!lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink())
    return wrongAbove(root, path) ?? { trouble };
  try {
    const way = relative(root, realpathSync(join(root, path)));
    if (!way.startsWith("..")) return { trouble: `is a link to "${way}"`, leadsTo: way };
  } catch {
    // leads nowhere
  }
  return { trouble: "is a link that leads out of the repository, or nowhere" };
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function write(root: string, path: string, text: string): void {
  const [folders, name] = partsOf(path);
  const folder = openFolder(root, folders);
  try {
    const whole = join(folder.path, name);
    const before = lstatSync(whole, { throwIfNoEntry: false });
    if (before && !before.isFile()) throw new InTheWay(`"${path}" is no plain file`);
    replaceDurably(whole, text, thisMachine().token());
    if (before && (before.mode & 0o7777) !== (lstatSync(whole).mode & 0o7777)) chmodSync(whole, before.mode & 0o7777);
  } finally {
    folder.close();
  }
}

function remove(root: string, path: string): void {
  const [folders, name] = partsOf(path);
  const folder = openFolder(root, folders);
  try {
    rmSync(join(folder.path, name), { force: true });
  } finally {
    folder.close();
  }
  for (let length = folders.length; length > 0; length--) {
    try {
      rmdirSync(join(root, ...folders.slice(0, length)));
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"].includes(codeOf(error))) return; // others live there
      throw error;
    }
  }
}

function partsOf(path: string): [string[], string] {
  const parts = path.split("/");
  if (parts.some((part) => ["", ".", "..", ".git"].includes(part)))
    throw new InTheWay(`"${path}" is no path of the work tree`);
  return [parts.slice(0, -1), parts.at(-1) ?? ""];
}

const changed = (path: string, why: string): Refusal =>
  new Refusal("setup-changed", `"${path}" is not written: it ${why}`, "look at it, then ask again: pawl init", 3);

function troubleOf(error: unknown, path: string): unknown {
  if (error instanceof InTheWay) return changed(path, `cannot be reached: ${error.message}`);
  return error instanceof Refusal || error instanceof FaultError ? error : diskFault(error, "write", path);
}

/** Package managers make hard links, so they are read there. What is no text or too big is not shipped to repositories. */
function shippedSkills(bundled: string): ShippedSkill[] {
  const folder = join(bundled, "skills");
  const names = namesIn(folder).filter((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name));
  return names.slice(0, SKILLS_MAX).flatMap((slug) => {
    const files = filesBelow(join(folder, slug), "")
      .slice(0, SKILL_FILES_MAX)
      .flatMap((path) => {
        const found = lookAt(bundled, `skills/${slug}/${path}`, "accept");
        return found && "text" in found ? [[path, found.text] as const] : [];
      });
    const texts = Object.fromEntries(files);
    return texts["SKILL.md"] === undefined ? [] : [{ slug, files: texts }];
  });
}

function filesBelow(folder: string, above: string): string[] {
  const depth = above.split("/").length;
  if (depth > 5) return []; // a skill is a small folder
  return namesIn(join(folder, above)).flatMap((name) => {
    const path = above === "" ? name : `${above}/${name}`;
    const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) return filesBelow(folder, path);
    return stat?.isFile() ? [path] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}
