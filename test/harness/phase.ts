// A repository with the loop "phase", a doer that edits a file, and a reviewer whose reviews are written beforehand.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agents, mapped, Repository } from "./repository.js";

export const blocked = (...findings: string[]): string =>
  `# Review\n\n## Blockers\n\n${findings.map((text) => `- ${text}\n`).join("")}\n**Verdict:** BLOCKED\n`;
export const judged = (word: string): string => `# Review\n\n**Verdict:** ${word}\n`;

export const DOER = "cat > /dev/null; echo $PAWL_VISIT >> work.txt";
/** Review n is that of visit n; a visit without one blocks for a reason of its own. */
export const REVIEWER = `cat > /dev/null
if [ -f agents/reviews/$PAWL_VISIT.md ]; then cp agents/reviews/$PAWL_VISIT.md "$PAWL_ARTIFACTS/REVIEW.md"
else printf '## Blockers\\n\\n- reason %s\\n\\n**Verdict:** BLOCKED\\n' $PAWL_VISIT > "$PAWL_ARTIFACTS/REVIEW.md"
fi`;

export interface Phase {
  reviews?: string[];
  doer?: string;
  reviewer?: string;
  /** More lines of the loop file. */
  keys?: string;
  files?: Record<string, string>;
  how?: Parameters<typeof Repository.make>[1];
}
export function phase({ reviews = [], doer = DOER, reviewer = REVIEWER, keys = "", files = {}, how }: Phase = {}) {
  const loop = `name: phase\n${mapped("doer", "reviewer")}doer: doer\nreviewer: reviewer\n${keys}`;
  const texts = Object.fromEntries(reviews.map((text, i) => [`agents/reviews/${i + 1}.md`, text]));
  return Repository.make({ ".pawl/loops/phase.yaml": loop, ...agents({ doer, reviewer }), ...texts, ...files }, how);
}

/** LOOP.md beside the record of a run: its front matter and the lines of its history, times and commits left out. */
export function loopMdOf(run: { record: string }): { front: Record<string, string>; history: string[]; text: string } {
  const path = join(dirname(run.record), "LOOP.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const [, head = ""] = text.split(/^---$/m);
  const pairs = head.trim().split("\n");
  const front = Object.fromEntries(pairs.map((line) => line.split(": ") as [string, string]));
  const history = text
    .split("\n")
    .filter((line) => /^(- iter|--- R)/.test(line))
    .map((line) => line.replace(/ at \d{4}-\S+Z/, " at T").replace(/, commit=\S+, ts=\S+$/, ""));
  return { front, history, text };
}
/** Who worked, in the order of their beginnings. */
export const workOf = (events: { type: string; performer?: string }[]): string[] =>
  events.flatMap(({ type, performer = "" }) =>
    type === "begun" && ["doer", "reviewer"].includes(performer) ? [performer] : [],
  );
