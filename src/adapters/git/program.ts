// Runs one program of ours on the host, with an environment made from nothing, a time bound and an output bound.
import { spawn } from "node:child_process";
import { GRACE_MS } from "../../core/limits.js";
import { FaultError } from "../../ports/errors.js";

/** Time one git process may take. */
export const GIT_TIMEOUT_MS = 30_000;
/** Bytes of one answer of git: a listing of 100,000 long paths fits. */
export const GIT_OUTPUT_BYTES_MAX = 64 << 20;
/** Bytes of its complaints that are kept. */
const STDERR_BYTES_MAX = 64 << 10;

export interface Program {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin?: string | Buffer;
  timeoutMs?: number;
  outputBytesMax?: number;
}
export interface Ended {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Any exit code is an answer. Throws a FaultError when it cannot start, is killed, takes too long or says too much. */
export function runProgram(program: Program): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { file, args, cwd, env, timeoutMs = GIT_TIMEOUT_MS, outputBytesMax = GIT_OUTPUT_BYTES_MAX } = program;
    const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    const out = new Kept(outputBytesMax);
    const err = new Kept(STDERR_BYTES_MAX);
    let trouble: FaultError | undefined;
    let kill: NodeJS.Timeout | undefined;
    const stop = (code: string, message: string) => {
      if (trouble) return;
      trouble = fault(code, message);
      signal(child.pid, "SIGTERM");
      kill = setTimeout(() => signal(child.pid, "SIGKILL"), GRACE_MS);
    };
    const bound = setTimeout(
      () => stop("git-timeout", `"git ${verb(args)}" took longer than ${timeoutMs} ms`),
      timeoutMs,
    );
    child.stdout.on("data", (part: Buffer) => {
      if (!out.take(part)) stop("git-output", `"git ${verb(args)}" said more than ${outputBytesMax} bytes`);
    });
    child.stderr.on("data", (part: Buffer) => err.take(part));
    child.stdin.on("error", () => {}); // it ended before it read everything: its exit code tells
    child.on("error", (error) => {
      clearTimeout(bound);
      reject(fault("git-missing", `"${file}" cannot be started: ${error.message}`, "install git, or put it in PATH"));
    });
    child.on("close", (code, killedBy) => {
      clearTimeout(bound);
      clearTimeout(kill);
      if (trouble) reject(trouble);
      else if (code === null) reject(fault("git-killed", `"git ${verb(args)}" was ended by ${killedBy ?? "a signal"}`));
      else resolve({ code, stdout: out.bytes(), stderr: err.bytes().toString("utf8") });
    });
    child.stdin.end(program.stdin ?? "");
  });
}

export function fault(code: string, message: string, hint?: string): FaultError {
  return new FaultError({ code, message, ...(hint === undefined ? {} : { hint }) });
}

class Kept {
  private readonly parts: Buffer[] = [];
  private length = 0;
  constructor(private readonly max: number) {}
  /** False when it is full; what does not fit is dropped. */
  take(part: Buffer): boolean {
    if (this.length + part.length > this.max) return false;
    this.parts.push(part);
    this.length += part.length;
    return true;
  }
  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** The whole group: git starts children of its own. */
function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // dead already
  }
}

/** The first word that is no flag and no flag's value, for messages. */
function verb(args: string[]): string {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "-c") i++;
    else if (!arg.startsWith("-")) return arg;
  }
  return "";
}
