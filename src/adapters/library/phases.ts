// The phases of a project: folders of jobs with a PLAN.md, whose front matter may hold `position: 2` and `former: [an-older-slug]`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ARTIFACT_BYTES_MAX } from "../../core/limits.js";
import type { PhaseFolder } from "../../ports/house.js";
import { decodeText } from "../files/text.js";
import { readFrontMatter, textOf } from "./front-matter.js";
import { readInside } from "./inside.js";

/** Folders that are looked at. */
const PHASES_MAX = 1_000;

/** Sorted by slug. A plan that cannot be read is a phase without position. */
export function phasesIn(jobs: string): PhaseFolder[] {
  let names: string[];
  try {
    names = readdirSync(jobs, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
  return names
    .sort()
    .slice(0, PHASES_MAX)
    .flatMap((slug) => {
      const read = readInside(jobs, join(slug, "PLAN.md"), ARTIFACT_BYTES_MAX);
      if (read === undefined) return [];
      const data: Record<string, unknown> = "bytes" in read ? readFrontMatter(decodeText(read.bytes)).data : {};
      const position = Number(textOf(data.position) ?? Number.NaN);
      const former = Array.isArray(data.former) ? data.former : [data.former];
      return [
        {
          slug,
          ...(Number.isInteger(position) && position > 0 ? { position } : {}),
          former: former.flatMap((one) => textOf(one) ?? []).filter((one) => one !== ""),
        },
      ];
    });
}
