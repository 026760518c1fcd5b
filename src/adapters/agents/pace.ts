// How long a client may take over what it need not take long for.
export interface Pace {
  /** After its closing event; any further event begins the wait anew. */
  lingerMs: number;
  /** Without any event at all before it counts as hung. */
  idleMs: number;
}
export const USUAL_PACE: Pace = { lingerMs: 5_000, idleMs: 30 * 60_000 };
