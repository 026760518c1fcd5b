// The ledger of a run at a terminal. What is not known is left blank; it is not zero.
import { addedUp, type Charge } from "../../../core/bill.js";
import { secondsText } from "../../../core/story.js";
import { clean } from "./clean.js";
import { table } from "./table.js";

/** Visits of one ledger; the older ones are counted. */
const VISITS_SHOWN_MAX = 50;
const HEADS = [
  { head: "performer" },
  { head: "model", grows: true },
  { head: "time", align: "right" as const },
  { head: "tokens in", align: "right" as const },
  { head: "out", align: "right" as const },
  { head: "cost", align: "right" as const },
];

/** By step, performer and model. Empty where nothing but times is known: these stand elsewhere. */
export function ledgerText(charges: Charge[], columns: number): string[] {
  if (!charges.some(isCounted)) return [];
  const rows = addedUp(charges).map((each) => [each.step, `${each.visits}`, ...cells(each)]);
  return table([{ head: "step", grows: true }, { head: "visits", align: "right" }, ...HEADS], rows, columns);
}

/** The same visit by visit. */
export function visitLedgerText(charges: Charge[], columns: number): string[] {
  if (!charges.some(isCounted)) return [];
  const shown = charges.slice(-VISITS_SHOWN_MAX);
  const left = charges.length - shown.length;
  const rows = shown.map((each) => [each.step, `${each.visit}`, ...cells(each)]);
  const lines = table(
    [{ head: "step", grows: true }, { head: "visit", align: "right" }, ...HEADS],
    rows,
    columns,
    "  ",
  );
  return left ? [`  ${left} earlier visits not shown`, ...lines] : lines;
}

const isCounted = ({ usd, inputTokens, outputTokens }: Charge): boolean =>
  usd !== undefined || inputTokens !== undefined || outputTokens !== undefined;

const cells = ({ performer, model, ms, inputTokens, outputTokens, usd }: Charge): string[] => [
  clean(performer),
  clean(model ?? ""),
  secondsText(ms),
  inputTokens === undefined ? "" : `${inputTokens}`,
  outputTokens === undefined ? "" : `${outputTokens}`,
  usd === undefined ? "" : `${usd.toFixed(2)} USD`,
];
