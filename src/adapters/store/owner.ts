// What stands in a lock file, and when its owner is proven dead. What cannot be proven counts as living.
import { readFileSync } from "node:fs";
import type { Machine } from "./machine.js";

export interface Owner {
  /** Two words of one length: letting go overwrites in place. */
  state: "held" | "free";
  pid: number;
  start: string;
  boot: string;
  host: string;
  pidSpace: string;
  since: string;
  token: string;
}

export function textOfOwner(machine: Machine, token: string): string {
  const owner: Owner = {
    state: "held",
    pid: machine.pid,
    start: machine.startTimeOf(machine.pid) ?? "",
    boot: machine.bootId,
    host: machine.host,
    pidSpace: machine.pidSpace,
    since: machine.now(),
    token,
  };
  return `${JSON.stringify(owner)}\n`;
}

/** Undefined when the file is missing, half written or something else. */
export function ownerOf(path: string): Owner | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isOwner(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== "object" || value === null) return false;
  const owner = value as Record<string, unknown>; // an object, as the line above says
  const texts = ["state", "start", "boot", "host", "pidSpace", "since", "token"];
  return (
    Number.isSafeInteger(owner.pid) && Number(owner.pid) > 0 && texts.every((key) => typeof owner[key] === "string")
  );
}

/** The proof, in words; undefined when it lives or nobody can tell from here. */
export function whyDead(owner: Owner, machine: Machine): string | undefined {
  const sameBoot = owner.boot === machine.bootId;
  if (!sameBoot && owner.host !== machine.host) return undefined; // another machine on a shared disk
  if (!sameBoot) return "the machine was started anew since";
  if (owner.pidSpace !== machine.pidSpace) return undefined; // a container: its process numbers mean nothing here
  const start = machine.startTimeOf(owner.pid);
  if (start === undefined) return "that process is gone";
  if (start !== "" && owner.start !== "" && start !== owner.start) return "its number belongs to another program now";
  return undefined;
}
