// What is wrong with a loop file, one complaint a line, and how many there are.
import { formatIssue, type Issue, sortIssues } from "../../../config/issues.js";
import { counted } from "../../../core/ways.js";
import { clean } from "./clean.js";
import { type Paint, painter } from "./paint.js";

export function issuesText(issues: readonly Issue[], paint: Paint = painter(false)): string[] {
  if (!issues.length) return [];
  const lines = sortIssues(issues).map((issue) =>
    paint(issue.severity === "error" ? "bad" : "ask", clean(formatIssue(issue))),
  );
  const errors = issues.filter((issue) => issue.severity === "error").length;
  const warnings = issues.length - errors;
  const sum = [...(errors ? [counted(errors, "error")] : []), ...(warnings ? [counted(warnings, "warning")] : [])];
  return [...lines, sum.join(", ")];
}
