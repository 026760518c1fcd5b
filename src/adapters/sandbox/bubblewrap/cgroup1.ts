// Caps on the sum of what a command and its children take, where cgroup v1 can be written (root).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fault } from "../faults.js";
import type { Caps, Reached } from "../outcome.js";
import { isGone, startOf } from "../processes.js";

const CONTROLLERS = ["pids", "memory", "cpu"] as const;
type Controller = (typeof CONTROLLERS)[number];
const PERIOD_US = 100_000;
/** Tries to remove a group whose last process is on its way out, 5 ms apart. */
const REMOVALS_MAX = 200;

export class Cgroups {
  private count = 0;
  private readonly owner = `${process.pid}-${startOf(process.pid)}`;
  constructor(private readonly root = "/sys/fs/cgroup") {}

  usable(): boolean {
    return process.getuid?.() === 0 && CONTROLLERS.every((name) => existsSync(join(this.root, name, "cgroup.procs")));
  }
  /** Throws a FaultError `sbx-no-limits` when a cap, read back, is not what was asked. */
  make(caps: Caps): Cgroup {
    this.count += 1;
    return new Cgroup(this.root, `${this.owner}-${this.count}`, caps);
  }
  /** Removes groups whose Pawl is gone, with whoever is left in them. Must not throw. */
  async sweep(): Promise<void> {
    for (const controller of CONTROLLERS) {
      const parent = join(this.root, controller, "pawl");
      for (const name of namesIn(parent)) {
        const [pid, startedAt] = /^(\d+)-(\d+)-\d+$/.exec(name)?.slice(1) ?? [];
        if (pid && isGone(Number(pid), startedAt)) await removeGroup(join(parent, name));
      }
      await rmdir(parent).catch(() => {}); // another run is in it, or it is not there
    }
  }
}

/** One group in each controller, for one command. */
export class Cgroup {
  private readonly folders: string[] = [];

  constructor(
    private readonly root: string,
    private readonly id: string,
    { memoryBytes, processes, cpus }: Caps,
  ) {
    try {
      this.cap("pids", "pids.max", processes);
      this.cap("memory", "memory.limit_in_bytes", memoryBytes);
      this.capSwap(memoryBytes);
      this.cap("cpu", "cpu.cfs_period_us", PERIOD_US);
      this.cap("cpu", "cpu.cfs_quota_us", Math.max(1_000, Math.round(cpus * PERIOD_US)));
    } catch (error) {
      void this.remove();
      throw error;
    }
  }
  /** Words of a shell that moves itself in before it becomes the command: no race, no second process. */
  get enter(): string {
    return this.folders.map((folder) => `echo 0 >${folder}/cgroup.procs && `).join("");
  }
  reached(): Reached {
    return {
      memory: counter(join(this.folder("memory"), "memory.oom_control"), "oom_kill") > 0,
      processes: counter(join(this.folder("pids"), "pids.events"), "max") > 0,
    };
  }
  async remove(): Promise<void> {
    for (const folder of this.folders) {
      await removeGroup(folder);
      await rmdir(dirname(folder)).catch(() => {}); // another command is in it
    }
  }
  private folder(controller: Controller): string {
    return join(this.root, controller, "pawl", this.id);
  }
  private cap(controller: Controller, file: string, value: number) {
    const folder = this.folder(controller);
    const path = join(folder, file);
    try {
      if (!this.folders.includes(folder)) {
        makeFolder(folder);
        this.folders.push(folder);
      }
      writeFileSync(path, String(value));
    } catch (error) {
      throw noLimits(`"${path}" cannot be set to ${value}: ${error instanceof Error ? error.message : String(error)}`);
    }
    const held = Number(readFileSync(path, "utf8"));
    if (held > value || held < value * 0.9) throw noLimits(`"${path}" was set to ${value} and says ${held}`); // the kernel rounds to pages
  }
  /** Memory and swap together. Absent where swap is not accounted for; there the group is told not to swap. */
  private capSwap(memoryBytes: number) {
    const folder = this.folder("memory");
    if (existsSync(join(folder, "memory.memsw.limit_in_bytes")))
      this.cap("memory", "memory.memsw.limit_in_bytes", memoryBytes);
    else this.cap("memory", "memory.swappiness", 0);
  }
}

function noLimits(message: string) {
  return fault(
    "sbx-no-limits",
    message,
    "run where cgroups can be written, or write `require: {memory: process}` in `isolation:`",
  );
}
/** Again when somebody took the empty parent away in between. */
function makeFolder(folder: string, triesLeft = 5) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    if (triesLeft === 0) throw error;
    makeFolder(folder, triesLeft - 1);
  }
}
function counter(path: string, word: string): number {
  try {
    return Number(new RegExp(`^${word} (\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVALS_MAX; tries += 1) {
    const code = await rmdir(folder).then(
      () => "done",
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== "EBUSY") return;
    for (const pid of membersOf(folder)) endProcess(pid);
    await sleep(5);
  }
}
function membersOf(folder: string): number[] {
  try {
    return readFileSync(join(folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
function endProcess(pid: number) {
  if (pid <= 1) return; // 0: somebody of another pid namespace, whom we cannot name
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone by now
  }
}
