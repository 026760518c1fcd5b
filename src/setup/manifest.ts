// `.pawl/setup.json`: what was chosen and what was written, so that it can be brought up to date and taken back.
import type { Json } from "../core/model.js";
import { type Choices, CLIENT_NAMES, type ClientName, type Trace } from "./model.js";

export const MANIFEST = ".pawl/setup.json";
export const MANIFEST_SCHEMA = 1;

export interface Manifest {
  choices: Choices;
  traces: Record<string, Trace>;
}

export function manifestText({ choices, traces }: Manifest): string {
  const sorted = Object.fromEntries(Object.entries(traces).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify({ schema: MANIFEST_SCHEMA, ...choices, files: sorted }, null, 2)}\n`;
}

/** "broken": not ours, or of a later release. Nothing in it is trusted further than its shape. */
export function readManifest(text: string): Manifest | "broken" {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return "broken";
  }
  if (!isMap(data) || data.schema !== MANIFEST_SCHEMA || !isMap(data.files)) return "broken";
  const { clients, command, hook, skills } = data;
  if (!isTexts(clients) || !isTexts(command) || typeof hook !== "boolean") return "broken";
  if (!isCommand(command) || !(skills === "all" || skills === "none" || isTexts(skills))) return "broken";
  const known = clients.filter((name): name is ClientName => (CLIENT_NAMES as readonly string[]).includes(name));
  const traces = Object.entries(data.files).map(([path, trace]) => [path, traceOf(trace)] as const);
  return { choices: { clients: known, command, hook, skills }, traces: Object.fromEntries(traces) };
}

/** Words that need no quoting in any shell, in JSON or in TOML: they are written into files that run them. */
export function isCommand(words: string[]): boolean {
  return (
    words.length > 0 &&
    words.length <= 8 &&
    words.every((word) => /^[A-Za-z0-9@._/+][A-Za-z0-9@._/+=-]{0,200}$|^--?[a-z][a-z-]{0,40}$/.test(word))
  );
}

function traceOf(value: unknown): Trace {
  if (!isMap(value)) return {};
  const { made, digest, before, values, undo } = value;
  return {
    ...(made === true ? { made } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
    ...(typeof before === "string" ? { before } : {}),
    ...(isMap(values) ? { values: only(values, (each) => typeof each === "string") as Record<string, string> } : {}), // filtered so
    ...(isMap(undo)
      ? { undo: only(undo, (each) => typeof each === "string" || each === null) as Record<string, string | null> } // filtered so
      : {}),
  };
}

const only = (map: Record<string, unknown>, is: (value: unknown) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => is(value)));
const isMap = (value: unknown): value is Record<string, Json | undefined> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= 500 && value.every((each) => typeof each === "string");
