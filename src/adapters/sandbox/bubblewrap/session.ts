// The sandbox of one visit: starts commands in it, one judgement of the mounts each.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Child, SandboxPlan, SandboxTask, Session } from "../../../ports/sandbox.js";
import { mustHaveSpace } from "../disk-floor.js";
import { environmentOf } from "../environment.js";
import { fault } from "../faults.js";
import { mountPlan } from "../mounts.js";
import { type Owner, ownerOf } from "../owner.js";
import type { Toolchain } from "../toolchain.js";
import { FD, HOSTS, optionBytes } from "./arguments.js";
import type { Cgroup, Cgroups } from "./cgroup1.js";
import { SandboxedChild } from "./child.js";
import { coverInherited } from "./inherited.js";

export interface Means {
  program: string;
  /** As the probe found it. */
  version?: string;
  cgroups: Cgroups;
  toolchain: Toolchain;
  filter: Buffer;
}

/** bubblewrap's own environment: PID 1 inside keeps it, and it is readable there. */
const BARE_ENV = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin" };

export class BubblewrapSession implements Session {
  readonly profile: string;
  private readonly living = new Set<SandboxedChild>();
  private readonly tidying = new Set<Promise<void>>();

  constructor(
    private readonly plan: SandboxPlan,
    private readonly means: Means,
  ) {
    this.profile = means.version ? `bubblewrap ${means.version}` : "bubblewrap";
  }

  async start(task: SandboxTask): Promise<Child> {
    const { plan } = this;
    if (task.argv.length === 0) throw fault("sbx-engine", "there is no command to start", "report this as a bug");
    await mustHaveSpace(plan);
    const { mounts, release } = mountPlan(plan);
    let group: Cgroup | undefined;
    try {
      const owner = ownerOf(plan);
      const { toolchain, cgroups } = this.means;
      const env = environmentOf(plan, task, toolchain.path);
      const { scratchBytes } = plan.isolation;
      const options = optionBytes({ toolchain, mounts, env, cwd: task.cwd, scratchBytes });
      group = cgroups.usable() ? cgroups.make(plan.isolation) : undefined;
      return this.keep(this.spawn(task, options, group, owner), task, release, group);
    } catch (error) {
      release();
      if (group) await group.remove();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.living) child.stop("cancelled");
    await Promise.all([...this.living].map(({ ended }) => ended));
    await Promise.all(this.tidying);
  }

  private spawn(task: SandboxTask, options: Buffer, group: Cgroup | undefined, owner: Owner | undefined): ChildProcess {
    const { program, filter } = this.means;
    const inside = group ? task.argv : [...processCaps(this.plan), ...task.argv];
    const words = [program, "--args", String(FD.options), "--json-status-fd", String(FD.status), "--", ...inside];
    const command = owner ? [...asOwner(owner), ...words] : words;
    const [file = program, ...rest] = group ? ["/bin/sh", "-c", `${group.enter}exec "$@"`, "sh", ...command] : command;
    const nothing = openSync("/dev/null", "r");
    try {
      const stdio = coverInherited(
        [0, 1, 2, ...Object.values(FD)].map(() => "pipe" as const),
        nothing,
      );
      const child = spawn(file, rest, { env: BARE_ENV, cwd: "/", stdio, detached: true });
      for (const fd of Object.values(FD)) writable(child, fd).on("error", () => {}); // it may be gone before it has read
      writable(child, FD.filter).end(filter);
      writable(child, FD.options).end(options);
      writable(child, FD.hosts).end(HOSTS);
      return child;
    } finally {
      closeSync(nothing);
    }
  }

  private keep(process: ChildProcess, task: SandboxTask, release: () => void, group: Cgroup | undefined): Child {
    const { plan, living, tidying } = this;
    const child: SandboxedChild = new SandboxedChild({
      process,
      stdin: writable(process, 0),
      stdout: readable(process, 1),
      stderr: readable(process, 2),
      status: readable(process, FD.status),
      program: this.means.program,
      task,
      workspace: plan.workspace,
      diskFloorBytes: plan.isolation.diskFloorBytes,
      caps: plan.isolation,
      reached: () => group?.reached() ?? { memory: false, processes: false },
      buried: () => {
        living.delete(child);
        release();
        const tidy = (group?.remove() ?? Promise.resolve()).finally(() => tidying.delete(tidy));
        tidying.add(tidy);
      },
    });
    living.add(child);
    return child;
  }
}

function asOwner({ uid, gid }: Owner): string[] {
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--"];
}

/** Without a cgroup, set inside: there the kernel counts the processes of this user namespace only, so that a step is capped and not
 *  the user (for uid 0 it caps nothing). `data` caps each process, not the sum; address space would break WebAssembly. */
function processCaps({ isolation }: SandboxPlan): string[] {
  return ["/usr/bin/prlimit", `--nproc=${isolation.processes}`, `--data=${isolation.memoryBytes}`, "--"];
}

// Every descriptor of FD and 0 to 2 is a "pipe", which Node opens both ways; its type knows five of them only.
function pipe(child: ChildProcess, fd: number): unknown {
  return (child.stdio as unknown[])[fd];
}
function writable(child: ChildProcess, fd: number): Writable {
  return pipe(child, fd) as Writable;
}
function readable(child: ChildProcess, fd: number): Readable {
  return pipe(child, fd) as Readable;
}
