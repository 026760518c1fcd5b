// Time and chance come from here, so that tests can have their own.
export interface Clock {
  /** ISO 8601, UTC, milliseconds. May go backwards: never order by it. */
  now(): string;
  /** Whole seconds since 1970. */
  seconds(): number;
  /** Milliseconds that only grow; for durations. */
  ticks(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** `chars` characters of [a-z0-9], unguessable. */
  random(chars: number): string;
  uuid(): string;
}
