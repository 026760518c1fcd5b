// Runs as folders under one home: `runs/<run>/{flow.json,journal.jsonl,run.json,frozen,visits}`. The journal decides.
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SNAPSHOT_EVERY } from "../../core/limits.js";
import type { Event, Run } from "../../core/model.js";
import { FaultError, Refusal } from "../../ports/errors.js";
import type { FailPoint } from "../../ports/fail-points.js";
import type { Frozen, Holder, Line, OpenRun, Store } from "../../ports/store.js";
import { headOf } from "./chain.js";
import { codeOf, discard, diskFault } from "./disk.js";
import { makeRun, readFrozen } from "./frozen.js";
import { type Journal, openJournal, readJournal } from "./journal.js";
import { holderOf, type Lock, takeLock } from "./lock.js";
import { type Machine, thisMachine } from "./machine.js";
import { encodeName, isRunId } from "./names.js";
import { hasSnapshot, readSnapshot, writeSnapshot } from "./snapshot.js";

/** The home folder, when tests may kill us, and what of the machine is not to be as it is. */
export interface Setting extends Partial<Machine> {
  home: string;
  at?: FailPoint;
}
/** An open run that also says what a record's `head` is. */
export interface OpenFileRun extends OpenRun {
  /** sha256 of the last line; 64 zeros where there is none. */
  readonly head: string;
  readonly fence: number;
}
export interface FileStore extends Store {
  open(run: string): Promise<OpenFileRun>;
}

/** Folders of one visit: its tries, and the commit hooks it ran. */
const FOLDERS_MAX = 10_000;
/** Names in messages: so many of those that match. */
const NAMED_MAX = 5;

export function openStore({ home, at = () => undefined, ...given }: Setting): FileStore {
  return new FolderStore(home, at, { ...thisMachine(), ...given });
}

class FolderStore implements FileStore {
  private readonly runs: string;
  private readonly folders = new Map<string, string>();

  constructor(
    home: string,
    private readonly at: FailPoint,
    private readonly machine: Machine,
  ) {
    this.runs = join(home, "runs");
  }

  async list(): Promise<string[]> {
    return this.byAge(namesIn(this.runs).filter(isRunId));
  }

  async has(run: string): Promise<boolean> {
    return isRunId(run) && isThere(join(this.runs, run));
  }

  async find(prefix: string): Promise<string> {
    const all = await this.list();
    if (all.includes(prefix)) return prefix;
    const found = prefix === "" ? [] : all.filter((run) => run.startsWith(prefix));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    if (found.length === 0) throw noSuchRun(prefix, this.runs);
    const named = found.slice(0, NAMED_MAX).join(", ") + (found.length > NAMED_MAX ? ", …" : "");
    throw new Refusal(
      "ambiguous-run",
      `"${prefix}" names ${found.length} runs in ${this.runs}: ${named}`,
      "type more of its name",
    );
  }

  async create(frozen: Frozen): Promise<void> {
    if (!isRunId(frozen.run)) throw new Error(`"${frozen.run}" is no run id`);
    const place = join(this.runs, frozen.run);
    makeRun({ frozen, place, journal: new Uint8Array(), token: this.machine.token(), at: this.at });
  }

  async frozen(run: string): Promise<Frozen> {
    return readFrozen(this.existing(run), run);
  }

  async read(run: string, after = 0): Promise<Line[]> {
    return readJournal(join(this.existing(run), "journal.jsonl"), after).lines;
  }

  async newest(run: string): Promise<{ snapshot?: Run; lines: Line[]; last: Line | undefined }> {
    const folder = this.existing(run);
    const path = join(folder, "journal.jsonl");
    const snapshot = readSnapshot(folder); // before the journal, which only grows
    if (snapshot !== undefined) {
      const [known, ...lines] = readJournal(path, snapshot.seq - 1).lines;
      if (known !== undefined && headOf(known) === snapshot.head)
        return { snapshot: snapshot.run, lines, last: lines.at(-1) ?? known };
    }
    const { lines } = readJournal(path);
    return { lines, last: lines.at(-1) };
  }

  async neverRested(): Promise<string[]> {
    const resting = (run: string): boolean => hasSnapshot(`${this.runs}/${run}`); // join() would cost more than the look
    return this.byAge(namesIn(this.runs).filter((run) => isRunId(run) && !resting(run)));
  }

  async holder(run: string): Promise<Holder | undefined> {
    return holderOf(this.existing(run), this.machine);
  }

