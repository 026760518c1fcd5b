// The options of bubblewrap, in the order that is part of the wall. They go through a descriptor, NUL-separated: a command line, and
// so every secret of `--setenv`, is shown by `ps` to every user.
import { existsSync } from "node:fs";
import { guardFault } from "../faults.js";
import type { Mount } from "../mounts.js";
import { COVER_BYTES, type Toolchain } from "../toolchain.js";

/** Where the child finds what we write, and where it answers. */
export const FD = { options: 3, filter: 4, status: 5, hosts: 6 } as const;
/** A loopback without its name would fail every suite that has a server. Names of the host's network stay out. */
export const HOSTS = "127.0.0.1 localhost sandbox\n";
const KERNEL_FILES = ["sys", "irq", "bus", "fs", "sysrq-trigger", "acpi", "scsi"];

export interface Profile {
  toolchain: Toolchain;
  mounts: Mount[];
  env: Record<string, string>;
  cwd: string;
  scratchBytes: number;
}

export function optionBytes(profile: Profile): Buffer {
  const words = options(profile);
  const broken = words.find((word) => word.includes("\0"));
  if (broken !== undefined)
    // it would end its option and begin the next: `--bind / /` from an environment value
    throw guardFault(
      `a path or a variable for the sandbox holds a NUL byte: "${broken.replaceAll("\0", "\\0").slice(0, 80)}"`,
    );
  return Buffer.from(words.map((word) => `${word}\0`).join(""));
}

function options({ toolchain, mounts, env, cwd, scratchBytes }: Profile): string[] {
  const size = String(Math.max(scratchBytes, COVER_BYTES));
  const words = ["--unshare-all", "--unshare-user", "--disable-userns"]; // the two extra words fail closed; "all" only tries
  words.push("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv");
  for (const [name, value] of Object.entries(env)) words.push("--setenv", name, value);
  for (const path of toolchain.folders) words.push("--ro-bind", path, path);
  for (const { path, to } of toolchain.links) words.push("--symlink", to, path);
  for (const path of toolchain.settings) words.push("--ro-bind-try", path, path);
  words.push("--ro-bind-data", String(FD.hosts), "/etc/hosts", "--proc", "/proc");
  for (const path of kernelFiles()) words.push("--ro-bind", path, path); // right after --proc: else core_pattern is root's to write
  words.push("--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp");
  words.push("--dir", "/tmp/home", "--dir", "/run", "--dir", "/var/tmp");
  for (const mount of mounts) {
    if (mount.kind === "empty") words.push("--size", String(COVER_BYTES), "--tmpfs", mount.target);
    else words.push(mount.write ? "--bind" : "--ro-bind", mount.target, mount.target);
  }
  words.push("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd, "--seccomp", String(FD.filter));
  return words;
}

let found: string[] | undefined;
function kernelFiles(): string[] {
  found ??= KERNEL_FILES.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
  return found;
}
