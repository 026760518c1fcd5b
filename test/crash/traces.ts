// What a run leaves: its story without the marks of time, its children, its unfinished files.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
export type Told = any;

/** The whole lines of a journal; a torn tail is left out. */
export function linesOf(journal: string): Told[] {
  if (!existsSync(journal)) return [];
  const text = readFileSync(journal, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** What a record's `head` is of the line it tells of. */
export const digestOf = (line: Told): string => createHash("sha256").update(JSON.stringify(line)).digest("hex");

export const ownerOf = (ticket: string): string => ticket.slice(0, ticket.lastIndexOf("@"));

/** What was answered, in its order, and how it ended: without beginnings, numbers and our own kills. Who of a fan was first is no
 *  part of the story. */
export function storyOf(lines: Told[]): string[] {
  const told: { group: string; text: string }[] = [];
  for (const { type, ticket = "", verdict, error, place, code } of lines) {
    const owner = ownerOf(ticket);
    if (type === "verdict") {
      const said = [verdict.status, verdict.outcome, ...verdict.findings.map((each: Told) => each.text)].filter(
        Boolean,
      );
      told.push({ group: `${owner.split("/")[0]}`, text: `${owner}: ${said.join(", ")}` });
    } else if (type === "fault") told.push({ group: "", text: `${owner}: fault ${error.code}` });
    else if (type === "stopped" && code !== "interrupted") told.push({ group: "", text: `stopped: ${code}` });
    else if (place.startsWith("ended:") && type === "checkpointed") told.push({ group: "", text: place });
  }
  return told.flatMap(({ group, text }, i) => {
    if (group !== "" && told[i - 1]?.group === group && text.includes("/")) return []; // told with the first of its group
    const end = told.findIndex((each, k) => k > i && (each.group !== group || !each.text.includes("/")));
    if (group === "" || !text.includes("/")) return [text];
    return told
      .slice(i, end < 0 ? told.length : end)
      .map((each) => each.text)
      .sort();
  });
}

/** Processes that have to do with a folder: sandboxes have it among their mounts, others in their command line or environment. */
export function processesAt(root: string): number[] {
  const ours = readlinkSync("/proc/self/ns/mnt");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isAt(pid, root, ours))
    .map(Number);
}

function isAt(pid: string, root: string, ours: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    if (["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "")) return false;
    const isOutside = readlinkSync(`/proc/${pid}/ns/mnt`) === ours;
    const files = ["environ", "cmdline", ...(isOutside ? [] : ["mountinfo"])];
    return files.some((file) => readFileSync(`/proc/${pid}/${file}`, "utf8").includes(root));
  } catch {
    return false; // gone while we looked
  }
}

/** What is left of them once those that are about to go have had their time. */
export async function survivorsAt(root: string, withinMs: number): Promise<number[]> {
  const until = Date.now() + withinMs;
  let found = processesAt(root);
  for (; found.length && Date.now() < until; found = processesAt(root)) await sleep(20);
  return found;
}

/** Files that only a write in the middle has: none may be there when all is over. What a try left in its visit stays as it was. */
export function leftovers(...folders: string[]): string[] {
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(({ name, parentPath }) => /\.tmp$|\.new$|\.lock$/.test(name) && !parentPath.includes("/visits/"))
        .map(({ parentPath, name }) => join(parentPath, name)),
    );
}
