// From wishes and what the files hold now to the list of changes. Pure: a plan can be shown, checked or carried out.
import { changeSettings } from "../config/change-settings.js";
import { formatIssue } from "../config/issues.js";
import { type Edited, findBlock, putBlock, takeBlock } from "./block.js";
import { putEntries, takeEntries } from "./json/entries.js";
import type { Look, Plan, Trace, Wish } from "./model.js";
import { tablesOf } from "./toml.js";

export interface Task {
  wishes: Wish[];
  /** All that Pawl could have written: what is no longer wished is taken away by it. */
  every: Wish[];
  traces: Record<string, Trace>;
  look: Look;
  sha256(text: string): string;
}

/** Wishes that are met already make no change; a second plan after the first is empty. */
export function planOf(task: Task): Plan {
  const plan: Plan = { changes: [], left: [], traces: {} };
  const wished = new Set(task.wishes.map(({ path }) => path));
  for (const wish of task.wishes) settle(task, plan, wish, (text, old) => meet(task, wish, text, old));
  for (const wish of task.every.filter(({ path }) => !wished.has(path)))
    settle(task, plan, { ...wish, why: TAKEN }, (text, old) => undo(task, wish, text, old));
  const known = new Set([...wished, ...task.every.map(({ path }) => path)]);
  for (const path of Object.keys(task.traces).filter((path) => !known.has(path) && isOurPlace(path)))
    settle(task, plan, { path, why: TAKEN }, (text, old) => removeOwn(task, text, old));
  return plan;
}

const TAKEN = "taken away again";

type Edit = (text: string | undefined, old: Trace | undefined) => Edited;

function settle({ look, traces }: Task, plan: Plan, { path, why }: Pick<Wish, "path" | "why">, edit: Edit): void {
  const found = look(path);
  const old = traces[path];
  if (found && "trouble" in found) {
    if (old) plan.traces[path] = old;
    const isLedToOurs = found.leadsTo === "AGENTS.md" && path !== "AGENTS.md";
    if (!isLedToOurs && (old || why !== TAKEN)) plan.left.push({ path, why: found.trouble });
    return;
  }
  const edited = edit(found?.text, old);
  if ("left" in edited) {
    if (old) plan.traces[path] = old;
    plan.left.push({ path, why: edited.left });
    return;
  }
  if (edited.trace) plan.traces[path] = edited.trace;
  if (edited.text !== found?.text) plan.changes.push({ path, before: found?.text, after: edited.text, why });
}

function meet(task: Task, wish: Wish, text: string | undefined, old: Trace | undefined): Edited {
  switch (wish.kind) {
    case "block":
      return meetBlock(wish, text, old);
    case "json": {
      const taken = takeEntries(text, unwished(task, wish), text === undefined ? undefined : old);
      return "left" in taken
        ? taken
        : putEntries(taken.text, wish, text === undefined ? undefined : (taken.trace ?? {}));
    }
    case "own":
      return meetOwn(task, wish.text, text, old);
    case "fresh":
      return meetFresh(task, wish, text, old);
  }
}

/** What we put into this file for a choice that is no longer made. */
function unwished({ every }: Task, { path, puts, adds }: Wish & { kind: "json" }) {
  const all = every.find((each) => each.path === path);
  if (all?.kind !== "json") return { puts: [], adds: [] };
  const isIn = (list: { at: string[] }[]) => (one: { at: string[] }) =>
    list.some(({ at }) => at.join("/") === one.at.join("/"));
  return { puts: all.puts.filter((put) => !isIn(puts)(put)), adds: all.adds.filter((add) => !isIn(adds)(add)) };
}

function meetBlock(
  { body, style }: Wish & { kind: "block" },
  text: string | undefined,
  old: Trace | undefined,
): Edited {
  const left = style === "toml" && text !== undefined ? whyNotToml(text, body) : undefined;
  if (left !== undefined) return { left };
  const isLine = style === "hash" && !body.includes("\n");
  if (isLine && text !== undefined && !findBlock(text, style) && text.split(/\r?\n/).includes(body))
    return { text, trace: old };
  return putBlock(text, body, style, text === undefined ? undefined : old);
}

/** A table that is there twice breaks the file for its reader, and so does one below an open text. */
function whyNotToml(text: string, body: string): string | undefined {
  const place = findBlock(text, "toml");
  if (place === "broken") return undefined; // said by the block itself
  const people = place ? text.slice(0, place.start) + text.slice(place.end) : text;
  const found = tablesOf(people);
  if (found === "broken") return "is not TOML";
  const ours = tablesOf(body);
  const [table = ""] = ours === "broken" ? [] : ours.names;
  const [parent = ""] = table.split(".");
  const taken = [...found.names, ...found.keys].some((name) => name === table || name.startsWith(`${table}.`));
  return taken || found.keys.includes(parent) ? `has a value of its own for "${table}"` : undefined;
}

function meetFresh(
  { sha256 }: Task,
  { path, text: wanted, settings = {} }: Wish & { kind: "fresh" },
  text: string | undefined,
  old: Trace | undefined,
): Edited {
  if (text === undefined) return { text: wanted, trace: { made: true, digest: sha256(wanted) } };
  const changed = changeSettings(text, settings, path);
  if ("issues" in changed) return { left: `cannot be changed: ${changed.issues.map(formatIssue).join("; ")}` };
  const isOurs = old?.digest !== undefined && old.digest === sha256(text);
  return { text: changed.text, trace: isOurs ? { ...old, digest: sha256(changed.text) } : old };
}

function meetOwn({ sha256 }: Task, wanted: string, text: string | undefined, old: Trace | undefined): Edited {
  const written: Edited = { text: wanted, trace: { made: true, digest: sha256(wanted) } };
  if (text === undefined) return written;
  if (text === wanted) return { text, trace: old };
  if (old?.digest === undefined) return { left: "is a person's own file of that name" };
  return sha256(text) === old.digest ? written : { left: CHANGED };
}

function undo(task: Task, wish: Wish, text: string | undefined, old: Trace | undefined): Edited {
  switch (wish.kind) {
    case "block":
      return takeBlock(text, wish.style, old);
    case "json":
      return old ? forgotten(takeEntries(text, wish, old)) : { text, trace: undefined };
    case "own":
    case "fresh":
      return removeOwn(task, text, old);
  }
}

/** What is left of it is people's. */
const forgotten = (edited: Edited): Edited => ("left" in edited ? edited : { ...edited, trace: undefined });

function removeOwn({ sha256 }: Task, text: string | undefined, old: Trace | undefined): Edited {
  if (text === undefined || old?.digest === undefined) return { text, trace: undefined };
  return sha256(text) === old.digest ? { text: undefined, trace: undefined } : { left: `${CHANGED}, and stays` };
}
const CHANGED = "was changed by a person";

/** The traces are a file of the repository, so the paths in it prove nothing: only these places hold whole files of ours. */
export function isOurPlace(path: string): boolean {
  const place =
    /^(?:\.agents\/skills|\.claude\/skills|\.claude\/commands|\.github\/prompts|\.opencode\/command|\.agent\/workflows|\.cursor\/rules)\//;
  return place.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
