// Trouble that is thrown across ports. Issues are data, bugs are plain errors: see docs/words.md.
import type { ErrorRecord } from "../core/model.js";

export { Refusal } from "../core/refusal.js";

/** The world could not do it: parks the run, exit 4; asking again costs nothing. */
export class FaultError extends Error {
  constructor(readonly record: ErrorRecord) {
    super(record.message);
  }
}
