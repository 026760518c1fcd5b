// The bubblewrap engine: namespaces of the kernel, no daemon, no image; dies with the Pawl that started it.
import type { EngineReport, Sandbox, SandboxPlan, Session } from "../../../ports/sandbox.js";
import { fault } from "../faults.js";
import { probe } from "../probe.js";
import { filterFor, isProcessor } from "../seccomp.js";
import { toolchain } from "../toolchain.js";
import { Cgroups } from "./cgroup1.js";
import { subjectOf } from "./probe.js";
import { BubblewrapSession, type Means } from "./session.js";

export interface BubblewrapOptions {
  /** Name or path of the program. */
  program?: string;
  /** Where cgroup v1 is mounted. */
  cgroupRoot?: string;
}

export class Bubblewrap implements Sandbox {
  readonly engine = "bubblewrap";
  private readonly program: string;
  private readonly cgroups: Cgroups;
  private found?: Means;
  private version?: string;

  constructor({ program = "bwrap", cgroupRoot }: BubblewrapOptions = {}) {
    this.program = program;
    this.cgroups = new Cgroups(cgroupRoot);
  }

  async probe(signal: AbortSignal): Promise<EngineReport> {
    const report = await probe(subjectOf(this, this.program, this.cgroups.usable()), signal);
    if (report.version) this.version = report.version;
    return report;
  }
  async open(plan: SandboxPlan, signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    return new BubblewrapSession(plan, { ...this.means(), ...(this.version && { version: this.version }) });
  }
  async sweep(): Promise<void> {
    await this.cgroups.sweep();
  }

  private means(): Means {
    this.found ??= {
      program: this.program,
      cgroups: this.cgroups,
      toolchain: toolchain(),
      filter: filterFor(processorHere()),
    };
    return this.found;
  }
}

function processorHere() {
  if (process.platform === "linux" && isProcessor(process.arch)) return process.arch;
  throw fault(
    "sbx-arch",
    `bubblewrap is for Linux on x64 and arm64; this is ${process.platform} on ${process.arch}`,
    "run Pawl in a Linux virtual machine, with the code inside it",
  );
}
