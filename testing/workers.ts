// Workers that do what the script says, right or wrong. A wrong one breaks exactly one promise of ports/worker.ts.
import type { Command, Flow, Run } from "../src/core/model.js";
import type { Answer, Begin, Task, Worker } from "../src/ports/worker.js";
import { pass } from "./verdicts.js";

/** What is done for a command; return undefined to leave it to the worker's default (it passes, checkpoints and chains are done). */
export type Script = (task: Task, signal: AbortSignal) => Answer | undefined | Promise<Answer | undefined>;

/**
 * Answers by script and remembers what it was given.
 *
 *     const worker = new ScriptedWorker(({ command }) => (nameOf(command) === "test" ? { verdict: block("red") } : undefined));
 *     worker.handsOut = (command) => isQuestion(command);   // questions are for somebody else
 */
export class ScriptedWorker implements Worker {
  readonly name = "scripted";
  readonly tasks: Task[] = [];
  /** How many are at work now, and the most there ever were. */
  busy = 0;
  busiest = 0;
  /** True for commands that are somebody else's to do. By default people's questions. */
  handsOut: (command: Command) => boolean = (command) => command.do === "work" && command.work.kind === "ask";

  constructor(private readonly script: Script = () => undefined) {}

  here(command: Command, _flow: Flow): boolean {
    return !this.handsOut(command);
  }
  begin(command: Command, _run: Run, _flow: Flow): Begin {
    const session =
      command.do === "work" && command.work.kind === "agent" ? { session: `session-${command.ticket}` } : {};
    return { performer: this.name, ...session };
  }
  async carryOut(task: Task, signal: AbortSignal): Promise<Answer> {
    this.tasks.push(task);
    this.busiest = Math.max(this.busiest, ++this.busy);
    try {
      return (await this.script(task, signal)) ?? usual(task.command);
    } finally {
      this.busy--;
    }
  }
}

function usual(command: Command): Answer {
  if (command.do === "checkpoint") return { checkpointed: {} };
  if (command.do === "chain") return { chained: { run: "r2" } };
  return { verdict: pass() };
}

/** Works until it is told to stop, and then says so. */
export const untilCancelled = (signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ cancelled: true });
    signal.addEventListener("abort", () => resolve({ cancelled: true }), { once: true });
  });

/** Finishes its answer although it was told to stop: late, but good. */
export const late = async (signal: AbortSignal, answer: Answer): Promise<Answer> => {
  await untilCancelled(signal);
  return answer;
};

/** Breaks a promise: throws where it must come back with a fault. */
export const throwing = (message = "a bug in the worker"): never => {
  throw new Error(message);
};

/** Breaks a promise: never answers, signal or not. Only for what is not waited for. */
export const never = (): Promise<Answer> => new Promise(() => {});

/** What a worker says whose world is broken. */
export const faulty = (message = "the disk is full", code = "no-space"): Answer => ({ fault: { code, message } });
