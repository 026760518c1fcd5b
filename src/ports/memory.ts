// The memory bank of a repository: what is read from it before a run, and what a run that ended adds to it.
import type { SessionNote } from "../core/memory.js";
import type { Phase } from "../core/phase.js";

export interface Memory {
  /** What is open in it, fit for a prompt; "" when there is nothing. Must not throw: `trouble` says why it cannot be read. */
  open(): { text: string; trouble?: string };
  /** Adds the note and makes the files that are missing. Changes no line of a person's. Added again, it changes nothing. Must not
   *  throw: says what failed. */
  add(note: SessionNote): Promise<string | undefined>;
  /** Is there a file that says where the phases stand? */
  hasState(): boolean;
  /** Says in it where a phase stands, as `add` does; a file that is missing is made. */
  tell(phase: Phase): Promise<string | undefined>;
}
