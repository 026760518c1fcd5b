// What a run may still use up of time, money and tokens: its own limits, those of its steps, and those of what it is a part of.
// A limit is asked before a visit begins: is it reached, or could the dearest visit so far pass it? An unknown cost is unknown, not zero.
import { sum } from "./ledger.js";
import type { Flow, Limits, Run, Spent } from "./model.js";
import { Refusal } from "./refusal.js";

/** The words of loop files and of `--limit`. */
export const FIGURES = ["minutes", "usd", "tokens"] as const;
export type Figure = (typeof FIGURES)[number];

export interface Allowance {
  /** Whose limit it is, for people: empty for the run at hand. */
  of: string;
  limits: Limits;
  spent: Spent;
  /** What to do about it; FIGURE stands for the word of the figure. */
  mend: string;
}

/** The limits that hold for work on these nodes, what is gone of them, and what a person raised them to. What is gone is summed only
 *  where somebody asks: most runs have no limit, and this is looked at before every visit. */
export function allowancesOf(flow: Flow, run: Run, nodes: string[]): Allowance[] {
  const whole: Allowance = {
    of: "",
    limits: limitsOf(flow, run),
    mend: mendOf(run, ""),
    get spent() {
      return totalOf(run);
    },
  };
  const steps = [...new Set(nodes)].map((node) => ({
    of: `step "${node}"`,
    limits: limitsOf(flow, run, node),
    mend: mendOf(run, `${node}.`),
    get spent() {
      return ofNode(run.spent, node);
    },
  }));
  return [whole, ...steps];
}

/** The author's, or what a person set in the middle of the run. */
export function limitsOf(flow: Flow, run: Run, node?: string): Limits {
  const written = node === undefined ? flow.limits : (flow.nodes[node]?.limits ?? {});
  const stem = node === undefined ? "limits." : `limits.${node}.`;
  const { [`${stem}minutes`]: minutes, [`${stem}usd`]: usd, [`${stem}tokens`]: tokens } = run.limits;
  return {
    ...written,
    ...(minutes === undefined ? {} : { ms: minutes * MINUTE_MS }),
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** What "usd" or "dev.usd" is now. Refusal ("unknown-limit") where it names no figure, or a step the loop has not. */
export function limitNamed(flow: Flow, run: Run, name: string): { value?: number } {
  const cut = name.lastIndexOf(".");
  const node = cut < 0 ? undefined : name.slice(0, cut);
  const figure = FIGURES.find((each) => each === name.slice(cut + 1));
  if (!figure) throw unknown(name, `the figures are: ${FIGURES.join(", ")}`);
  if (node !== undefined && !flow.steps.includes(node))
    throw unknown(name, `the steps are: ${flow.steps.slice(0, 20).join(", ")}`);
  const value = figureOf(figure, limitsOf(flow, run, node));
  return value === undefined ? {} : { value };
}
const unknown = (name: string, hint: string): Refusal =>
  new Refusal(
    "unknown-limit",
    `"${name}" is no limit of this run`,
    `${hint}; write FIGURE=N, or STEP.FIGURE=N for one step`,
    1,
  );

export interface LimitView {
  figure: Figure;
  /** Absent: of the whole run. */
  step?: string;
  /** In the figure's own unit. */
  spent: number;
  limit: number;
}

/** What there is to show: the limits of the run, and of steps that have some. */
export function limitsIn(flow: Flow, run: Run): LimitView[] {
  const [whole, ...steps] = allowancesOf(flow, run, flow.steps);
  const own = (each: Allowance | undefined, step?: string): LimitView[] =>
    FIGURES.flatMap((figure) => {
      const limit = each && figureOf(figure, each.limits);
      if (each === undefined || limit === undefined) return [];
      return [{ figure, ...(step === undefined ? {} : { step }), spent: usedOf(figure, each.spent), limit }];
    });
  return [...own(whole), ...steps.flatMap((each, i) => own(each, flow.steps[i]))];
}

export const totalOf = (run: Run): Spent => sum(Object.values(run.spent));

/** Of a node and, for a fan, of its branches. */
const ofNode = (costs: Run["spent"], node: string): Spent =>
  sum(Object.entries(costs).flatMap(([name, cost]) => (name === node || name.startsWith(`${node}/`) ? [cost] : [])));

export const mendOf = (run: Run, stem: string): string => `pawl resume ${run.id} --limit ${stem}FIGURE=N`;

/** Which limit keeps the work of these owners (nodes and branches) from beginning, in words; undefined when it may. */
export function overLimit(run: Run, allowances: Allowance[], owners: string[]): string | undefined {
  const expected = sum(owners.map((owner) => run.dearest[owner] ?? { ms: 0 }));
  for (const allowance of allowances)
    for (const figure of FIGURES) {
      const why = tooMuch(allowance, figure, expected, owners);
      if (why !== undefined) return why;
    }
  return undefined;
}

function tooMuch(allowance: Allowance, figure: Figure, expected: Spent, owners: string[]): string | undefined {
  const { of, limits, mend } = allowance;
  const limit = figureOf(figure, limits);
  if (limit === undefined) return undefined;
  const used = usedOf(figure, allowance.spent);
  const next = usedOf(figure, expected);
  if (used < limit && used + next <= limit) return undefined;
  const gone = `budget ${figure}${of && ` of ${of}`}: ${amount(figure, used)} of ${amount(figure, limit)} ${GONE[figure]}`;
  const who = owners.map((owner) => `"${owner}"`).join(" and ");
  const fits = used < limit ? `, and ${who} has used up to ${amount(figure, next)} in one visit` : "";
  return `${gone}${fits}; to go on: ${mend.replace("FIGURE", figure)}`;
}

const MINUTE_MS = 60_000;
const GONE: Record<Figure, string> = {
  minutes: "minutes are used up",
  usd: "USD are spent",
  tokens: "tokens are used up",
};

/** In the figure's own unit. */
export function figureOf(figure: Figure, { ms, usd, tokens }: Limits): number | undefined {
  return { minutes: ms === undefined ? undefined : ms / MINUTE_MS, usd, tokens }[figure];
}

/** What is known of it. */
export function usedOf(figure: Figure, { ms, usd = 0, inputTokens = 0, outputTokens = 0 }: Spent): number {
  return { minutes: ms / MINUTE_MS, usd, tokens: inputTokens + outputTokens }[figure];
}

/** As people write it. */
export const amount = (figure: Figure, value: number): string =>
  ({
    minutes: value < 1 ? `${Number(value.toPrecision(2))}` : value.toFixed(1).replace(/\.0$/, ""),
    usd: value.toFixed(2),
    tokens: `${Math.round(value)}`,
  })[figure];
