// What an engine can promise, and whether that is enough.
import type { Isolation } from "../../core/model.js";
import type { EngineReport, Guarantee, Level } from "../../ports/sandbox.js";

export const GUARANTEES: readonly Guarantee[] = [
  "writes",
  "reads",
  "environment",
  "network",
  "privileges",
  "syscalls",
  "git",
  "kill",
  "orphans",
  "scratch",
  "processes",
  "memory",
  "cpu",
  "disk",
];
const STRENGTH: Record<Level, number> = { none: 0, process: 1, kernel: 2 };

export function allAt(level: Level): Record<Guarantee, Level> {
  return Object.fromEntries(GUARANTEES.map((name) => [name, level])) as Record<Guarantee, Level>; // the list is the type
}

export interface Shortfall {
  guarantee: Guarantee;
  needed: Level;
  offered: Level;
}
/** Guarantees that need not hold unless an author says so. `orphans`: what a killed Pawl left is swept at the next start, where it does
 *  not die with it. */
const LENIENT: readonly Guarantee[] = ["orphans", "cpu", "disk"];
/** What is missing. Unless an author says otherwise, the kernel keeps every promise but the lenient ones. */
export function shortfalls(report: EngineReport, require: Isolation["require"]): Shortfall[] {
  return GUARANTEES.map((guarantee) => ({
    guarantee,
    needed: require[guarantee] ?? (LENIENT.includes(guarantee) ? "none" : "kernel"),
    offered: report.holds[guarantee],
  })).filter(({ needed, offered }) => STRENGTH[offered] < STRENGTH[needed]);
}
