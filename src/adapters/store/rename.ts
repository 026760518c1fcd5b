// Moves what lies in the folder of one job into that of another, name by name: nothing is overwritten, and after a kill it is gone on with.
import { lstatSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { FailPoint } from "../../ports/fail-points.js";
import { codeOf } from "./disk.js";
import { openFolder } from "./folders.js";

/** `from` and `to` are the folders' parts below `root`. Returns the names that are there already and so stay where they are. */
export function renameFolder(root: string, from: string[], to: string[], at: FailPoint): string[] {
  if (lstatSync(join(root, ...from), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  at("rename:before");
  const left = moveAll(root, from, to, at);
  removeEmpty(root, from);
  at("rename:after");
  return left;
}

function moveAll(root: string, from: string[], to: string[], at: FailPoint): string[] {
  const source = openFolder(root, from);
  try {
    const target = openFolder(root, to);
    try {
      const names = readdirSync(source.path).sort(recordsLast);
      return names.filter((name) => {
        if (lstatSync(join(target.path, name), { throwIfNoEntry: false }) !== undefined) return true;
        renameSync(join(source.path, name), join(target.path, name));
        at("rename:file");
        return false;
      });
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

/** A run is found by its record, and so in one place at any time; the files beside it come before it. */
function recordsLast(a: string, b: string): number {
  return Number(isRecord(a)) - Number(isRecord(b)) || (a < b ? -1 : 1);
}
const isRecord = (name: string): boolean => name.endsWith(".json") && !name.endsWith(".flow.json");

function removeEmpty(root: string, parts: string[]): void {
  const above = openFolder(root, parts.slice(0, -1));
  try {
    rmdirSync(join(above.path, parts.at(-1) ?? ""));
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error))) throw error; // what stays there is said
  } finally {
    above.close();
  }
}
