// A way down into a folder other people can write to: no step of it follows a link, and none can be swapped under us.
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./disk.js";

/** A folder that is open. `path` reaches what was opened, whatever is put in its place meanwhile. */
export interface OpenFolder {
  path: string;
  /** Is what was opened still what stands at that place, with no link on the way? */
  isInPlace(): boolean;
  close(): void;
}
/** Something stands in the way; the text says what. */
export class InTheWay extends Error {}

/** Opens `root/parts…`, making what is missing. `root` itself is trusted. Throws InTheWay at a link or a file. */
export function openFolder(root: string, parts: string[]): OpenFolder {
  return HAS_DESCRIPTORS ? openBySteps(root, parts) : openByPath(root, parts);
}

let kept: { place: string; folder: OpenFolder } | undefined;

/** The same for who comes again and again: the last one stays open and is looked for anew when it is not in its place any more. Valid
 *  until the next call; not to be closed. `root` is its own realpath. */
export function keptFolder(root: string, parts: string[]): OpenFolder {
  const place = join(root, ...parts);
  if (kept?.place === place && kept.folder.isInPlace()) return kept.folder;
  kept?.folder.close();
  kept = undefined;
  const folder = openFolder(root, parts);
  kept = { place, folder };
  return folder;
}

// /proc/self/fd/<n>/<name> is what openat() is in C: the name is looked up in the folder that is open.
const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

function openBySteps(root: string, parts: string[]): OpenFolder {
  let fd = openSync(root, O_RDONLY | O_DIRECTORY);
  try {
    for (const [index, part] of parts.entries()) {
      const next = openStep(`/proc/self/fd/${fd}/${part}`, join(root, ...parts.slice(0, index + 1)));
      closeSync(fd);
      fd = next;
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const path = `/proc/self/fd/${fd}`;
  const place = join(root, ...parts);
  return { path, isInPlace: () => whereIs(path) === place, close: () => closeSync(fd) };
}

/** The kernel's own word: the real path of what is open, by which no link leads; something else once it was moved or deleted. */
function whereIs(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor);
  } catch {
    return undefined;
  }
}

function openStep(path: string, shown: string): number {
  const open = () => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (existsSync(path)) return open(); // nearly always: making what is there costs more than looking
    makeOne(path);
    return open();
  } catch (error) {
    if (["ELOOP", "ENOTDIR"].includes(codeOf(error)))
      throw new InTheWay(`${shown} is a link or a file where a folder must be`);
    throw error;
  }
}

function openByPath(root: string, parts: string[]): OpenFolder {
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    makeOne(path);
    if (!lstatSync(path).isDirectory()) throw new InTheWay(`${path} is a link or a file where a folder must be`);
  }
  return { path, isInPlace: () => false, close: () => undefined };
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
