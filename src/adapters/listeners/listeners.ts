// Who listens on a port, by /proc: sockets in the state LISTEN, and the processes that hold them. Linux; elsewhere `lsof` says it.
import { execFile, execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { promisify } from "node:util";
import { GRACE_MS } from "../../core/limits.js";
import { FaultError } from "../../ports/errors.js";
import type { Listener, Listeners } from "../../ports/listeners.js";
import { attempt, namesIn, textOf } from "../files/look.js";

const PAUSE_MS = 20;

export const systemListeners: Listeners = {
  async on(port) {
    const pids = process.platform === "linux" ? holdersOf(socketsOn(port)) : await byLsof(port);
    const spared = ancestors();
    return pids.filter((pid) => !spared.has(pid)).flatMap((pid) => lookAt(pid) ?? []);
  },
  async end(listener, signal) {
    for (const [kind, waitMs] of [
      ["SIGTERM", GRACE_MS],
      ["SIGKILL", GRACE_MS],
    ] as const) {
      if (!isThere(listener)) return true;
      try {
        process.kill(listener.pid, kind);
      } catch {
        return !isThere(listener); // gone meanwhile, or another user's
      }
      for (let waited = 0; waited < waitMs && isThere(listener) && !signal.aborted; waited += PAUSE_MS)
        await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    return !isThere(listener);
  },
};

/** The number may have gone to another process since we looked. */
const isThere = ({ pid, startedAt }: Listener): boolean => lookAt(pid)?.startedAt === startedAt;

/** Inodes of the sockets that listen on it, in this network namespace. */
function socketsOn(port: number): Set<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const found = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of textOf(table).split("\n").slice(1)) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      if (state === LISTEN && local.endsWith(`:${wanted}`)) found.add(inode);
    }
  }
  return found;
}
const LISTEN = "0A";

function holdersOf(sockets: Set<string>): number[] {
  if (sockets.size === 0) return [];
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => namesIn(`/proc/${pid}/fd`).some((fd) => holds(`/proc/${pid}/fd/${fd}`, sockets)))
    .map(Number);
}

function holds(fd: string, sockets: Set<string>): boolean {
  const [, inode = ""] = /^socket:\[(\d+)\]$/.exec(attempt(() => readlinkSync(fd)) ?? "") ?? [];
  return sockets.has(inode);
}

async function byLsof(port: number): Promise<number[]> {
  try {
    const { stdout } = await promisify(execFile)("lsof", ["-nP", "-t", `-iTCP:${port}`, "-sTCP:LISTEN"]);
    return stdout.split("\n").filter(Boolean).map(Number);
  } catch (error) {
    const { code } = error as { code?: unknown }; // lsof ends with 1 when it found nobody
    if (code === 1) return [];
    throw new FaultError({
      code: "listeners-unknown",
      message: `Nobody here can say who listens on port ${port}: lsof cannot be run`,
      hint: "install lsof, then resume the run",
    });
  }
}

/** This process and who started it. */
function ancestors(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); pid = parentOf(pid)) line.add(pid);
  return line;
}
const parentOf = (pid: number): number => (pid === process.pid ? process.ppid : Number(fieldsOf(pid)[1] ?? 0));

function lookAt(pid: number): Listener | undefined {
  if (process.platform !== "linux") return byPs(pid);
  const fields = fieldsOf(pid);
  const [state] = fields;
  const startedAt = fields[19];
  if (startedAt === undefined || state === "Z" || state === "X") return undefined;
  return { pid, commandLine: textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim(), startedAt };
}

/** The start is a text of 24 characters, and the command line what follows. */
function byPs(pid: number): Listener | undefined {
  const asked = ["-o", "lstart=", "-o", "command=", "-p", String(pid)];
  const said = attempt(() => execFileSync("ps", asked, { encoding: "utf8" }))?.trim();
  return said ? { pid, commandLine: said.slice(24).trim(), startedAt: said.slice(0, 24) } : undefined;
}

/** What stands behind the name, which may hold anything. */
function fieldsOf(pid: number): string[] {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
