// Which client a hosted run belongs to. A client starts both the MCP server and its hooks, so they share it as an ancestor; no
// client tells its server the name of the session.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceQuickly } from "./disk.js";
import { thisMachine } from "./machine.js";

/** What is looked at of a process: the names as the system cuts them. */
export interface Process {
  parent: number;
  name: string;
}
export interface Kin {
  /** Undefined when it is gone, or where nobody can tell. */
  processOf(pid: number): Process | undefined;
}
interface Session {
  pid: number;
  start: string;
  boot: string;
}
const FILE = "session.json";
/** Ancestors looked at. */
const KIN_MAX = 32;

/** Called by the MCP server when it starts a run or moves one: from now on the run belongs to the client that started the server.
 *  Where nobody can tell which that is, the run belongs to nobody. */
export function bindSession(runFolder: string, pid = process.pid, machine = thisMachine(), kin = procKin): void {
  const client = clientAbove(pid, kin);
  const start = client === undefined ? undefined : machine.startTimeOf(client);
  if (client === undefined || !start) return;
  const session: Session = { pid: client, start, boot: machine.bootId };
  const known = sessionIn(runFolder);
  if (known?.pid === client && known.start === start && known.boot === session.boot) return;
  try {
    replaceQuickly(join(runFolder, FILE), `${JSON.stringify(session)}\n`, machine.token());
  } catch {
    // swept by who opens the run at this moment, or the disk is full: then the run belongs to whom it belonged before
  }
}

/** Is the run another client's, or that of one that is gone? Then a turn that ends here is not its business. */
export function isAnothers(runFolder: string, pid = process.pid, machine = thisMachine(), kin = procKin): boolean {
  const session = sessionIn(runFolder);
  if (!session) return false;
  if (session.boot !== machine.bootId || machine.startTimeOf(session.pid) !== session.start) return true;
  return !ancestors(pid, kin).includes(session.pid);
}

function sessionIn(runFolder: string): Session | undefined {
  try {
    const path = join(runFolder, FILE);
    if (!existsSync(path)) return undefined;
    const found = JSON.parse(readFileSync(path, "utf8")) as Partial<Session> | null; // looked at below
    if (!Number.isSafeInteger(found?.pid) || typeof found?.start !== "string" || typeof found.boot !== "string")
      return undefined;
    return found as Session; // looked at in the line above
  } catch {
    return undefined;
  }
}

/** The first ancestor that is no shell and no starter of packages. Of this process it stays the same as long as its parent does. */
function clientAbove(pid: number, kin: Kin): number | undefined {
  const isOurs = pid === process.pid && kin === procKin;
  if (isOurs && ours?.parent === process.ppid) return ours.client;
  const client = firstAbove(pid, kin);
  if (isOurs) ours = { parent: process.ppid, client };
  return client;
}
let ours: { parent: number; client: number | undefined } | undefined;

function firstAbove(pid: number, kin: Kin): number | undefined {
  return ancestors(pid, kin).find((each) => !STARTERS.test(kin.processOf(each)?.name ?? ""));
}
const STARTERS = /^(?:sh|bash|dash|zsh|fish|ash|env|npm\b.*|npx\b.*)$/;

function ancestors(pid: number, kin: Kin): number[] {
  const found: number[] = [];
  for (let here = kin.processOf(pid)?.parent ?? 0; here > 1 && found.length < KIN_MAX; ) {
    found.push(here);
    here = kin.processOf(here)?.parent ?? 0;
  }
  return found;
}

/** Linux only; elsewhere no run is bound, and the cap of the hook is the only guard. */
const procKin: Kin = {
  processOf(pid) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const close = stat.lastIndexOf(")");
      return { name: stat.slice(stat.indexOf("(") + 1, close), parent: Number(stat.slice(close + 2).split(" ")[1]) };
    } catch {
      return undefined;
    }
  },
};
