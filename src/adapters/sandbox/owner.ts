// Who works in a sandbox that root opens.
import { chownSync, lstatSync } from "node:fs";
import type { SandboxPlan } from "../../ports/sandbox.js";

export interface Owner {
  uid: number;
  gid: number;
}
/** Root works as the workspace's owner, or what a step writes would be root's. */
export function ownerOf({ workspace, artifacts }: SandboxPlan): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = lstatSync(workspace);
  if (uid === 0) return undefined;
  chownSync(artifacts, uid, gid); // its own realpath, as the mount plan has found
  return { uid, gid };
}
