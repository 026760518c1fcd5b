// Looks at processes by /proc: is it still that one, and does it still do anything.
import { readFileSync } from "node:fs";

/** A zombie counts as gone: everybody in its namespace is dead by then. With `startedAt` a number that was given to another process counts as gone too. */
export function isGone(pid: number, startedAt?: string): boolean {
  const found = statOf(pid);
  if (!found || found.state === "Z" || found.state === "X") return true;
  return startedAt !== undefined && found.startedAt !== startedAt;
}

/** Ticks since boot, as the kernel writes them; undefined when there is no such process. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.startedAt;
}

function statOf(pid: number): { state: string; startedAt: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // the name in front may hold anything
  return { state: fields[0] ?? "X", startedAt: fields[19] ?? "" };
}
