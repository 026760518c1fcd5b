// Flows of the example loops, and journals told by hand: for tests of what reads a run.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Known } from "../../src/config/known.js";
import { lower } from "../../src/config/lower/index.js";
import { parseLoop } from "../../src/config/parse.js";
import type { Answer, Event, EventBody, Flow, Run, Spent, Verdict } from "../../src/core/model.js";
import { apply, begin, next } from "../../src/core/run.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const free = { outcomes: [], check: () => [] };
const skill = { text: "Do it.", digest: sha256("Do it.") };
export const KNOWN: Known = {
  loops: ["dev", "validate", "phase", "pipeline", "design"],
  skills: { "implement-next-phase": skill, commit: skill, validate: skill },
  validators: { run_tests: [{ path: "validators/run_tests.sh", digest: sha256("run_tests") }] },
  documents: { "README.md": { digest: sha256("README") } },
  performers: {},
  fallback: "claude-code",
  uses: ["claude-code", "command"],
  actions: { commit: { ...free, outcomes: ["not-committed"] } },
  hooks: {
    "tree-changed": { ...free, effect: false },
    "validate-artifacts": { ...free, effect: false },
    "lint-artifacts": { ...free, effect: false },
    validator: { ...free, outcomes: ["optional"], effect: false },
    all_phases_complete: { ...free, effect: false },
  },
  conditions: ["all_phases_complete"],
  isSet: () => true,
  sha256,
};

/** One of `test/examples/loops` by name. */
export const exampleFlow = (name: string): Flow =>
  flowOfText(readFileSync(new URL(`../examples/loops/${name}.yaml`, import.meta.url), "utf8"), `loops/${name}.yaml`);

export function flowOfText(text: string, path = "loops/x.yaml"): Flow {
  const parsed = parseLoop(text, path);
  if ("issues" in parsed) throw new Error(JSON.stringify(parsed.issues));
  const lowered = lower({ file: parsed.file, where: parsed, path }, KNOWN);
  if ("issues" in lowered) throw new Error(JSON.stringify(lowered.issues));
  return lowered.flow;
}

/** A run told event by event, a second apart. Checks and checkpoints on the way answer by themselves. */
export class Tale {
  readonly events: Event[] = [];
  run: Run;
  private seconds = 0;

  constructor(
    readonly flow: Flow,
    job = "DM-1",
    private readonly start = Date.UTC(2026, 10, 30, 14, 0, 0),
  ) {
    const started = this.stamp(
      { type: "started", run: `${flow.name}-1`, job, flow: flow.name, digest: flow.digest, inputs: {} },
      "user-a",
    );
    this.run = begin(flow, started as Event & { type: "started" }); // just made
    this.events.push(started);
  }

  add(body: EventBody, by = "pawl"): this {
    const event = this.stamp(body, by);
    this.run = apply(this.flow, this.run, event);
    this.events.push(event);
    return this;
  }

  /** The work that is asked for is begun and answered. */
  works(verdict: Partial<Verdict> & Pick<Verdict, "status">, more: { spent?: Spent; answer?: Answer } = {}): this {
    const command = this.command();
    if (!more.answer) this.add({ type: "begun", ticket: command.ticket, performer: "doer" });
    const whole = { findings: [], ...verdict };
    this.add({ type: "verdict", ticket: command.ticket, verdict: whole, ...more }, more.answer?.who ?? "pawl");
    return this.settle();
  }

  passes = (spent?: Spent): this => this.works({ status: "pass" }, spent ? { spent } : {});
  fails = (text: string, more: Partial<Verdict> = {}): this =>
    this.works({ status: "block", findings: [{ text, severity: "error" }], ...more });
  answers = (outcome: string, comment?: string): this => {
    const answer: Answer = {
      who: "user-a",
      channel: "terminal",
      shown: "0".repeat(64),
      ...(comment ? { comment } : {}),
    };
    return this.works({ status: "pass", outcome }, { answer });
  };

  /** Looks and checkpoints answer by themselves until work is asked for. */
  private settle(): this {
    for (let command = next(this.flow, this.run)[0]; command; command = next(this.flow, this.run)[0]) {
      if (command.do === "work") break;
      if (command.do === "hook")
        this.add({ type: "verdict", ticket: command.ticket, verdict: { status: "pass", findings: [] } });
      else this.add({ type: command.do === "chain" ? "chained" : "checkpointed", ticket: command.ticket });
    }
    return this;
  }

  private command() {
    this.settle();
    const [command] = next(this.flow, this.run);
    if (!command) throw new Error(`nothing is asked for at ${this.run.cursor.at}`);
    return command;
  }

  private stamp(body: EventBody, by: string): Event {
    const at = new Date(this.start + this.seconds * 1000).toISOString();
    this.seconds += 1;
    return { seq: this.events.length + 1, at, by, ...body };
  }
}
