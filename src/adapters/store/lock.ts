// One writer per run: numbered lock files in its folder. Nothing here waits for a lock; it is taken or refused.
// L1 lock-<n> is made in one step with its contents, and only after lock-<n-1> was free or its owner proven dead.
// L2 The highest lock file is never removed, only marked free: a number comes once, and who makes one late sees that it is.
// L3 Before each write the holder looks: its own file stands there with its token, and no lock-<n+1>.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../../ports/errors.js";
import type { Holder } from "../../ports/store.js";
import { codeOf, discard, diskFault, replaceQuickly, writeNew } from "./disk.js";
import type { Machine } from "./machine.js";
import { type Owner, ownerOf, textOfOwner, whyDead } from "./owner.js";

/** Others may win this often before we give up. */
const ROUNDS_MAX = 50;
/** A lock file that cannot be read may be half written; after this it is the leftover of a crash. */
const SETTLE_MS = 1_000;
const SETTLE_STEP_MS = 50;

export interface Lock {
  readonly fence: number;
  /** Why the former holder lost it, when it had not let go. */
  readonly tookOver: string | undefined;
  /** Must throw a Refusal ("fenced") when the lock was lost. */
  check(): void;
  isHeld(): boolean;
  release(): void;
}

/** Refusal "locked", naming the holder, while the holder lives or cannot be proven dead. */
export async function takeLock(folder: string, run: string, machine: Machine): Promise<Lock> {
  try {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await settled(folder);
      const tookOver = mayFollow(before, folder, run, machine);
      const lock = makeLock(folder, run, before.fence + 1, tookOver, machine);
      if (lock !== undefined) return lock;
    }
  } catch (error) {
    throw diskFault(error, "lock", folder);
  }
  throw new Refusal("locked", `run "${run}" is being taken by other processes`, "ask again");
}

/** Who holds it now, as far as anybody can tell. */
export function holderOf(folder: string, machine: Machine): Holder | undefined {
  const { fence, owner } = look(folder);
  if (owner === undefined || owner.state === "free" || whyDead(owner, machine) !== undefined) return undefined;
  return { pid: owner.pid, since: owner.since, fence };
}

/** The highest number ever given, and whose it is: undefined when nobody's or not readable (`torn`). */
interface Sight {
  fence: number;
  owner: Owner | undefined;
  torn: boolean;
}

function look(folder: string): Sight {
  // The counter first: read after the list, a lock made in between would look like one removed by hand.
  const counted = counterOf(folder);
  const highest = Math.max(0, ...numbersIn(folder));
  // Lock files were removed by hand: nobody holds it, and the numbers go on.
  if (counted > highest || highest === 0) return { fence: Math.max(counted, highest), owner: undefined, torn: false };
  const owner = ownerOf(fileOf(folder, highest));
  return { fence: highest, owner, torn: owner === undefined };
}

async function settled(folder: string): Promise<Sight> {
  let sight = look(folder);
  for (let waited = 0; sight.torn && waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
    await sleep(SETTLE_STEP_MS);
    sight = look(folder);
  }
  return sight;
}

/** Undefined: it was free. A text: why it is taken from its owner. */
function mayFollow(before: Sight, folder: string, run: string, machine: Machine): string | undefined {
  const { owner, fence, torn } = before;
  if (torn) return `lock ${fence} could not be read: the process that wrote it crashed`;
  if (owner === undefined || owner.state === "free") return undefined;
  const dead = whyDead(owner, machine);
  if (dead !== undefined) return `took the run over from process ${owner.pid} (since ${owner.since}): ${dead}`;
  const where = owner.host === machine.host ? "" : ` on "${owner.host}"`;
  const hint =
    owner.pidSpace === machine.pidSpace && where === ""
      ? `wait for it, or stop it: pawl stop ${run}`
      : `it cannot be seen from here; when it is surely gone, remove ${fileOf(folder, fence)}`;
  throw new Refusal("locked", `run "${run}" is held by process ${owner.pid}${where} since ${owner.since}`, hint, 3);
}

