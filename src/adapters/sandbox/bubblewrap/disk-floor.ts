// Watches the free space below a folder: nothing caps a bind mount, so a step is stopped before the disk is full.
import { statfs } from "node:fs/promises";

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
