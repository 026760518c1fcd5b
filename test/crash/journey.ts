// One run taken to its end however often it is killed on the way. After each death everything that is promised is looked at.
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { MEMORY_FILES } from "../../src/core/memory.js";
import { type Ended, ended, Repository } from "../harness/repository.js";
import type { Body } from "./bodies.js";
import { THAT_DIES } from "./build.js";
import { digestOf, leftovers, linesOf, ownerOf, storyOf, survivorsAt, type Told } from "./traces.js";

/** What a run may leave in the work tree: its record, and the files of the memory bank. */
const OURS = [".pawl/jobs", ...Object.keys(MEMORY_FILES).map((name) => `.pawl/${name}`)].map((path) => `:!${path}`);
/** Starts of the program for one run; more would mean that it does not get on. */
const STARTS_MAX = 80;
/** How long what a killed Pawl left may live. */
const GONE_MS = 5_000;
const LOOK_MS = 20;

export interface Death {
  /** At the n-th time of a named moment: "append:after#3". */
  at?: string;
  /** From outside, after so many milliseconds. */
  afterMs?: number;
  signal?: NodeJS.Signals;
}

export class Journey implements Disposable {
  readonly repository: Repository;
  /** How often the program was killed. */
  kills = 0;
  starts = 0;
  private wasKilled = false;

  constructor(readonly body: Body) {
    this.repository = Repository.make(body.files);
  }
  [Symbol.dispose](): void {
    this.repository[Symbol.dispose]();
  }

  get runs(): string {
    return join(this.repository.folder, ".git", "pawl", "runs");
  }
  get run(): string | undefined {
    return existsSync(this.runs) ? readdirSync(this.runs).find((name) => !name.startsWith(".")) : undefined;
  }
  get lines(): Told[] {
    return this.run === undefined ? [] : linesOf(join(this.runs, this.run, "journal.jsonl"));
  }
  get isOver(): boolean {
    return (this.lines.at(-1)?.place ?? "").startsWith("ended:");
  }

  /** Carries on with whatever is next, as a person would; dies as it is told. */
  async goOn(death: Death = {}, env: Record<string, string> = {}): Promise<Ended> {
    this.starts += 1;
    if (this.starts > STARTS_MAX) throw new Error(`it does not get on:\n${storyOf(this.lines).join("\n")}`);
    const dies = death.at === undefined ? {} : { PAWL_DIES_AT: death.at };
    const child = this.repository.start(this.command(), { program: THAT_DIES, env: { ...env, ...dies } });
    const records = this.watchRecords(child);
    const over = ended(child);
    if (death.afterMs !== undefined) {
      await Promise.race([over, sleep(death.afterMs)]);
      if (child.exitCode === null) child.kill(death.signal ?? "SIGKILL");
    }
    const end = await over;
    await records;
    this.wasKilled = end.signal === "SIGKILL";
    if (this.wasKilled) this.kills += 1;
    else if (end.signal === null || end.signal !== death.signal)
      // a signal that finds Node before our handlers are there, or after they have gone, ends it as any process
      expect([0, 3, 130], `exit ${end.code} of ${this.command().join(" ")}: ${end.out}${end.err}`).toContain(end.code);
    return end;
  }

  private command(): string[] {
    const { run, lines, body } = this;
    if (run === undefined) return ["run", body.loop];
    const place: string = lines.at(-1)?.place ?? "";
    const isGate = this.isGate(place);
    const answered = lines.filter(({ answer }) => answer !== undefined).length;
    return isGate ? ["answer", run, body.answers[answered] ?? "nothing"] : ["resume", run];
  }
  private isGate(place: string): boolean {
    const node = this.flow?.nodes[place.replace(/^work:/, "")];
    return place.startsWith("work:") && node?.work.kind === "ask";
  }
  private get flow(): Told {
    return JSON.parse(readFileSync(join(this.runs, this.run ?? "", "flow.json"), "utf8")).flow;
  }

  /** The record is whole JSON at every moment. */
  private async watchRecords(child: ChildProcess): Promise<void> {
    while (child.exitCode === null && child.signalCode === null) {
      this.record();
      await sleep(LOOK_MS);
    }
    this.record();
  }
  private record(): Told {
    const { run, body, repository } = this;
    const path = join(repository.folder, ".pawl", "jobs", "main", `${body.loop}-${run}.json`);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  }

  /** What `pawl status` says right after is what the journal says; nothing of the dead process lives on. */
  async look(): Promise<void> {
    const { run, lines, repository } = this;
    const end = await repository.pawl(["status", "--json"], { program: THAT_DIES });
    if (run === undefined) {
      expect(end.json().error).toMatchObject({ code: "no-run" });
    } else {
      expect(end.code, end.err).toBe(0);
      this.compare(end.json(), lines);
    }
    expect(await survivorsAt(repository.root, GONE_MS)).toEqual([]);
  }

