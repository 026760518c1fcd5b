// What is asked of the Docker engine for one command: the mounts of the plan, the caps, and everything that a container could have and
// must not.
import { existsSync, readFileSync } from "node:fs";
import type { SandboxPlan, SandboxTask } from "../../../ports/sandbox.js";
import { environmentOf } from "../environment.js";
import { guardFault } from "../faults.js";
import type { Mount } from "../mounts.js";
import type { Owner } from "../owner.js";
import { COVER_BYTES, PATH, type Toolchain } from "../toolchain.js";
import type { Image } from "./image.js";

export interface Order {
  plan: SandboxPlan;
  task: SandboxTask;
  mounts: Mount[];
  image: Image;
  toolchain: Toolchain | undefined;
  seccomp: string;
  user: Owner;
  owner: string;
}
interface DockerMount {
  Type: "bind" | "tmpfs";
  Source?: string;
  Target: string;
  ReadOnly?: boolean;
  BindOptions?: { Propagation: "rprivate" };
  TmpfsOptions?: { SizeBytes: number };
}

export function containerOf({ plan, task, mounts, image, toolchain, seccomp, user, owner }: Order): object {
  const { isolation } = plan;
  const path = toolchain?.path ?? image.path ?? PATH;
  const env = environmentOf(plan, task, path);
  const scratch = (more: string) => `rw,nosuid,nodev,${more},size=${isolation.scratchBytes},mode=1777`;
  return {
    Image: image.id,
    Entrypoint: task.argv, // the image's own would come in between
    Cmd: [],
    WorkingDir: task.cwd,
    Hostname: "sandbox",
    User: `${user.uid}:${user.gid}`,
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Healthcheck: { Test: ["NONE"] },
    Labels: { "dev.pawl.run": plan.run, "dev.pawl.owner": owner },
    ...{ AttachStdin: true, OpenStdin: true, StdinOnce: true, AttachStdout: true, AttachStderr: true, Tty: false },
    HostConfig: {
      Init: true, // a command that is the first process neither hears TERM nor buries orphans
      NetworkMode: "none",
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${seccomp}`],
      IpcMode: "none", // as root the default leaves 64 MB of shared scratch
      AutoRemove: false,
      LogConfig: { Type: "none" }, // else the engine keeps every byte on disk
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
      Memory: isolation.memoryBytes,
      MemorySwap: isolation.memoryBytes,
      PidsLimit: isolation.processes,
      NanoCpus: Math.round(isolation.cpus * 1e9),
      Mounts: [...borrowed(toolchain), ...mounts.map(mountOf)],
      Tmpfs: {
        ...Object.fromEntries(image.volumes.map((volume) => [volume, scratch("exec")])),
        "/tmp": scratch("exec"), // noexec unless told
        "/dev/shm": scratch("noexec"), // without an IPC namespace of its own it would be absent, and browsers need it
      },
    },
  };
}

/** Never `Binds`: these split at ":" and make what is missing, as root. */
function mountOf(mount: Mount): DockerMount {
  if (mount.kind === "empty") return { Type: "tmpfs", Target: mount.target, TmpfsOptions: { SizeBytes: COVER_BYTES } };
  if (!mount.write) mustHaveNoneBelow(mount.target);
  return bind(mount.target, mount.write);
}
const bind = (path: string, write: boolean): DockerMount => ({
  Type: "bind",
  Source: path,
  Target: path,
  ReadOnly: !write,
  BindOptions: { Propagation: "rprivate" },
});
const borrowed = (toolchain: Toolchain | undefined): DockerMount[] =>
  (toolchain?.borrowed ?? []).filter((path) => existsSync(path)).map((path) => bind(path, false));

/** A read-only bind does not reach the mounts below its source: these would stay writable. */
function mustHaveNoneBelow(path: string) {
  if (!existsSync("/proc/self/mountinfo")) return; // not Linux: the engine's machine is another, and shares no such mounts
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const below = lines.map((line) => unescaped(line.split(" ")[4] ?? "")).find((at) => at.startsWith(`${path}/`));
  if (below !== undefined)
    throw guardFault(
      `"${path}" is to be read-only and has another mount below it, "${below}", which would stay writable`,
    );
}
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
