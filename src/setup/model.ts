// What setting a repository up is made of: wishes (what a file is to hold), a plan (changes as data), and what was left alone.
import type { Json } from "../core/model.js";
import type { Found } from "../ports/ground.js";

export type { Found } from "../ports/ground.js";
export type Look = (path: string) => Found;

/** What a file is to hold. People's own text around it is never touched. */
export type Wish =
  /** One marked block in a file that is people's. */
  | { kind: "block"; path: string; body: string; style: BlockStyle; why: string }
  /** Entries of a JSON file, comments allowed; every other byte stays. */
  | { kind: "json"; path: string; puts: Put[]; adds: Add[]; why: string }
  /** A file that is ours as a whole; one that a person wrote or changed is kept. */
  | { kind: "own"; path: string; text: string; why: string }
  /** Written where it is missing, and a person's from then on. `settings` are keys to set in it, one by one, when it is there. */
  | { kind: "fresh"; path: string; text: string; why: string; settings?: Record<string, string | string[]> };
export type BlockStyle = "markdown" | "hash" | "toml";
/** A value at a path of keys. */
export interface Put {
  at: string[];
  value: Json;
}
/** An item of a list at a path of keys; `sign` is a text that only our items hold, in any release. */
export interface Add {
  at: string[];
  item: Json;
  sign: string;
}

/** What we know of a file we wrote to, kept in `.pawl/setup.json`: enough to give the original bytes back. */
export interface Trace {
  /** The file was not there before. */
  made?: true;
  /** sha256 of the whole text as we wrote it (own and fresh files). */
  digest?: string;
  /** Line ends we put before the block. */
  before?: string;
  /** Values we put, as compact JSON, by path of keys: one that differs now was changed by a person. */
  values?: Record<string, string>;
  /** Containers we filled, by path of keys: their text before, or null when they were not there. */
  undo?: Record<string, string | null>;
}

export interface Change {
  path: string;
  /** Undefined: not there. */
  before: string | undefined;
  after: string | undefined;
  why: string;
}
/** A file that is not written, and why: the end of a sentence about it. */
export interface Left {
  path: string;
  why: string;
}
export interface Plan {
  changes: Change[];
  left: Left[];
  traces: Record<string, Trace>;
}

export const CLIENT_NAMES = [
  "claude-code",
  "codex",
  "opencode",
  "gemini",
  "copilot",
  "cursor",
  "vscode",
  "qwen",
  "antigravity",
] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export interface Choices {
  clients: ClientName[];
  /** The words that start Pawl on any machine of the team. */
  command: string[];
  /** The gate at the end of a turn. */
  hook: boolean;
  /** Slugs of shipped skills to copy. */
  skills: "all" | "none" | string[];
}
