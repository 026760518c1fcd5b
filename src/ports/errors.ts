// The kinds of trouble that are thrown across ports; see docs/words.md and DESIGN: Issue and Bug are no exceptions of these.
import type { ErrorRecord } from "../core/model.js";

/** The world could not do it: parks the run, exit 4, asking again costs nothing. */
export class FaultError extends Error {
  constructor(readonly record: ErrorRecord) {
    super(record.message);
  }
}
/** The caller may not do this now: stale, locked, unknown. No state touched. `exit` is what the command line ends with. */
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
