// Reads bubblewrap's own word about the sandbox (`--json-status-fd`): the number of PID 1 inside, and how the command ended.
// The command cannot write there: bubblewrap closes the descriptor before it starts the command.
import type { Readable } from "node:stream";
import { startOf } from "../processes.js";

const STATUS_BYTES_MAX = 4_096;

export class Status {
  /** PID 1 of the sandbox, as the host numbers it. */
  inside?: { pid: number; startedAt: string | undefined };
  exitCode?: number;
  /** Settles when nothing more will be said. */
  readonly done: Promise<void>;
  private text = "";

  constructor(stream: Readable) {
    stream.on("data", (chunk: Buffer) => this.hear(chunk));
    this.done = new Promise((resolve) => {
      for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
    });
  }
  private hear(chunk: Buffer) {
    this.text = (this.text + chunk.toString("latin1")).slice(0, STATUS_BYTES_MAX);
    const pid = /"child-pid": (\d+)/.exec(this.text)?.[1];
    if (pid && !this.inside) this.inside = { pid: Number(pid), startedAt: startOf(Number(pid)) };
    const code = /"exit-code": (\d+)\s*\}/.exec(this.text)?.[1];
    if (code !== undefined) this.exitCode = Number(code);
  }
}