/** Undefined: somebody else was faster. */
function makeLock(
  folder: string,
  run: string,
  fence: number,
  tookOver: string | undefined,
  machine: Machine,
): Lock | undefined {
  const token = machine.token();
  const lock = new FencedLock(folder, run, fence, tookOver, token);
  if (!putInPlace(fileOf(folder, fence), textOfOwner(machine, token), machine)) return undefined;
  try {
    const isLate = Math.max(counterOf(folder), ...numbersIn(folder).filter((n) => n !== fence)) >= fence;
    if (isLate) {
      rmSync(fileOf(folder, fence), { force: true }); // L2: a higher one stands, so this number was given before
      return undefined;
    }
    replaceQuickly(join(folder, "fence"), `${fence}\n`, token);
    // From below, so that a crash on the way leaves no gap that looks like a released lock.
    for (const older of numbersIn(folder).filter((n) => n < fence)) rmSync(fileOf(folder, older), { force: true });
    for (const temp of tempsUpTo(folder, fence)) discard(join(folder, temp));
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** L1: a link appears with its contents or not at all. Without links: an exclusive create, which readers let settle. */
function putInPlace(path: string, text: string, machine: Machine): boolean {
  const temp = `${path}.${machine.token()}.tmp`;
  try {
    writeNew(temp, text, false);
    machine.link(temp, path);
    return true;
  } catch (error) {
    if (["EEXIST", "ENOENT"].includes(codeOf(error))) return false; // given to another, who swept what we made
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"].includes(codeOf(error))) throw error;
    return putExclusively(path, text);
  } finally {
    discard(temp);
  }
}

function putExclusively(path: string, text: string): boolean {
  try {
    writeNew(path, text, false);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

class FencedLock implements Lock {
  private seen: string | undefined;

  constructor(
    private readonly folder: string,
    private readonly run: string,
    readonly fence: number,
    readonly tookOver: string | undefined,
    private readonly token: string,
  ) {}

  check(): void {
    if (this.isHeld()) return;
    const isTaken = existsSync(this.folder) && numbersIn(this.folder).some((n) => n > this.fence);
    const why = isTaken ? "another process took the run over" : "its lock file is gone";
    const message = `run "${this.run}" is no longer ours (lock ${this.fence}): ${why}; nothing was written`;
    throw new Refusal("fenced", message, "see where it stands with: pawl status");
  }

  isHeld(): boolean {
    return this.isOurs() && !existsSync(fileOf(this.folder, this.fence + 1));
  }

  /** In place and of the same length: needs no room on a full disk. */
  release(): void {
    try {
      if (!this.isOurs()) return;
      const path = fileOf(this.folder, this.fence);
      const at = readFileSync(path, "utf8").indexOf('"held"');
      const fd = openSync(path, "r+");
      writeSync(fd, '"free"', at);
      closeSync(fd);
    } catch {
      // Left as it is: the next to come finds its owner dead.
    }
  }

  /** Asked before each write, so a file that was not touched since it was read is not read again. */
  private isOurs(): boolean {
    const path = fileOf(this.folder, this.fence);
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    const stamp = stat && `${stat.ino} ${stat.ctimeNs}`;
    if (stamp === undefined || stamp === this.seen) return stamp !== undefined;
    if (ownerOf(path)?.token !== this.token) return false;
    this.seen = stamp;
    return true;
  }
}

/** Half-made lock files whose number is given now: a crash left them, or who is making them comes too late. */
function tempsUpTo(folder: string, fence: number): string[] {
  const isOurs = (name: string) => Number(/^lock-(\d{1,15})\..*\.tmp$/.exec(name)?.[1] ?? Infinity) <= fence;
  return readdirSync(folder).filter((name) => isOurs(name) || /^fence\..*\.tmp$/.test(name));
}

const fileOf = (folder: string, fence: number): string => join(folder, `lock-${fence}`);

/** Ascending as numbers, whatever their digits. */
function numbersIn(folder: string): number[] {
  const found = readdirSync(folder).flatMap((name) => /^lock-(\d{1,15})$/.exec(name)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

function counterOf(folder: string): number {
  try {
    const path = join(folder, "fence");
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    return /^\d{1,15}$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}
