// How a message names a place: `"timeout" of step "test"`, `entry 2 of "skills"`, `"required" of check "lint" of validator "tests"`.
import { quote } from "../suggest.js";
import type { Path } from "./file.js";

/** Lists whose entries have a name of their own: what an entry is called, and the key that names it. */
const NAMED: Record<string, [kind: string, key: string]> = {
  steps: ["step", "name"],
  nodes: ["node", "id"],
  validators: ["validator", "tool"],
  checks: ["check", "name"],
  mounts: ["mount", "path"],
};

export function label(path: Path, data: unknown): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  const above = path.slice(0, -1);
  if (typeof last === "number") return labelEntry(above, last, data);
  const owner = above.length === 0 ? "" : ` of ${label(above, data)}`;
  if (above.at(-1) === "agents" && above.length === 1) return `agent ${quote(last)}`;
  return `${quote(last)}${owner}`;
}

function labelEntry(list: Path, index: number, data: unknown): string {
  const named = typeof list.at(-1) === "string" ? NAMED[String(list.at(-1))] : undefined;
  if (!named) return `entry ${index + 1} of ${label(list, data)}`;
  const name = valueAt(data, [...list, index, named[1]]);
  const owner = list.length > 1 ? ` of ${label(list.slice(0, -1), data)}` : "";
  return `${named[0]} ${typeof name === "string" && name.trim() !== "" ? quote(name) : index + 1}${owner}`;
}

export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
    if (!isMap(value)) return undefined;
    return Object.hasOwn(value, key) ? value[key] : undefined;
  }, data);
}

export function isMap(value: unknown): value is { [key: string | number]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
