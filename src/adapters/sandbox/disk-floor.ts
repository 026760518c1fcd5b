// Watches the free space below a folder: nothing caps a bind mount, so a step is stopped before the disk is full.
import { statfs } from "node:fs/promises";
import type { SandboxPlan } from "../../ports/sandbox.js";
import { fault } from "./faults.js";

const LOOK_EVERY_MS = 250;

export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Calls `low` at most once. Returns what ends the watch. */
export function watchDiskFloor(path: string, floorBytes: number, low: () => void): () => void {
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    freeBytes(path).then(
      (free) => {
        looking = false;
        if (free >= floorBytes) return;
        clearInterval(timer);
        low();
      },
      () => clearInterval(timer), // the folder is gone: the next start says so
    );
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Throws a FaultError `sbx-disk`. */
export async function mustHaveSpace({ workspace, isolation: { diskFloorBytes } }: SandboxPlan) {
  const free = await freeBytes(workspace).catch(() => Number.POSITIVE_INFINITY); // gone: the mount plan says so
  if (free < diskFloorBytes)
    throw fault(
      "sbx-disk",
      `${Math.floor(free / 2 ** 20)} MiB are free below "${workspace}"; nothing starts below ${Math.ceil(diskFloorBytes / 2 ** 20)} MiB`,
      "free some space, or lower `disk_floor` in `isolation:`",
    );
}
