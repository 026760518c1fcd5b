// The sandbox of one visit: a container for each command, and one judgement of the mounts each.
import type { Child, SandboxPlan, SandboxTask, Session } from "../../../ports/sandbox.js";
import { mustHaveSpace } from "../disk-floor.js";
import { fault, guardFault } from "../faults.js";
import { mountPlan } from "../mounts.js";
import { type Owner, ownerOf } from "../owner.js";
import type { Toolchain } from "../toolchain.js";
import { type Answered, type DockerApi, messageOf } from "./api.js";
import { DockerChild } from "./child.js";
import { containerOf } from "./container.js";
import type { Image } from "./image.js";
import { ownMark } from "./mark.js";

export interface Means {
  api: DockerApi;
  version: string;
  image: Image;
  toolchain: Toolchain | undefined;
  seccomp: string;
}

export class DockerSession implements Session {
  readonly profile: string;
  private readonly living = new Set<DockerChild>();

  constructor(
    private readonly plan: SandboxPlan,
    private readonly means: Means,
  ) {
    this.profile = `docker ${means.version}, image ${means.image.digest}`;
  }

  async start(task: SandboxTask): Promise<Child> {
    const { plan, means } = this;
    mustBePlain(task);
    await mustHaveSpace(plan);
    const { mounts, release } = mountPlan(plan);
    let id: string | undefined;
    const bury = async () => {
      if (id) await means.api.ask("DELETE", `/containers/${id}?force=1&v=1`).catch(() => undefined);
      release();
    };
    try {
      const user = ownerOf(plan) ?? self();
      const order = { ...means, plan, task, mounts, user, owner: ownMark() };
      id = await this.create(containerOf(order));
      return await this.launch(id, task, bury);
    } catch (error) {
      await bury();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.living) child.stop("cancelled");
    await Promise.all([...this.living].map(({ ended }) => ended));
  }

  private async create(body: object): Promise<string> {
    const answer = await this.means.api.ask("POST", "/containers/create", { body });
    const { Id, Warnings } = Object(answer.json) as { Id?: unknown; Warnings?: unknown }; // looked at below
    if (answer.status >= 400 || typeof Id !== "string") throw this.refused(answer);
    const ignored = Array.isArray(Warnings)
      ? Warnings.map(String).find((text) => /limit|cgroup|swap|pids/i.test(text))
      : undefined;
    if (ignored !== undefined && this.plan.isolation.require.memory === undefined) {
      await this.means.api.ask("DELETE", `/containers/${Id}?force=1&v=1`);
      throw fault(
        "sbx-no-limits",
        `the Docker engine does not keep a cap: "${ignored.slice(0, 300)}"`,
        "run Docker as root or on a system with cgroup v2, or write `require: {memory: process}` in `isolation:`, which is recorded",
      );
    }
    return Id;
  }

  /** Attached and waited for before the start: else the first words of a quick command are lost. */
  private async launch(id: string, task: SandboxTask, bury: () => Promise<void>): Promise<Child> {
    const { api } = this.means;
    const { socket, head } = await api.attach(id);
    const waiting = new AbortController();
    const waited = api.call("POST", `/containers/${id}/wait?condition=next-exit`, {
      timeoutMs: Number.POSITIVE_INFINITY,
      signal: waiting.signal,
    });
    waited.catch(() => undefined); // whoever waits hears of it
    const begun = await api.ask("POST", `/containers/${id}/start`);
    if (begun.status >= 400) {
      waiting.abort();
      socket.destroy();
      throw this.refused(begun);
    }
    const { workspace, isolation: caps } = this.plan;
    const child = new DockerChild({ api, id, socket, head, waited, task, workspace, caps, bury });
    this.living.add(child);
    void child.ended.then(() => this.living.delete(child));
    return child;
  }

  private refused(answer: Answered) {
    const said = messageOf(answer);
    for (const { pattern, code, mend } of REFUSALS)
      if (pattern.test(said)) return fault(code, `the Docker engine says: ${said}`, mend);
    return fault(
      "sbx-engine",
      `the Docker engine did not start the command: ${said}`,
      "`pawl doctor`; look at the engine's log",
    );
  }
}

const REFUSALS = [
  {
    pattern: /no such image/i,
    code: "sbx-image-missing",
    mend: "`pawl doctor` makes or names the image; a named one: `docker pull NAME`",
  },
  {
    pattern: /bind source path does not exist|mounts denied|not shared/i,
    code: "sbx-mount",
    mend: "share the folder in Docker Desktop's settings; an engine on another machine cannot work: unset DOCKER_HOST",
  },
  {
    pattern: /executable file not found|no such file or directory.*exec|exec format error|permission denied.*exec/i,
    code: "sbx-image-unfit",
    mend: "name an image that has the program, or add it in the image's Dockerfile: `RUN apt-get install …`",
  },
  {
    pattern: /cgroup|limit.*(?:not supported|minimum)|rlimit/i,
    code: "sbx-no-limits",
    mend: "raise the cap in `isolation:`, or run Docker as root or on a system with cgroup v2",
  },
];

const NOBODY = 65_534;
function self(): Owner {
  return { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY }; // Windows has no such numbers
}
function mustBePlain({ argv, env }: SandboxTask) {
  if (argv.length === 0) throw fault("sbx-engine", "there is no command to start", "report this as a bug");
  const broken = [...argv, ...Object.entries(env).flat()].find((word) => word.includes("\0"));
  if (broken !== undefined)
    throw guardFault(
      `a path or a variable for the sandbox holds a NUL byte: "${broken.replaceAll("\0", "\\0").slice(0, 80)}"`,
    );
}
