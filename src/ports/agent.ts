// Drives one kind of coding agent. One implementation a kind of client; the process is its own affair.
import type { ErrorRecord, Performer, Spent } from "../core/model.js";

export interface Agent {
  /** The word after `use:`. */
  readonly use: string;
  /** True: its whole process runs inside the sandbox. False: Pawl says so in plan, status and record. */
  readonly confined: boolean;
  /** True: the client takes the session id we choose. */
  readonly choosesSession: boolean;
  /** Is it here, which version, and if not what to type. Must not throw. Starts at most `--version`. */
  probe(performer: Performer, signal: AbortSignal): Promise<AgentReport>;
  /** One turn. Must not throw. Must not answer before every process it started is dead. */
  perform(turn: Turn, signal: AbortSignal): Promise<AgentEnd>;
}
export interface AgentReport {
  use: string;
  usable: boolean;
  version?: string;
  why?: string;
  mend?: string;
}
export interface Turn {
  performer: Performer;
  prompt: string;
  access: "read" | "write";
  workspace: string;
  /** Folder of this visit where artifacts are written. Absolute. */
  artifacts: string;
  /** Folder of this visit for the raw stream (`stream.jsonl`) and the console log (`console.log`). Absolute, not visible to the agent. */
  visitFolder: string;
  /** PAWL_RUN … PAWL_NONCE, and what the performer's `env` gave. */
  env: Record<string, string>;
  session: string;
  /** True: go on with `session`; the prompt is then a short one. */
  resume: boolean;
  timeoutMs: number;
  turnsMax?: number;
  /** Folder of the run for conversations that outlive a visit. Absolute, not visible to the agent. Absent: the visit's own. */
  sessionFolder?: string;
  /** What `session` had come to before, for agents that count a whole conversation. */
  before?: Total;
  /** For agents that run inside the sandbox. */
  sandbox: SandboxStart;
  /** An agent that names its sessions itself says so here, at once: it may be killed before its end. */
  onSession?(session: string): void;
  onLine(line: string): void;
  /** Blots out the secrets that were handed in by name; for whatever is written down. */
  mask(text: string): string;
}
/** Starts a program inside the sandbox of this visit. */
export type SandboxStart = (task: import("./sandbox.js").SandboxTask) => Promise<import("./sandbox.js").Child>;
/** Tokens of a whole conversation. */
export interface Total {
  inputTokens: number;
  outputTokens: number;
}
export type AgentEnd = { spent: Spent; session?: string; total?: Total; output: string } & (
  | { end: "finished"; denials: string[] }
  /** It came to its own end and says it failed, or ended with a non-zero exit code. */
  | { end: "failed"; why: string }
  /** A cap of ours or of the client: time, turns, output, memory. */
  | { end: "limit"; limit: string; why: string }
  | { end: "cancelled" }
  /** The session that was to be resumed is not there: start a fresh one. */
  | { end: "no-session" }
  /** The world's trouble, not the work's: not installed, no key, model error, sandbox. Costs no attempt. */
  | { end: "fault"; fault: ErrorRecord }
);
