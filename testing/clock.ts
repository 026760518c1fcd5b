// Time and chance a test holds in its hand.
import type { Clock } from "../src/ports/clock.js";

/**
 * Stands still until it is told: `clock.advance(1_000)` moves time and ends the sleeps that are due. Ids count up.
 *
 *     const clock = new SimulatedClock("2026-01-01T00:00:00.000Z");
 *     clock.random(4) // "0001"
 */
export class SimulatedClock implements Clock {
  private passedMs = 0;
  private drawn = 0;
  private readonly sleepers = new Set<Sleeper>();
  private readonly startMs: number;

  constructor(start = "2026-01-01T00:00:00.000Z") {
    this.startMs = Date.parse(start);
  }
  now(): string {
    return new Date(this.startMs + this.passedMs).toISOString();
  }
  seconds(): number {
    return Math.floor((this.startMs + this.passedMs) / 1_000);
  }
  ticks(): number {
    return this.passedMs;
  }
  /** Ends when time has been moved far enough, or at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || ms <= 0) return resolve();
      const sleeper = { until: this.passedMs + ms, wake: resolve };
      this.sleepers.add(sleeper);
      signal.addEventListener("abort", () => this.wake(sleeper), { once: true });
    });
  }
  advance(ms: number): void {
    this.passedMs += ms;
    for (const sleeper of this.sleepers) if (sleeper.until <= this.passedMs) this.wake(sleeper);
  }
  random(chars: number): string {
    return String(++this.drawn)
      .padStart(chars, "0")
      .slice(-chars);
  }
  uuid(): string {
    return `00000000-0000-4000-8000-${this.random(12)}`;
  }

  private wake(sleeper: Sleeper): void {
    this.sleepers.delete(sleeper);
    sleeper.wake();
  }
}

interface Sleeper {
  until: number;
  wake(): void;
}
