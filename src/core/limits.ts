// Every limit that is not an author's to set. Each has a name, a unit and a test at the limit.

/** A loop file. Larger ones are refused before they are parsed. */
export const LOOP_FILE_BYTES_MAX = 1 << 20;
/** Expansions of YAML aliases in one file: stops alias bombs. */
export const YAML_ALIASES_MAX = 100;
/** Steps, skills or nodes of one loop. */
export const STEPS_MAX = 1_000;
/** Characters of a step's, loop's, option's or branch's name. */
export const NAME_CHARS_MAX = 200;
/** Characters of an output kept in the journal; the rest is in the visit's folder. */
export const OUTPUT_CHARS_MAX = 4_000;
/** Bytes of one stream of a program kept in memory and on disk; what follows is drained and dropped. */
export const STREAM_BYTES_MAX = 8 << 20;
/** Bytes of one line of a program's output that is read as an event. */
export const LINE_BYTES_MAX = 1 << 20;
/** Findings of one verdict, and characters of each. */
export const FINDINGS_MAX = 100;
export const FINDING_CHARS_MAX = 2_000;
/** Bytes of an artifact that is read for a verdict or a note. */
export const ARTIFACT_BYTES_MAX = 1 << 20;
/** Bytes of one line of the journal. */
export const JOURNAL_LINE_BYTES_MAX = 4 << 20;
/** Starts of one command before the run is parked. */
export const TRIES_MAX = 3;
/** Ways back without `retry: true`, over a whole run. */
export const LAPS_MAX = 100;
/** The largest number an author may give a budget. */
export const BUDGET_MAX = 10_000;
/** Time between TERM and KILL. */
export const GRACE_MS = 2_000;
/** Events between two snapshots of a run that is being driven. */
export const SNAPSHOT_EVERY = 500;
/** Tokens of one prompt, unless the agent's `prompt_tokens` says otherwise: a model's window has room for its own words too. */
export const PROMPT_TOKENS_MAX = 150_000;
/** Bytes a token is taken to have: nobody but the model can count them. */
export const TOKEN_BYTES = 4;
/** Notes of earlier failures that stand in a prompt besides the newest; the rest is in a file beside it. */
export const OLDER_NOTES_MAX = 20;
/** Bytes of the file that holds older notes whole. */
export const NOTES_BYTES_MAX = 2 << 20;
/** Documents that a loader may bring, and bytes of all of them. */
export const DOCUMENTS_MAX = 500;
export const DOCUMENTS_BYTES_MAX = 16 << 20;
