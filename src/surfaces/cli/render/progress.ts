// How a run is going while it is driven: one block that is redrawn on a terminal, plain lines elsewhere.
import { secondsText } from "../../../core/story.js";
import type { View } from "../../../core/view.js";
import { clean } from "./clean.js";
import { COLUMNS, cut } from "./width.js";

export interface Scene {
  view: View;
  /** The node it stands at, and since when by the clock that only grows. */
  at?: string;
  sinceMs: number;
  /** The last line of output of the work at hand. */
  line?: string;
}

/** The block for this moment; every line is clean and fits the columns. */
export function progressLines(scene: Scene, nowMs: number, columns = COLUMNS): string[] {
  const { view, at, sinceMs, line } = scene;
  const step = view.steps.find((each) => each.name === at);
  const place = step ? steps(view, step.name) : (at ?? view.state);
  const visit = step && step.visits > 1 ? `, visit ${step.visits}` : "";
  const attempts = view.budgets.find((each) => each.setBy === "max_attempts" || each.setBy === "max_iter");
  const attempt = attempts
    ? `, ${attempts.setBy === "max_iter" ? "iteration" : "attempt"} ${attempts.spent} of ${attempts.limit}`
    : "";
  const cost = view.spent.usd === undefined ? "" : `, ${view.spent.usd.toFixed(2)} USD`;
  const since = secondsText(Math.max(0, nowMs - sinceMs));
  const head = `${view.loop} (${view.run}): ${place}${visit}${attempt}, for ${since}${cost}`;
  const said = line === undefined ? "" : clean(line).trim();
  return [cut(clean(head), columns), ...(said ? [cut(`  ${said}`, columns)] : [])];
}

const steps = (view: View, name: string): string => {
  const number = view.steps.findIndex((each) => each.name === name) + 1;
  return `step ${number} of ${view.steps.length}, ${name}`;
};

const UP = "\u001b[1A";
const CLEAR_LINE = "\r\u001b[2K";

/** Keeps one block at the end of what is written; on anything but a terminal it writes plain lines only. */
export class Painter {
  private shown: string[] = [];

  constructor(
    private readonly write: (text: string) => void,
    private readonly screen: { terminal: boolean; columns: () => number },
  ) {}

  /** Redraw the block, where there is a terminal; elsewhere nothing: a clock that ticks is no news. */
  paint(scene: Scene, nowMs: number): void {
    if (!this.screen.terminal) return;
    // one column stays free: some terminals wrap at the last one, and the block would creep
    const lines = progressLines(scene, nowMs, Math.max(1, this.screen.columns() - 1));
    if (lines.join("\n") === this.shown.join("\n")) return;
    this.write(this.erasure() + lines.map((line) => `${line}\n`).join(""));
    this.shown = lines;
  }

  /** A line that stays, above the block. */
  say(line: string): void {
    const block = this.shown.map((each) => `${each}\n`).join("");
    this.write(`${this.erasure()}${clean(line)}\n${block}`);
  }

  /** Take the block away: before a question, and at the end. */
  clear(): void {
    const erasure = this.erasure();
    if (erasure) this.write(erasure);
    this.shown = [];
  }

  private erasure(): string {
    return this.shown.map(() => `${UP}${CLEAR_LINE}`).join("");
  }
}
