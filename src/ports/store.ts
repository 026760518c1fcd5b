// Where runs live. The journal is the authority; everything else in a run's folder can be made again from it.
import type { Event, Flow, Run } from "../core/model.js";

/** A line of the journal: the event, where it led (core/view `placeOf`), and the sha256 of the line before. */
export type Line = Event & { place: string; prev: string };

export interface Store {
  /** Ids of all runs here, oldest first. Cheap: reads no journal. */
  list(): Promise<string[]>;
  /** Is there a run of this id? Cheap: looks at nothing else. */
  has(run: string): Promise<boolean>;
  /** The run an id or an unambiguous prefix names; a Refusal ("no-such-run", "ambiguous-run") names what was looked for and where. */
  find(prefix: string): Promise<string>;
  /** Make the run's folder with its frozen flow, durable before it resolves. Must refuse an id that exists ("run-exists"). */
  create(frozen: Frozen): Promise<void>;
  /** The frozen flow alone. */
  frozen(run: string): Promise<Frozen>;
  /** Read without the lock: whole lines only, a torn tail is left alone. `after` skips lines up to that seq. */
  read(run: string, after?: number): Promise<Line[]>;
  /** The newest snapshot that fits the journal and the lines after it, for who only shows a run; all lines where none fits.
   *  `last` is the journal's last line. */
  newest(run: string): Promise<{ snapshot?: Run; lines: Line[]; last: Line | undefined }>;
  /** Ids of runs that were never at rest (or lost their snapshot), oldest first. Cheap: reads no journal, and of the others no more
   *  than that they have one. */
  neverRested(): Promise<string[]>;
  /** Who drives it now; undefined when nobody living does. */
  holder(run: string): Promise<Holder | undefined>;
  /** Take the run for writing. Must refuse ("locked", naming the holder) while its holder lives. Cuts a torn tail before it resolves. */
  open(run: string): Promise<OpenRun>;
  /** A fresh folder for one try of a visit, with an empty `artifacts/` in it: `visits/<node>-<visit>`, and `.2`, `.3` behind it for
   *  a try after a crash. What an earlier try left is never touched. Absolute path, its own realpath. */
  visitFolder(run: string, node: string, visit: number): Promise<string>;
  /** Absolute path of the run's folder. */
  runFolder(run: string): string;
}
export interface OpenRun extends AsyncDisposable {
  /** All lines at the time of opening. Throws a Fault ("journal-broken") when chain, numbers or JSON are not whole. */
  readonly lines: Line[];
  /** sha256 of the last line; 64 zeros while there is none. */
  readonly head: string;
  /** What was found on the way in, for people: a lock taken over, a torn tail cut. */
  readonly remarks: { about: string; text: string }[];
  /** One whole line, on disk (fdatasync) before it resolves. Must throw "fenced" when the lock was lost, writing nothing. `meanwhile`
   *  may be done while the disk works: at most once, only when the line is on its way, and over before it resolves. */
  append(event: Event, place: string, meanwhile?: () => Promise<void>): Promise<Line>;
  /** A cache for readers: may be lost at any time, must never be half there. Written now and then and when the run is let go, or at
   *  once with `isLast`: then letting go writes nothing more. */
  snapshot(run: Run, isLast?: boolean): Promise<void>;
}
export interface Frozen {
  run: string;
  flow: Flow;
  /** The author's text and where it stood, for people. */
  source: { path: string; text: string };
  /** Copies of validators, skills and documents as they were at the start: name to text or path of the copy. */
  files: Record<string, FrozenFile>;
  parent?: string;
  /** The agent that was asked for at the start (`--agent`, or the host's): loops that follow are worked by it too. */
  agent?: string;
  /** What the first line says; a run killed before it was written is begun from here. */
  opening: { job: string; inputs: Record<string, string>; by: string };
  start: Start;
  /** Absolute folder outside the home that keeps this run (`state_dir`): the run is `<elsewhere>/<run>`, the home holds a link to it. */
  elsewhere?: string;
}
export interface FrozenFile {
  /** Of the copy; when a run is made: of the file to copy. Absolute. */
  path: string;
  digest: string;
  /** Where the author keeps it. Absolute. */
  from?: string;
  /** When a run is made: the contents themselves, where there is no file to copy. */
  text?: string;
  /** A document that a loader brought; runs within this one have it too. */
  brought?: true;
}
/** The world as it was when the run began; what later moments are compared with. */
export interface Start {
  workspace: string;
  branch?: string;
  head?: string;
  ticket?: string;
  /** Paths that were not committed then: with any of them the run makes no commit. */
  dirty: string[];
  signposts: Record<string, string>;
  /** Digest of the product tree. */
  tree: string;
  /** Open learnings and decisions of the memory bank, given with the first task. */
  memory?: string;
}
export interface Holder {
  pid: number;
  since: string;
  fence: number;
}

/** The published record: for people and reviewers, never read back for a decision about a run. */
export interface Records {
  /** Atomically replace `.pawl/jobs/<job>/<loop>-<run>.json` (and LOOP.md where `loopMd` is given; one whose front matter cannot be
   *  read is kept as LOOP.md.bak). Must not throw: says what failed. */
  publish(at: { job: string; loop: string; run: string }, record: object, loopMd?: string): Promise<string | undefined>;
  /** The latest reviews, by the names of their files, beside the record. Must not throw: says what failed. */
  publishReviews(
    at: { job: string; loop: string; run: string },
    reviews: Record<string, string>,
  ): Promise<string | undefined>;
  /** At checkpoints: the journal itself and the frozen flow beside the record. Must not throw: says what failed. */
  publishJournal(at: { job: string; loop: string; run: string }): Promise<string | undefined>;
  /** Moves what lies in the folder of one job into another's, the records last; overwrites nothing, and what could not be moved stays.
   *  Called again after a crash it goes on. Must not throw: says what failed. */
  rename(from: string, to: string): Promise<string | undefined>;
  /** Absolute path of the record. */
  pathOf(at: { job: string; loop: string; run: string }): string;
}
