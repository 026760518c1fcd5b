// Where a run stands, for a terminal: what it says, what was done, what is used up, what to type.
import { amount } from "../../../core/allowance.js";
import type { Charge } from "../../../core/bill.js";
import type { Finding } from "../../../core/model.js";
import { secondsText } from "../../../core/story.js";
import type { View } from "../../../core/view.js";
import { ledgerText } from "./bill.js";
import { clean } from "./clean.js";
import { type Paint, painter, type Tone } from "./paint.js";
import { table } from "./table.js";
import { COLUMNS, cut, wrap } from "./width.js";

export interface Screen {
  columns?: number;
  colour?: boolean;
  /** Further lines people must see: agents outside the sandbox. */
  notes?: readonly string[];
  /** The ledger, where money or tokens are known. */
  bill?: Charge[];
}
/** Findings shown of the last step that has some. */
export const FINDINGS_SHOWN_MAX = 10;

export function statusText(view: View, screen: Screen = {}): string[] {
  const { columns = COLUMNS, colour = false, notes = [], bill = [] } = screen;
  const paint = painter(colour);
  const word = `${view.status}${view.outcome && view.outcome !== "success" ? ` (${view.outcome})` : ""}`;
  const [first = "", ...rest] = wrap(clean(`${word}: ${view.reason}`), columns);
  return [
    paint("strong", cut(clean(`${view.run}  loop ${view.loop}  job ${view.job}`), columns)),
    paint(toneOf(view), first),
    ...rest.map((line) => paint(toneOf(view), line)),
    "",
    ...stepTable(view, columns),
    ...phaseLines(view, columns),
    ...findingLines(view, columns, paint),
    ...budgetTable(view, columns),
    ...costLines(view),
    ...ledgerLines(bill, columns),
    ...notes.flatMap((note) => wrap(clean(note), columns, "  ").map((line) => paint("ask", line))),
    // never cut: it is there to be copied
    ...nextLines(view),
  ];
}

/** Said where a loop rests with a word of its own. */
function phaseLines({ phase }: View, columns: number): string[] {
  if (!phase || phase.loop === "running") return [];
  const { slug, loop, status, iter, iterMax, resets, resetsMax, verdict, folder } = phase;
  const counts = `iteration ${iter} of ${iterMax}, ${resets} of ${resetsMax} resets used`;
  const said = `phase ${slug}: ${loop} (${status}), ${counts}${verdict ? `, verdict ${verdict}` : ""}`;
  return ["", ...wrap(clean(said), columns, "  "), ...wrap(clean(`folder: ${folder}`), columns, "  ")];
}

function nextLines({ next, phase }: View): string[] {
  const told = next || (phase && phase.loop !== "running" ? phase.next : "");
  return told ? ["", `next: ${clean(told)}`] : [];
}

export function toneOf({ state, outcome, exit }: Pick<View, "state" | "outcome" | "exit">): Tone {
  if (state === "running") return "strong";
  if (state !== "ended") return "ask";
  return exit === 0 && outcome === "success" ? "good" : exit === 0 || exit === 5 ? "ask" : "bad";
}

function stepTable({ steps }: View, columns: number): string[] {
  const rows = steps.map((step) => [
    step.name,
    step.kind,
    `${step.visits}`,
    step.visits === 0 ? "not reached" : (step.verdict ?? "at work"),
    step.seconds === null ? "" : secondsText(step.seconds * 1000),
    step.usd === null ? "" : `${step.usd.toFixed(2)} USD`,
  ]);
  const heads = [{ head: "step", grows: true }, { head: "kind" }, { head: "visits", align: "right" as const }];
  const last = [
    { head: "last verdict" },
    { head: "time", align: "right" as const },
    { head: "cost", align: "right" as const },
  ];
  return table([...heads, ...last], rows, columns);
}

function findingLines({ steps }: View, columns: number, paint: Paint): string[] {
  const [step] = steps.filter((each) => each.findings.length).slice(-1);
  if (!step) return [];
  const shown = step.findings.slice(0, FINDINGS_SHOWN_MAX);
  const left = step.findings.length - shown.length;
  return [
    "",
    cut(clean(`findings of ${step.name}`), columns),
    ...shown.flatMap((finding) => findingText(finding, columns).map((line) => paint("faint", line))),
    ...(left ? [`  and ${left} more`] : []),
  ];
}

export function findingText({ severity, where, text, rule }: Finding, columns: number): string[] {
  const said = `${severity}${where ? ` ${where}` : ""}: ${text}${rule ? ` [${rule}]` : ""}`;
  return wrap(clean(said), columns - 2, "  ").map((line) => `  ${line}`);
}

function budgetTable({ budgets, limits }: View, columns: number): string[] {
  const counts = budgets.map((each) => [each.name, `${each.spent}`, `${each.limit}`, each.setBy]);
  const sums = limits.map(({ figure, step, spent, limit }) => [
    step === undefined ? figure : `${figure} of ${step}`,
    amount(figure, spent),
    amount(figure, limit),
    "limits",
  ]);
  const rows = [...counts, ...sums];
  const heads = [
    { head: "budget", grows: true },
    { head: "used", align: "right" as const },
  ];
  const lines = table([...heads, { head: "limit", align: "right" as const }, { head: "set by" }], rows, columns);
  return lines.length ? ["", ...lines] : [];
}

function ledgerLines(bill: Charge[], columns: number): string[] {
  const lines = ledgerText(bill, columns);
  return lines.length ? ["", ...lines] : [];
}

function costLines({ spent }: View): string[] {
  const usd = spent.usd === undefined ? [] : [`${spent.usd.toFixed(2)} USD`];
  const counted = spent.inputTokens !== undefined || spent.outputTokens !== undefined;
  const tokens = counted ? [`${(spent.inputTokens ?? 0) + (spent.outputTokens ?? 0)} tokens`] : [];
  const parts = [...(spent.ms > 0 ? [secondsText(spent.ms)] : []), ...usd, ...tokens];
  return parts.length ? ["", `spent so far: ${parts.join(", ")}`] : [];
}
