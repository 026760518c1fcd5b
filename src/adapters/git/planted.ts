// Hooks that came or changed while Pawl was at work. We run none of them, but the user's own git would.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../core/model.js";
import { cleanLine } from "../files/text.js";

/** Larger hooks are known by their size. */
const HOOK_BYTES_MAX = 1 << 20;

/** Executable hooks by name, each with a digest. */
export function hooksIn(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names(folder)) {
    if (name.endsWith(".sample")) continue;
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat || stat.isDirectory()) continue;
    if (stat.isSymbolicLink() || !stat.isFile()) found[name] = "link";
    else if ((stat.mode & 0o111) !== 0)
      found[name] =
        stat.size > HOOK_BYTES_MAX ? `${stat.size}` : createHash("sha256").update(readFileSync(path)).digest("hex");
  }
  return found;
}

export function plantedHooks(folder: string, before: Record<string, string>): Finding[] {
  return Object.entries(hooksIn(folder))
    .filter(([name, digest]) => before[name] !== digest)
    .map(([name]) => {
      const what = before[name] === undefined ? "appeared" : "changed";
      const text = `the git hook "${cleanLine(name)}" ${what} since Pawl started; your own git would run it`;
      return { text, where: join(folder, name), severity: "error" };
    });
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
