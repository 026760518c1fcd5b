// Our entries in a JSON file of a client: put, kept up to date, taken out. What a person changed or wrote themselves is kept.
import type { Json } from "../../core/model.js";
import type { Edited } from "../block.js";
import type { Add, Put, Trace } from "../model.js";
import { at, insert, isEmpty, replaceValue, take } from "./edit.js";
import { type Container, dataOf, readTree, type Tree } from "./tree.js";

export interface Entries {
  puts: Put[];
  adds: Add[];
}
class Refused extends Error {}

/** `text` undefined: there is no file. */
export function putEntries(text: string | undefined, { puts, adds }: Entries, old: Trace | undefined): Edited {
  return guarded(() => {
    const trace: Trace = { ...old, values: { ...old?.values }, undo: { ...old?.undo } };
    if (text === undefined) trace.made = true;
    let now = text ?? "{}\n";
    for (const put of puts) now = putOne(now, put, trace);
    for (const add of adds) now = addOne(now, add, trace);
    return { text: now, trace: compact(trace) };
  });
}

/** Takes out what is ours by these wishes, and the containers that came with it. */
export function takeEntries(text: string | undefined, { puts, adds }: Entries, old: Trace | undefined): Edited {
  return guarded(() => {
    if (text === undefined) return { text, trace: undefined };
    const trace: Trace = { ...old, values: { ...old?.values }, undo: { ...old?.undo } };
    let now = text;
    for (const add of [...adds].reverse()) now = dropOne(now, add, trace);
    for (const put of [...puts].reverse()) now = takeOne(now, put, trace);
    const isOver = old?.made && now !== text && isEmpty(now);
    return { text: isOver ? undefined : now, trace: isOver ? undefined : compact(trace) };
  });
}

function putOne(text: string, { at: keys, value }: Put, trace: Trace): string {
  const place = at(treeOf(text), keys);
  const name = keys.join("/");
  const ours = JSON.stringify(value);
  const values = valuesOf(trace);
  if (!place) {
    values[name] = ours;
    return insertAt(text, keys, value, trace);
  }
  const now = JSON.stringify(dataOf(place.member.tree));
  if (now !== ours && now !== values[name]) throw new Refused(`has a value of its own for ${quoted(keys)}`);
  if (now === ours) return text; // a person's own, if it is not in the trace already: it stays when Pawl goes
  values[name] = ours;
  return replaceValue(text, place.container, place.member, value);
}

function takeOne(text: string, { at: keys }: Put, trace: Trace): string {
  const place = at(treeOf(text), keys);
  const name = keys.join("/");
  const values = valuesOf(trace);
  const written = values[name];
  delete values[name];
  if (!place || written === undefined) return text;
  if (JSON.stringify(dataOf(place.member.tree)) !== written) return text; // changed by a person, so it is theirs
  return closeEmpty(take(text, place.container, place.member), keys.slice(0, -1), trace);
}

function addOne(text: string, { at: keys, item, sign }: Add, trace: Trace): string {
  const place = at(treeOf(text), keys);
  const name = itemName(keys, sign);
  const values = valuesOf(trace);
  const list = place?.member.tree;
  if (list && list.kind !== "list") throw new Refused(`has something other than a list at ${quoted(keys)}`);
  const ours = list?.members.find((each) => isOurs(dataOf(each.tree), sign));
  if (list && ours) {
    // what a person made of our item, or wrote before we came, is as good as ours, and theirs
    if (JSON.stringify(dataOf(ours.tree)) !== values[name]) return text;
    values[name] = JSON.stringify(item);
    return values[name] === JSON.stringify(dataOf(ours.tree)) ? text : replaceValue(text, list, ours, item);
  }
  values[name] = JSON.stringify(item);
  return list ? fill(text, list, keys, { value: item }, trace) : insertAt(text, keys, [item], trace);
}

function dropOne(text: string, { at: keys, sign }: Add, trace: Trace): string {
  const list = at(treeOf(text), keys)?.member.tree;
  const name = itemName(keys, sign);
  const values = valuesOf(trace);
  const written = values[name];
  delete values[name];
  if (list?.kind !== "list" || written === undefined) return text;
  const ours = list.members.find((each) => JSON.stringify(dataOf(each.tree)) === written);
  return ours ? closeEmpty(take(text, list, ours), keys, trace) : text;
}

const itemName = (keys: string[], sign: string): string => `${keys.join("/")}/+${sign}`;

/** Makes the containers above that are missing, in one member. */
function insertAt(text: string, keys: string[], value: Json, trace: Trace): string {
  const root = treeOf(text);
  let container: Tree = root;
  let depth = 0;
  for (; depth < keys.length - 1; depth++) {
    const next = at(root, keys.slice(0, depth + 1))?.member.tree;
    if (!next) break;
    container = next;
  }
  if (container.kind !== "map") throw new Refused(`has something other than a map at ${quoted(keys.slice(0, depth))}`);
  const made = keys.slice(depth + 1);
  const undo = undoOf(trace);
  for (let length = depth + 1; length < keys.length; length++) undo[keys.slice(0, length).join("/")] ??= null;
  if (Array.isArray(value)) undo[keys.join("/")] ??= null;
  const whole = made.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  return fill(text, container, keys.slice(0, depth), { key: keys[depth] ?? "", value: whole }, trace);
}

/** An empty container loses its blanks when it is filled, so they are kept in mind. */
function fill(
  text: string,
  container: Container,
  keys: string[],
  member: { key?: string; value: Json },
  trace: Trace,
): string {
  const name = keys.join("/");
  const undo = undoOf(trace);
  if (container.members.length === 0 && undo[name] === undefined)
    undo[name] = text.slice(container.start, container.end);
  return insert(text, container, member);
}

/** A container that only we filled goes back to what it was, and so do those above it. */
function closeEmpty(text: string, keys: string[], trace: Trace): string {
  const root = treeOf(text);
  const place = at(root, keys);
  const container = keys.length === 0 ? root : place?.member.tree;
  if (!container || container.kind === "plain" || container.members.length > 0) return text;
  const undo = undoOf(trace);
  const name = keys.join("/");
  const was = undo[name];
  delete undo[name];
  if (was === null && place) return closeEmpty(take(text, place.container, place.member), keys.slice(0, -1), trace);
  if (typeof was !== "string" || !isEmpty(was)) return text;
  return text.slice(0, container.start) + was + text.slice(container.end);
}

const isOurs = (item: Json, sign: string): boolean => JSON.stringify(item).includes(sign);
const quoted = (keys: string[]): string => (keys.length === 0 ? "its top" : `"${keys.join(".")}"`);
/** Made by the caller; `Trace` leaves it out when it is empty. */
const valuesOf = (trace: Trace): Record<string, string> => {
  trace.values ??= {};
  return trace.values;
};
const undoOf = (trace: Trace): Record<string, string | null> => {
  trace.undo ??= {};
  return trace.undo;
};

function treeOf(text: string): Tree {
  const tree = readTree(text);
  if (!tree) throw new Refused("is not JSON, even with comments");
  if (tree.kind !== "map") throw new Refused("holds no map of keys");
  return tree;
}

function compact(trace: Trace): Trace {
  const { values = {}, undo = {}, ...rest } = trace;
  return {
    ...rest,
    ...(Object.keys(values).length ? { values } : {}),
    ...(Object.keys(undo).length ? { undo } : {}),
  };
}

function guarded(edit: () => Edited): Edited {
  try {
    return edit();
  } catch (error) {
    if (error instanceof Refused) return { left: error.message };
    throw error;
  }
}