  private compare(told: Told, lines: Told[]): void {
    const stands: string = lines.at(-1)?.place ?? "work:";
    const place = stands.replace(/^(?:checkpoint>)+/, "");
    const where = place.startsWith("ended:") ? "complete" : place.startsWith("parked:") ? "paused" : "going";
    const says = told.status === "complete" || told.status === "paused" ? told.status : "going";
    expect([told.run, says, told.gate !== undefined]).toEqual([
      this.run,
      this.isGate(stands) ? "paused" : where,
      this.isGate(stands), // before it is asked, what led there is committed
    ]);
    for (const { name, verdict } of told.steps) {
      const last = lines.findLast(({ type, ticket }) => type === "verdict" && ownerOf(ticket) === name)?.verdict;
      if (!this.flow.nodes[name]?.work.branches)
        expect([name, verdict]).toEqual([name, last?.outcome ?? last?.status ?? null]);
    }
    const { head } = this.record() ?? {};
    if (head !== undefined) expect(transitionsSince(head, lines)).toBeLessThanOrEqual(1);
  }

  /** Whose last command was killed asks again: the run is over, and what its end still owed is done. */
  async close(): Promise<void> {
    if (!this.wasKilled) return;
    const { code, err } = await this.repository.pawl(["resume", this.run ?? ""], { program: THAT_DIES });
    expect([code, err]).toEqual([1, expect.stringContaining(`run ${this.run} has ended`)]);
  }

  /** All that must hold at the end. */
  async judge(undisturbed: string[]): Promise<void> {
    const { body, repository, lines, run = "" } = this;
    expect(storyOf(lines)).toEqual(undisturbed);
    this.judgeTickets();
    const [...subjects] = repository.git("log", "--reverse", "--format=%s").trim().split("\n");
    expect(subjects).toEqual(["start", ...body.commits.map(({ subject }) => subject)]);
    for (const { paths } of body.commits) {
      expect(repository.git("show", "--name-only", "--format=", "HEAD").trim().split("\n")).toEqual(paths);
      expect(repository.git("status", "--porcelain", "--untracked-files=all", ...OURS)).toBe("");
    }
    const verified = await repository.pawl(["verify", run], { program: THAT_DIES });
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining(`whole: ${lines.length} events`)]);
    const record = this.record();
    expect(record).toMatchObject({ status: "complete", task_id: run });
    expect(transitionsSince(record.head, lines)).toBeLessThanOrEqual(1);
    expect(leftovers(join(repository.folder, ".git"), join(repository.folder, ".pawl"))).toEqual([]);
    expect(await survivorsAt(repository.root, GONE_MS)).toEqual([]);
  }

  /** One verdict a ticket, none begun again after it; every execution was begun on paper, and what was begun once was done once. */
  private judgeTickets(): void {
    const answered = new Set<string>();
    for (const { type, ticket } of this.lines) {
      if (type === "begun" || type === "verdict") expect(answered, `${type} ${ticket}`).not.toContain(ticket);
      if (type === "verdict") answered.add(ticket);
    }
    for (const [visit, times] of this.executions()) {
      const begun = this.begun(visit);
      expect(times, `${visit} was begun ${begun} times`).toBeLessThanOrEqual(begun);
      if (begun === 1) expect([visit, times]).toEqual([visit, 1]);
    }
  }

  /** "dev-2" and how often its double was there; tries after a crash have folders "dev-2.2", "dev-2.3". */
  executions(): Map<string, number> {
    const visits = join(this.runs, this.run ?? "", "visits");
    const found = new Map<string, number>();
    for (const name of existsSync(visits) ? readdirSync(visits) : []) {
      const book = join(visits, name, "artifacts", "executions");
      const visit = name.replace(/\.\d+$/, "").replace("%2F", "/");
      if (existsSync(book))
        found.set(visit, (found.get(visit) ?? 0) + readFileSync(book, "utf8").trim().split("\n").length);
    }
    return found;
  }
  private begun(visit: string): number {
    const [, owner = "", number = ""] = /^(.*)-(\d+)$/.exec(visit) ?? [];
    const tickets = [
      ...new Set(
        this.lines.filter((line) => line.type === "begun" && ownerOf(line.ticket) === owner).map((line) => line.ticket),
      ),
    ];
    const answered = tickets.filter((ticket) =>
      this.lines.some((line) => line.type === "verdict" && line.ticket === ticket),
    );
    const wanted =
      answered.length < tickets.length || tickets.length !== answered.length ? tickets : [answered[Number(number) - 1]];
    return this.lines.filter(({ type, ticket }) => type === "begun" && wanted.includes(ticket)).length;
  }
}

/** How often the run has moved on since the line the record tells of: a kill between a line and its record is one. */
function transitionsSince(head: string, lines: Told[]): number {
  const at = lines.findIndex((line) => digestOf(line) === head);
  if (at < 0) throw new Error(`no line of the journal has the digest ${head} of the record`);
  return lines.slice(at + 1).filter((line, i) => line.place !== lines[at + i].place).length;
}
