// What every command is handed: the house when it needs one, the streams, the terminal. No command knows an adapter.
import type { Issue } from "../../config/issues.js";
import type { Ground } from "../../ports/ground.js";
import type { House, Loaded, LoadOptions } from "../../ports/house.js";
import type { Library } from "../../ports/library.js";
import type { Sandbox } from "../../ports/sandbox.js";

export interface Desk {
  /** The house of the folder Pawl was started in; opened at the first call. Throws a FaultError or Refusal. */
  house(): Promise<CliHouse>;
  /** The same desk in another folder, with a house of its own; what is asked for goes to `out`. */
  at(cwd: string, out: (text: string) => void): Desk;
  /** Serves MCP over stdin and stdout until the client closes them. Returns the exit code. */
  mcp(): Promise<number>;
  /** A folder of Pawl's own package. */
  packaged(name: string): Promise<string>;
  cwd: string;
  env: Record<string, string | undefined>;
  /** stdout: what was asked for. With --json one document and nothing else. */
  out(text: string): void;
  /** stderr: progress, warnings, trouble. */
  err(text: string): void;
  /** Are both ends of the conversation terminals? */
  terminal: boolean;
  colour: boolean;
  columns(): number;
  /** Stops when the process is told to: Ctrl-C, SIGTERM. Its reason is a StopOrder. */
  signal: AbortSignal;
  json: boolean;
  /** A success with warnings ends with 1. */
  strict: boolean;
}
export interface CliHouse extends House {
  /** With every complaint as data, the warnings of a loop that loads included. */
  load(name: string, how: LoadOptions): Promise<Loaded & { issues: Issue[] }>;
  /** A journal by path: verified, its lines counted. Throws a FaultError that names the first line that is not whole. */
  readJournal(path: string): { lines: number; head: string };
  library: Library;
  /** People's files in the work tree, for setting up. */
  ground(): Ground;
  engines: Sandbox[];
}
