// The label of a container: which Pawl opened it, so that the living keep theirs and what the dead left is swept.
import { readFileSync } from "node:fs";
import { isGone, startOf } from "../processes.js";

let own: string | undefined;
export function ownMark(): string {
  own ??= `${bootId()} ${process.pid} ${startOf(process.pid) ?? "unknown"}`;
  return own;
}
/** Of another boot or another machine: everybody who was there is gone, or none of ours. */
export function isLeft(mark: string): boolean {
  const [boot, pid, startedAt] = mark.split(" ");
  if (!pid || !/^\d+$/.test(pid)) return false;
  return boot !== bootId() || isGone(Number(pid), startedAt);
}
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "no-boot-id";
  }
}
