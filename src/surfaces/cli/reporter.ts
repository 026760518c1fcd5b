// Shows how a run goes: a block that is redrawn on a terminal, one plain line an event elsewhere. All of it on stderr.

import type { Command, Event, Flow, Run } from "../../core/model.js";
import { nodeAt } from "../../core/place.js";
import { lineOf } from "../../core/story.js";
import { viewOf } from "../../core/view.js";
import type { Clock } from "../../ports/clock.js";
import type { Notifier } from "../../ports/notifier.js";
import type { Desk } from "./desk.js";
import { Painter } from "./render/progress.js";

/** How often the block is redrawn while nothing happens: the seconds must move. */
const REDRAW_MS = 500;

export class Reporter implements Notifier {
  private readonly painter: Painter;
  private readonly timer: NodeJS.Timeout | undefined;
  private now: { flow: Flow; run: Run } | undefined;
  private sinceMs: number;
  private line: string | undefined;

  constructor(
    private readonly desk: Desk,
    private readonly clock: Clock,
  ) {
    this.painter = new Painter((text) => desk.err(text), { terminal: desk.terminal, columns: desk.columns });
    this.sinceMs = clock.ticks();
    if (!desk.terminal || desk.json) return;
    this.timer = setInterval(() => this.redraw(), REDRAW_MS);
    this.timer.unref();
  }

  moved(flow: Flow, run: Run, event: Event): void {
    if (event.type === "begun") {
      this.sinceMs = this.clock.ticks();
      this.line = undefined;
    }
    const before = this.now?.run;
    this.now = { flow, run };
    const line =
      before && before.id === run.id && !this.desk.json ? lineOf(flow, { event, before, after: run }) : undefined;
    if (line) this.painter.say(line);
    this.redraw();
  }
  said(_command: Command, line: string): void {
    if (line.trim()) this.line = line;
  }
  warned(text: string): void {
    this.painter.say(`warning: ${text}`);
  }
  rested(): void {
    this.close();
  }
  close(): void {
    clearInterval(this.timer);
    this.painter.clear();
  }

  private redraw(): void {
    if (!this.now || this.desk.json || !this.desk.terminal) return;
    const { flow, run } = this.now;
    const at = nodeAt(run.cursor);
    const scene = {
      view: viewOf(flow, run),
      ...(at ? { at } : {}),
      sinceMs: this.sinceMs,
      ...(this.line ? { line: this.line } : {}),
    };
    this.painter.paint(scene, this.clock.ticks());
  }
}
