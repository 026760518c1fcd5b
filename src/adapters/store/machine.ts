// What a lock has to know about this machine: who we are, who lives, what time it is. Tests bring their own.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface Machine {
  pid: number;
  /** Another one after every start of the machine; "" where it cannot be told. */
  bootId: string;
  host: string;
  /** The space process numbers are counted in (a container has its own); "" where it cannot be told. */
  pidSpace: string;
  /** When a living process began; "" when it lives and the time cannot be told; undefined when it is gone or a zombie. */
  startTimeOf(pid: number): string | undefined;
  now(): string;
  /** Unguessable, fit for a file name. */
  token(): string;
  /** Must be atomic and fail with EEXIST. File systems without links are served by an exclusive create. */
  link(from: string, to: string): void;
}

export function thisMachine(): Machine {
  fixed ??= {
    bootId: textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    host: hostname(),
    pidSpace: textOf(() => readlinkSync("/proc/self/ns/pid")),
    began: startTimeOf(process.pid),
  };
  const { began, ...same } = fixed;
  return {
    pid: process.pid,
    ...same,
    startTimeOf: (pid) => (pid === process.pid ? began : startTimeOf(pid)),
    now: () => new Date().toISOString(),
    token: () => randomBytes(9).toString("hex"),
    link: linkSync,
  };
}

/** What stays as it is while this process lives: the kernel takes long to tell. */
let fixed: (Pick<Machine, "bootId" | "host" | "pidSpace"> & { began: string | undefined }) | undefined;

/** /proc where there is one; signal 0 where there is not, or where it hides the processes of other users. */
export function startTimeOf(pid: number): string | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === "") return answersSignals(pid) ? "" : undefined;
  // The name in brackets may itself hold spaces and brackets: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it lives and belongs to somebody else
  }
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