  async open(run: string): Promise<OpenFileRun> {
    const folder = this.existing(run);
    const lock = await takeLock(folder, run, this.machine);
    try {
      this.at("lock:after");
      sweep(folder);
      const journal = openJournal(join(folder, "journal.jsonl"), this.at);
      return new LockedRun(folder, lock, journal, this.at, this.machine.token);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async visitFolder(run: string, node: string, visit: number): Promise<string> {
    if (!Number.isSafeInteger(visit) || visit < 0) throw new Error(`${visit} is no number of a visit`);
    const folder = join(this.existing(run), "visits", `${encodeName(node)}-${visit}`);
    try {
      mkdirSync(dirname(folder), { recursive: true });
      const made = makeFresh(folder);
      mkdirSync(join(made, "artifacts"));
      if (realpathSync.native(join(made, "artifacts")) === join(made, "artifacts")) return made;
    } catch (error) {
      throw diskFault(error, "make the folder of the visit", folder);
    }
    throw new FaultError({
      code: "state-unsafe",
      message: `the folder of the visit, ${folder}, leads elsewhere through a symbolic link`,
      hint: "remove the link, then ask again",
    });
  }

  runFolder(run: string): string {
    if (!isRunId(run)) throw noSuchRun(run, this.runs);
    const known = this.folders.get(run);
    if (known !== undefined) return known;
    const place = join(this.runs, run);
    try {
      this.folders.set(run, realpathSync.native(place));
    } catch {
      return place; // not there (yet)
    }
    return this.folders.get(run) ?? place;
  }

  private byAge(runs: string[]): string[] {
    const made = runs.map((run) => ({ run, since: madeAt(join(this.runs, run)) }));
    made.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : a.run < b.run ? -1 : 1));
    return made.map(({ run }) => run);
  }

  /** A link whose other end is gone is a fault: the run exists, its folder does not. */
  private existing(run: string): string {
    const folder = this.runFolder(run);
    if (!isThere(join(this.runs, run))) throw noSuchRun(run, this.runs);
    return folder;
  }
}

class LockedRun implements OpenFileRun {
  readonly remarks: { about: string; text: string }[] = [];
  readonly lines: Line[];
  readonly fence: number;
  /** One append after the other, whoever asks. */
  private turn: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private latest: Run | undefined;
  private snapshotSeq = 0;

  constructor(
    private readonly folder: string,
    private readonly lock: Lock,
    private readonly journal: Journal,
    private readonly at: FailPoint,
    private readonly token: () => string,
  ) {
    this.lines = journal.lines;
    this.fence = lock.fence;
    if (lock.tookOver !== undefined) this.remarks.push({ about: "lock", text: lock.tookOver });
    if (journal.cutBytes === 0) return;
    const text = `cut ${journal.cutBytes} bytes of a line that was not whole from the end of the journal`;
    this.remarks.push({ about: "journal", text });
  }

  get head(): string {
    return this.journal.head;
  }

  append(event: Event, place: string, meanwhile?: () => Promise<void>): Promise<Line> {
    const line = this.turn.then(() => this.journal.append(event, place, () => this.lock.check(), meanwhile));
    this.turn = line.catch(() => undefined);
    return line;
  }

  /** Costs a rename, and nobody needs it at every event: now and then, and at the end. */
  snapshot(run: Run, isLast = false): Promise<void> {
    const done = this.turn.then(() => {
      this.latest = run;
      if (isLast || run.seq - this.snapshotSeq >= SNAPSHOT_EVERY) this.writeLatest();
    });
    this.turn = done.catch(() => undefined);
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.turn;
    if (this.isClosed) return;
    this.isClosed = true;
    try {
      if (this.lock.isHeld()) this.writeLatest();
    } finally {
      this.journal.close();
      this.lock.release();
    }
  }

  /** A state that is not the newest is no news. A full disk costs the cache, never the run. */
  private writeLatest(): void {
    const run = this.latest;
    if (run?.seq !== this.journal.seq || run.seq === this.snapshotSeq) return;
    this.lock.check();
    this.at("snapshot:before");
    try {
      writeSnapshot(this.folder, { seq: run.seq, head: this.journal.head, run }, this.token());
      this.snapshotSeq = run.seq;
    } catch (error) {
      if (!(diskFault(error, "write", this.folder) instanceof FaultError)) throw error;
    }
    this.at("snapshot:after");
  }
}

/** `<folder>`, or `<folder>.2`, `<folder>.3` behind what earlier tries left (resume-7): nothing of theirs is touched or taken for ours. */
function makeFresh(folder: string): string {
  for (let n = 1; n <= FOLDERS_MAX; n++) {
    const fresh = n === 1 ? folder : `${folder}.${n}`;
    try {
      mkdirSync(fresh);
      return fresh;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  throw new FaultError({
    code: "visit-folders",
    message: `there are ${FOLDERS_MAX} folders of tries beside ${folder}`,
    hint: "start a new run of this loop",
  });
}

/** What a kill between write and rename left beside our own files, whichever they are; the lock's are the lock's affair. */
function sweep(folder: string): void {
  const commits = ["commits", "closings"].map((name) => join(folder, name)).filter((path) => existsSync(path));
  for (const place of [folder, ...commits.flatMap((each) => namesIn(each).map((name) => join(each, name)))])
    for (const name of namesIn(place)) if (/^[a-z]+\.json\..*\.tmp$/.test(name)) discard(join(place, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return [];
    throw diskFault(error, "read", folder);
  }
}

const isThere = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined;

/** flow.json is written once, when the run is made. Broken runs are listed too: what is there must not vanish. */
function madeAt(place: string): bigint {
  const flow = statSync(join(place, "flow.json"), { throwIfNoEntry: false, bigint: true });
  return flow?.mtimeNs ?? lstatSync(place, { throwIfNoEntry: false, bigint: true })?.mtimeNs ?? 0n;
}

const noSuchRun = (run: string, runs: string): Refusal =>
  new Refusal("no-such-run", `there is no run ${JSON.stringify(run)} in ${runs}`, "see all runs with: pawl list");
