// Why the validators said no, in few enough characters for an agent's next prompt: what each said first and last always stands.
import type { Flow, Json, Run } from "./model.js";
import { validatorResults } from "./record.js";

/** Characters of a whole report. */
export const REPORT_CHARS_MAX = 2_000;
const LINE_CHARS_MAX = 300;

interface ReportLine {
  text: string;
  /** Only these may be left out. */
  spare: boolean;
}

/** One block a validator: how it ended and its message, then each check that failed with its own. "" where none has run. */
export function reportOf(flow: Flow, run: Run): string {
  const lines = Object.entries(validatorResults(flow, run)).flatMap(([tool, report]) => linesOf(tool, report));
  const last = lines.at(-1);
  if (last) last.spare = false;
  return fitted(lines);
}

function linesOf(tool: string, report: Json): ReportLine[] {
  if (typeof report !== "object" || report === null || Array.isArray(report)) return [];
  const checks = (Array.isArray(report.checks) ? report.checks : []).flatMap((check) =>
    typeof check === "object" && check !== null && !Array.isArray(check) && check.pass !== true ? [check] : [],
  );
  return [
    ...messageLines(`${tool}: ${report.pass === true ? "passed" : "failed"}`, report.message),
    ...checks.flatMap(({ name, required, message }) =>
      messageLines(`- ${String(name)} failed${required === true ? "" : " (optional)"}`, message),
    ),
  ];
}

/** The first line stands with what it is about; of the others only the last is kept at any price. */
function messageLines(about: string, message: Json | undefined): ReportLine[] {
  const said = typeof message === "string" ? message.split("\n").filter((line) => line.trim() !== "") : [];
  const [first, ...rest] = said;
  return [
    { text: clip(first === undefined ? about : `${about}: ${first}`), spare: false },
    ...rest.map((line, i) => ({ text: clip(`    ${line}`), spare: i < rest.length - 1 })),
  ];
}

const clip = (line: string): string => (line.length <= LINE_CHARS_MAX ? line : `${line.slice(0, LINE_CHARS_MAX - 1)}…`);

function fitted(lines: ReportLine[]): string {
  const kept = [...lines];
  let left = 0;
  const whole = () => [...kept.map(({ text }) => text), ...(left ? [`[${left} lines left out]`] : [])].join("\n");
  while (whole().length > REPORT_CHARS_MAX) {
    const longest = kept.reduce(
      (at, line, i) => (line.spare && (at < 0 || line.text.length > (kept[at]?.text.length ?? 0)) ? i : at),
      -1,
    );
    if (longest < 0) break;
    kept.splice(longest, 1);
    left += 1;
  }
  return squeezed(kept, whole());
}

/** Nothing is spare any more: every line gives up its own end. */
function squeezed(kept: ReportLine[], whole: string): string {
  if (whole.length <= REPORT_CHARS_MAX) return whole;
  const share = Math.max(1, Math.floor(REPORT_CHARS_MAX / kept.length) - 1);
  return kept
    .map(({ text }) => (text.length <= share ? text : `${text.slice(0, share - 1)}…`))
    .join("\n")
    .slice(0, REPORT_CHARS_MAX);
}
