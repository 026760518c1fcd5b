// What is said to a caller who may not do this now: stale, locked, unknown. No state is touched.

/** `exit` is what the command line ends with: 2 usage, 1 it has ended, 3 somebody must act first. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
    readonly exit: 1 | 2 | 3 | 5 = 2,
  ) {
    super(message);
  }
}
/** R3: an answer to a question that is no longer, or not yet, asked. */
export class StaleAnswer extends Refusal {
  constructor(expected: string[], got: string) {
    const now = expected.length ? `the run is now at ${expected.join(", ")}` : "the run expects no answer now";
    super("stale-answer", `This answer is for ${got}, but ${now}`, "look with: pawl status");
  }
}
export class NotNow extends Refusal {
  constructor(what: string, why: string, hint?: string) {
    super("not-now", `Cannot ${what}: ${why}`, hint);
  }
}
