// Whoever answers a command: agent, shell command, action, look, person, sub-loop, checkpoint.
import type { Command, ErrorRecord, Flow, Answer as PersonsAnswer, Run, Spent, Verdict } from "../core/model.js";

export type Answer =
  | { verdict: Verdict; spent?: Spent; answer?: PersonsAnswer; session?: string }
  | { checkpointed: { commit?: string; trouble?: string } }
  | { chained: { run?: string; why?: string } }
  | { fault: ErrorRecord; spent?: Spent; session?: string }
  /** It goes on somewhere else and rests there: drive stops and hands `rest` to the caller. */
  | { yielded: { rest: string } }
  /** The signal came before there was an answer. */
  | { cancelled: true };

export interface Begin {
  performer: string;
  /** The agent session this try will use, chosen before the call so that a crash cannot lose it. */
  session?: string;
  /** True: `session` is one that began earlier and goes on. */
  resumes?: boolean;
}

export interface Worker {
  readonly name: string;
  /** False: a person or the host's agent does this; the command is handed out and the answer comes later. */
  here(command: Command, flow: Flow): boolean;
  /** What the journal says before the work begins. Must not throw, must not touch the world. */
  begin(command: Command, run: Run, flow: Flow): Begin;
  /** Must not throw: what cannot be done comes back as a fault. Must answer soon after `signal` aborts, with nothing of it alive. */
  carryOut(task: Task, signal: AbortSignal): Promise<Answer>;
}
export interface Task {
  command: Command;
  run: Run;
  flow: Flow;
  begin: Begin;
  /** Starts of this command so far, this one included. */
  tries: number;
}
