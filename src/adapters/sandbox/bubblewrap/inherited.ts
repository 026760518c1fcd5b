// What our own parent left open without close-on-exec would reach the sandbox. "ignore" above descriptor 2 leaves it open: put
// /dev/null over it.

import type { StdioOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

export type Stdio = Exclude<StdioOptions, string>;

/** @param nothing a descriptor of /dev/null */
export function coverInherited(stdio: Stdio, nothing: number): Stdio {
  for (const fd of inherited(stdio.length)) {
    while (stdio.length < fd) stdio.push("ignore"); // closed on exec: nothing to cover
    stdio[fd] = nothing;
  }
  return stdio;
}

function inherited(from: number): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd >= from && reachesChildren(fd))
    .sort((a, b) => a - b);
}

function reachesChildren(fd: number): boolean {
  try {
    const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // the one that read the folder, gone by now
  }
}
