// An explanation as people read it: where, why, on what evidence, what else, how much is left, what to type.
import type { Explanation, Grounds, Visit, Way } from "../../../core/explain.js";
import { secondsText } from "../../../core/story.js";
import { counted } from "../../../core/ways.js";
import { visitLedgerText } from "./bill.js";
import { clean } from "./clean.js";
import { painter } from "./paint.js";
import { findingText, type Screen } from "./status.js";
import { table } from "./table.js";
import { COLUMNS, cut, wrap } from "./width.js";

export function explainText(told: Explanation, screen: Screen = {}): string[] {
  const { columns = COLUMNS, colour = false } = screen;
  const paint = painter(colour);
  const section = (head: string, lines: string[]): string[] =>
    lines.length ? ["", paint("strong", head), ...lines] : [];
  const said = (text: string): string[] => wrap(clean(text), columns - 2).map((line) => `  ${line}`);
  const visit = told.visit === undefined ? "" : `, visit ${told.visit}`;
  return [
    paint("strong", cut(clean(`${told.run}  loop ${told.loop}  job ${told.job}`), columns)),
    ...wrap(clean(`${told.status}${told.outcome ? ` (${told.outcome})` : ""}: ${told.reason}`), columns),
    ...section("Where", said(`${told.where}${visit}, since ${told.since}, by ${told.by}`)),
    ...section("Why", said(told.rule)),
    ...section("Evidence", told.evidence ? evidenceLines(told.evidence, columns) : []),
    ...section("What else could have happened", wayLines(told.others, columns)),
    ...section("What can happen next", wayLines(told.ahead, columns)),
    ...section("Used up", counterLines(told, columns)),
    ...section(
      told.step === undefined ? "What was found so far" : `Visits of "${clean(told.step)}"`,
      visitLines(told, columns),
    ),
    ...section("What it cost", visitLedgerText(told.ledger, columns)),
    ...section(
      "Warnings",
      told.warnings.flatMap((finding) => findingText(finding, columns)),
    ),
    // never cut: it is there to be copied
    ...section("To do next", told.next ? [`  ${clean(told.next)}`] : ["  nothing"]),
  ];
}

function evidenceLines(grounds: Grounds, columns: number): string[] {
  const { from, visit, verdict, findings, tree, loop, validator, inputs = {}, print, session } = grounds;
  const facts = Object.entries({ tree, loop, validator, ...inputs, hash: print, session }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return [
    ...wrap(clean(`"${from}", visit ${visit}, said "${verdict}"`), columns - 2).map((line) => `  ${line}`),
    ...findings.flatMap((finding) => findingText(finding, columns)),
    ...table([{ head: "" }, { head: "", grows: true }], facts, columns, "  "),
  ];
}

function wayLines(ways: Way[], columns: number): string[] {
  return ways.flatMap(({ outcome, leads, costs, instead, taken }) => {
    const cost = [costs, instead ?? ""].filter(Boolean).join("; ");
    const text = clean(`${taken ? "* " : "  "}${outcome} → ${leads}${cost ? ` (${cost})` : ""}`);
    return wrap(text.slice(2), columns - 4, "  ").map((line, i) => `  ${i === 0 ? text.slice(0, 2) : "  "}${line}`);
  });
}

function counterLines({ counters }: Explanation, columns: number): string[] {
  const rows = counters.map((each) => [
    each.name,
    `${each.spent} of ${each.limit}`,
    `${each.setBy}${each.frozen ? ", fixed for this run" : ""}`,
  ]);
  return table([{ head: "budget" }, { head: "used" }, { head: "set by", grows: true }], rows, columns, "  ");
}

function visitLines({ visits, visitsLeftOut, step }: Explanation, columns: number): string[] {
  const left = visitsLeftOut ? [`  ${counted(visitsLeftOut, "earlier visit")} not shown`] : [];
  const none = step !== undefined && !visits.length ? ["  none"] : [];
  return [...left, ...none, ...visits.flatMap((visit) => visitLine(visit, columns))];
}

function visitLine(visit: Visit, columns: number): string[] {
  const who = visit.who ? ` by ${visit.who}${visit.comment ? `: ${visit.comment}` : ""}` : "";
  const starts = visit.starts > 1 ? `, ${visit.starts} starts` : "";
  const took = visit.seconds > 0 ? `, ${secondsText(visit.seconds * 1000)}` : "";
  const text = `${visit.node} visit ${visit.visit}: ${visit.outcome ?? "at work"}${who}${starts}${took}`;
  const findings = visit.findings.flatMap((finding) => findingText(finding, columns - 2));
  return [...wrap(clean(text), columns - 2, "  "), ...findings].map((line) => `  ${line}`);
}
