// Finds processes by the mark in their environment and ends them. Commands that agents start live in groups of their own and
// survive the group's death; their environment still says whose they are. Linux only: elsewhere nothing is found.
import { statSync } from "node:fs";
import { attempt, namesIn, textOf } from "../files/look.js";

/** Environment entries that all have to be there. `{PAWL_RUN}` is a whole run; with PAWL_VISIT and PAWL_TURN, one turn. */
export type Mark = Readonly<Record<string, string>>;

/** Looks taken at the machine before what is still there is reported as a survivor, and the pause between two. */
const LOOKS_MAX = 100;
const PAUSE_MS = 20;

/**
 * Kill every process that carries the mark, and their children whatever those carry; look again until none is left.
 * Spare this process and its ancestors: Pawl may itself be at work inside a run. Return what could not be ended.
 */
export async function sweep(mark: Mark): Promise<number[]> {
  let found = marked(mark);
  for (let look = 0; found.length > 0 && look < LOOKS_MAX; look++) {
    for (const one of found) kill(one);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    found = marked(mark);
  }
  return found.map((one) => one.pid);
}

interface Found {
  pid: number;
  parent: number;
  /** In ticks since the boot; with the pid it names one process for good. */
  startedAt: string;
}

/** The living that carry the mark, and their descendants. A zombie has no environment any more, and is none of them. */
export function marked(mark: Mark): Found[] {
  const wanted = Object.entries(mark).map(([name, value]) => `${name}=${value}`);
  if (wanted.length === 0) throw new Error("a mark without entries would be everybody's");
  if (!pids().some((pid) => carries(pid, wanted))) return []; // nearly always: who is whose child is not asked then
  const all = processes();
  const spared = lineOf(process.pid, all);
  const taken = new Set<number>();
  // asked after the time of its start is known: a number that went to another process meanwhile is found out before it is killed
  for (const { pid } of all.values()) if (!spared.has(pid) && carries(pid, wanted)) taken.add(pid);
  for (const one of all.values()) {
    if (!spared.has(one.pid) && [...lineOf(one.pid, all)].some((pid) => taken.has(pid))) taken.add(one.pid);
  }
  return [...all.values()].filter(({ pid }) => taken.has(pid));
}

/** Everybody's living processes, zombies left out. */
function processes(): Map<number, Found> {
  const all = new Map<number, Found>();
  for (const pid of pids()) {
    const one = lookAt(pid);
    if (one) all.set(one.pid, one);
  }
  return all;
}

const pids = (): number[] =>
  namesIn("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);

function lookAt(pid: number): Found | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name stands in brackets and may itself hold blanks and brackets: read what follows the last one.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startedAt = rest[17];
  if (!startedAt || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), startedAt };
}

/** The process and its ancestors. */
function lineOf(pid: number, all: Map<number, Found>): Set<number> {
  const line = new Set<number>();
  for (let at = pid; at > 0 && !line.has(at); at = all.get(at)?.parent ?? 0) line.add(at);
  return line;
}

/** Another user's process is never ours, though its environment may say so. */
function carries(pid: number, wanted: string[]): boolean {
  const text = textOf(`/proc/${pid}/environ`);
  if (!wanted.every((entry) => text.includes(entry))) return false;
  const entries = new Set(text.split("\0"));
  if (!wanted.every((entry) => entries.has(entry))) return false;
  return attempt(() => statSync(`/proc/${pid}`).uid) === process.getuid?.();
}

/** The number may have gone to another process since we looked. */
function kill(one: Found): void {
  if (lookAt(one.pid)?.startedAt === one.startedAt) attempt(() => process.kill(one.pid, "SIGKILL"));
}
