// What `.pawl/spec.md` says about the ticket and its branch. A broken spec is a warning: the run falls back to the branch.
import { join } from "node:path";
import { LOOP_FILE_BYTES_MAX } from "../../core/limits.js";
import { readInside } from "./inside.js";

export interface Spec {
  ticket?: string;
  branch?: string;
  warning?: string;
}

/** Undefined when there is no spec. */
export async function readSpec(workspace: string): Promise<Spec | undefined> {
  const file = join(".pawl", "spec.md");
  const read = readInside(workspace, file, LOOP_FILE_BYTES_MAX);
  if (read === undefined) return undefined;
  if ("trouble" in read) return { warning: `"${file}" is passed over: it ${read.trouble}` };
  const { readFrontMatter, textOf } = await import("./front-matter.js"); // brings yaml, which most looks can do without
  const { data, broken } = readFrontMatter(read.bytes.toString("utf8"));
  if (broken) return { warning: `"${file}" is passed over: ${broken}` };
  // `ticket_id` is the older form
  const ticket = textOf(data.ticket ?? data.ticket_id);
  const branch = textOf(data.branch);
  return { ...(ticket === undefined ? {} : { ticket }), ...(branch === undefined ? {} : { branch }) };
}
