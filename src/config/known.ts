// What config asks of the world outside, as data: the names that exist, and what stands behind those a file names.
import type { Json, Performer } from "../core/model.js";
import type { AgentFileRead } from "./agent-file.js";

export interface Known {
  loops: string[];
  skills: Record<string, { text: string; digest: string } | undefined>;
  /** Every file that could be meant; two are an error, none is another. */
  validators: Record<string, { path: string; digest: string }[]>;
  /** By the author's words; `path` is the one name of the document, `isBlank` says that nothing stands in it. */
  documents: Record<string, { digest: string; path?: string; isBlank?: boolean } | undefined>;
  /** Every agent that somebody mapped or wrote a file for, in the order of the loop file, the settings, the files. */
  registered?: string[];
  /** By the agent's name; undefined where there is no such file. `path`: where it is, or where it was looked for. */
  agentFiles?: Record<string, { path: string; digest: string; read: AgentFileRead } | undefined>;
  /** Of the repository's settings. */
  performers: Record<string, Performer>;
  /** For skills and unmapped agents: `--agent`, else the repository's, else none. */
  fallback?: string;
  /** True: `fallback` was asked for by who starts the loop, and stands above what the file says. */
  isChosen?: boolean;
  /** The words after `use:` this release drives. */
  uses: string[];
  actions: Record<string, ActionFacts>;
  hooks: Record<string, HookFacts>;
  conditions: string[];
  /** Is this environment variable set? */
  isSet(variable: string): boolean;
  sha256(text: string): string;
}
export interface ActionFacts {
  /** Besides "pass": each goes where "pass" goes and is marked with its own name. */
  outcomes: string[];
  /** Complaints about the params; the path is below `params`. */
  check(params: Json): Complaint[];
}
export interface HookFacts {
  /** Besides pass and block. */
  outcomes: string[];
  effect: boolean;
  check(params: Json): Complaint[];
}
export interface Complaint {
  path: (string | number)[];
  message: string;
  hint?: string;
}

/** What a command line changes about a file. */
export interface Overrides {
  maxAttempts?: number;
  maxIter?: number;
  maxResets?: number;
}
