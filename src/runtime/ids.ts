// Ids of runs: short, sortable, typable. `dev-7f3k2a` is the loop's name and the seconds since 2026 in base 36.
import type { Frozen } from "../ports/store.js";

/** 2026-01-01, in seconds since 1970. */
const EPOCH = 1_767_225_600;
const DIGITS = 6;
/** Characters of the loop's name in an id. */
const NAME_CHARS = 40;

/** `later` counts up when an id is taken: two runs of one loop may start within a second. */
export function runId(loop: string, seconds: number, later = 0): string {
  return `${stem(loop)}-${(Math.max(0, seconds - EPOCH) + later).toString(36).padStart(DIGITS, "0")}`;
}

/** The run that a command of another run makes: the same id each time, so that a crash finds it again instead of making two. */
export function childId(loop: string, parent: string, ticket: string, sha256: (text: string) => string): string {
  return `${stem(loop)}-${BigInt(`0x${sha256(`${parent} ${ticket}`).slice(0, 12)}`)
    .toString(36)
    .slice(-DIGITS)
    .padStart(DIGITS, "0")}`;
}

/** A loop as a step of another run; the loop that follows one stands for itself. */
export function isStep(sha256: (text: string) => string, { run, parent, flow }: Frozen): boolean {
  return parent !== undefined && run !== childId(flow.name, parent, "follows", sha256);
}

const stem = (loop: string): string => loop.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, NAME_CHARS);
