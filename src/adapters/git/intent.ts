// The intention to move a branch, on disk before it moves, so that a Pawl after a crash finds its own commit.
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface Intent {
  base: string;
  tree: string;
  commit: string;
  /** sha256 of the wished message, before a hook changed it. */
  message: string;
}

/** Undefined when there is none. A file that is not ours to understand is none: nothing was moved by it. */
export function readIntent(path: string): Intent | undefined {
  let said: unknown;
  try {
    said = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
  if (typeof said !== "object" || said === null) return undefined;
  const { base, tree, commit, message } = { base: "", tree: "", commit: "", message: "", ...said };
  return [base, tree, commit, message].every((one) => typeof one === "string" && /^[0-9a-f]{40,64}$/.test(one))
    ? { base, tree, commit, message }
    : undefined;
}

export function writeIntent(path: string, intent: Intent): void {
  const fresh = `${path}.new`;
  const fd = openSync(fresh, "w", 0o600);
  try {
    writeSync(fd, JSON.stringify(intent));
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
