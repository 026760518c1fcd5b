// What the MCP server is handed: how to open the house of a folder, the streams, the signal to end.
import type { Readable, Writable } from "node:stream";
import type { House } from "../../ports/house.js";
import type { Library } from "../../ports/library.js";

export interface McpHouse extends House {
  library: Library;
  /** From now on the run belongs to the client that started this server: end-of-turn hooks of other clients leave it alone. */
  bindSession(run: string): void;
}
export interface McpDesk {
  version: string;
  /** The folder the server was started in. Absolute. */
  cwd: string;
  /** A house for one call. Throws a FaultError or Refusal. */
  open(folder: string): Promise<McpHouse>;
  input: Readable;
  output: Writable;
  /** Trouble for people; nothing of it reaches the agent. */
  err(text: string): void;
  signal: AbortSignal;
}
