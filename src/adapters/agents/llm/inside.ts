// Runs one program inside the sandbox of the visit and hands back what it printed: all that a tool of the built-in agent does.
import { GRACE_MS } from "../../../core/limits.js";
import type { ErrorRecord } from "../../../core/model.js";
import type { Turn } from "../../../ports/agent.js";
import { FaultError } from "../../../ports/errors.js";
import type { Outcome } from "../../../ports/sandbox.js";
import { drained, feed, pump } from "../pump.js";

/** The sandbox could not run a tool at all. That is no answer for the model: it ends the turn. */
export class SandboxTrouble extends Error {
  constructor(readonly record: ErrorRecord) {
    super(record.message);
  }
}
export interface Ran {
  /** 0, or how it ended. */
  how: string;
  stdout: Buffer;
  stderr: string;
}
export interface Input {
  stdin?: string;
  signal?: AbortSignal | undefined;
  bytesMax: number;
}
export type Inside = (argv: string[], input: Input) => Promise<Ran>;

/** Of one command; the turn's own time is kept beside it. */
const COMMAND_MS = 600_000;

/** One after the other: the library runs the calls of one reply side by side. After a trouble nothing runs any more. */
export function insideOf({ sandbox, workspace, env }: Turn): Inside {
  let before: Promise<unknown> = Promise.resolve();
  return (argv, input) => {
    const mine = before.then(() => {
      input.signal?.throwIfAborted();
      return run(argv, input);
    });
    before = mine.catch((error) => {
      if (error instanceof SandboxTrouble) throw error;
    });
    before.catch(() => {}); // for the next call to hear, if there is one
    return mine;
  };

  async function run(argv: string[], { stdin = "", signal, bytesMax }: Input): Promise<Ran> {
    const child = await sandbox({ argv, cwd: workspace, env, timeoutMs: COMMAND_MS, graceMs: GRACE_MS }).catch(
      (error) => {
        throw new SandboxTrouble(
          error instanceof FaultError ? error.record : { code: "agent-start", message: String(error) },
        );
      },
    );
    const stop = () => child.stop("cancelled");
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    const out = new Kept(bytesMax);
    const err = new Kept(bytesMax);
    const pumps = [pump(child.stdout, (chunk) => out.push(chunk)), pump(child.stderr, (chunk) => err.push(chunk))];
    feed(child.stdin, stdin);
    const outcome = await child.ended;
    await drained(pumps);
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
    return { how: howOf(outcome), stdout: out.bytes(), stderr: err.bytes().toString("utf8") };
  }
}

function howOf(outcome: Outcome): string {
  switch (outcome.end) {
    case "exit":
      return outcome.code === 0 ? "" : `exit code ${outcome.code}`;
    case "signal":
      return `ended by ${outcome.signal}`;
    case "limit":
      return `ended: it used up its ${outcome.limit} (${outcome.value})`;
    case "cancelled":
      return "cancelled";
    case "fault":
      throw new SandboxTrouble(outcome.fault);
  }
}

/** The first bytes; the rest is read and dropped. */
class Kept {
  private readonly chunks: Buffer[] = [];
  private sizeBytes = 0;
  constructor(private readonly bytesMax: number) {}
  push(chunk: Buffer): void {
    const part = chunk.subarray(0, this.bytesMax - this.sizeBytes);
    this.sizeBytes += part.length;
    if (part.length) this.chunks.push(part);
  }
  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
