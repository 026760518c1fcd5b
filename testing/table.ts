// A run on the table: the pure engine with its journal in memory and nothing else. No clock, no disk, no process.
import type { Command, Event, EventBody, Flow, Run, Verdict } from "../src/core/model.js";
import { placeOf } from "../src/core/place.js";
import { apply, begin, next } from "../src/core/run.js";
import { pass } from "./verdicts.js";

/** Plays everybody who answers: a verdict, or undefined for what is somebody else's to do (a person, the host's agent). */
export type Player = (command: Command, table: Table) => Verdict | undefined;

/**
 * A whole run in memory. Before every step the state is read back from JSON, as after a crash.
 *
 *     const table = new Table(flow, (command) => (nameOf(command) === "test" ? block("red") : pass()));
 *     table.drive();          // until somebody else is to act, or it rests
 *     table.at;               // "work:gate-after:dev", "parked:paused", "success"
 *     table.say("continue");  // a person's answer
 */
export class Table {
  run: Run;
  readonly journal: Event[];
  /** What was answered, in order: "dev:pass", "reviewer/ann:block", "design.exit.lint:pass", "checkpoint", "chain validate". */
  readonly log: string[] = [];

  constructor(
    readonly flow: Flow,
    private readonly player: Player = () => undefined,
    inputs: Record<string, string> = {},
  ) {
    const { name, digest } = flow;
    const body = { type: "started", run: "r1", job: "J-1", flow: name, digest, inputs } as const;
    const started = { seq: 1, at: AT, by: "test", ...body };
    this.journal = [started];
    this.run = begin(flow, started);
  }

  /** Every open command. */
  get open(): Command[] {
    return next(this.flow, reload(this.run));
  }
  /** The one open command; for a fan the one of `branch`. Throws when nothing is asked. */
  asked(branch?: string): Command {
    const found = this.open.find((each) => branch === undefined || (each.do === "work" && each.branch === branch));
    if (!found) throw new Error(`nothing is asked at ${placeOf(this.run.cursor)}`);
    return found;
  }
  /** Any event, with the next number. Throws a Refusal and changes nothing for what may not be now. */
  send(body: EventBody, by = "test"): void {
    const event: Event = { seq: this.run.seq + 1, at: AT, by, ...body };
    this.run = apply(this.flow, reload(this.run), reload(event));
    this.journal.push(event);
  }
  /** Let the player answer until the rest is for somebody else (returned), or nothing is asked. */
  drive(eventsMax = 1_000): Command | undefined {
    for (let i = 0; i < eventsMax; i++) {
      const { open } = this;
      if (!open.length) return undefined;
      if (!open.some((command) => this.play(command))) return open[0];
    }
    throw new Error(`the run did not come to rest within ${eventsMax} events; last: ${this.log.slice(-8).join(", ")}`);
  }
  /** Answer the open question as a person: `say("continue")`. */
  say(outcome: string, more: Partial<Verdict> = {}): void {
    this.answer({ ...pass(outcome), ...more });
  }
  /** Answer the open command, at a fan that of `branch`. */
  answer(verdict: Verdict, branch?: string): void {
    const command = this.asked(branch);
    this.log.push(`${nameOf(command)}:${verdict.outcome ?? verdict.status}`);
    this.send({ type: "verdict", ticket: command.ticket, verdict });
    if (this.run.cursor.at === "checkpoint" && this.run.cursor.saves) this.checkpoint(); // nobody's turn
  }
  /** The open command begins; so often without an answer, as when its process is killed each time. */
  begin(times = 1): void {
    for (let i = 0; i < times; i++) this.send({ type: "begun", ticket: this.asked().ticket, performer: "somebody" });
  }
  /** The open command could not be carried out. The checkpoint that follows is written. */
  fault(message = "the disk is full", branch?: string): void {
    const { ticket } = this.asked(branch);
    this.send({ type: "fault", ticket, error: { code: "no-space", message } });
    this.checkpoint();
  }
  stop(code: "paused" | "interrupted" | "limit" = "paused"): void {
    this.send({ type: "stopped", code, reason: "told to stop" });
    this.checkpoint();
  }
  /** Write the open checkpoint, if one is due. */
  checkpoint(): void {
    const [command] = this.open;
    if (command?.do === "checkpoint") this.play(command);
  }
  resume(): void {
    this.send({ type: "resumed" });
  }
  /** The run as its journal tells it; of the first `events` events where given. */
  replay(events = this.journal.length): Run {
    const [first, ...rest] = reload(this.journal.slice(0, events));
    if (first?.type !== "started") throw new Error("a journal begins with its start");
    return rest.reduce((run, event) => apply(this.flow, run, event), begin(this.flow, first));
  }

  visits = (name: string): number => this.run.visits[name] ?? 0;
  spent = (budget: string): number => this.run.purses[budget]?.spent ?? 0;

  /** "success" for an ended run, else the place as the journal spells it: "work:dev", "parked:paused", "waiting:ci.exit". */
  get at(): string {
    const { cursor } = this.run;
    return cursor.at === "ended" ? cursor.ending : placeOf(cursor);
  }

  private play(command: Command): boolean {
    const { ticket } = command;
    switch (command.do) {
      case "checkpoint":
        this.log.push("checkpoint");
        this.send({ type: "checkpointed", ticket });
        return true;
      case "chain":
        this.log.push(`chain ${command.loop}`);
        this.send({ type: "chained", ticket, run: "r2" });
        return true;
      case "work":
      case "hook": {
        const verdict = this.player(command, this);
        if (!verdict) return false;
        this.log.push(`${nameOf(command)}:${verdict.outcome ?? verdict.status}`);
        this.send({ type: "verdict", ticket, verdict });
        return true;
      }
    }
  }
}

/** What a command is about: "dev", "reviewer/ann", "design.exit.lint", "checkpoint", "chain". */
export function nameOf(command: Command): string {
  if (command.do === "hook") return `${command.node.name}.${command.boundary}.${command.hook.hook}`;
  if (command.do !== "work") return command.do;
  return command.branch ? `${command.node.name}/${command.branch}` : command.node.name;
}

/** Is it a question for a person? */
export const isQuestion = (command: Command): boolean => command.do === "work" && command.work.kind === "ask";

/** A deep copy by way of the disk's format. */
export const reload = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T; // what JSON keeps of T; the engine's data is JSON-safe

const AT = "2026-01-01T00:00:00.000Z";
