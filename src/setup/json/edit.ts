// The two smallest edits of a JSON text: put a member into a container, take one out. Each is the other's inverse, to the byte.
import type { Json } from "../../core/model.js";
import { eolOf } from "../block.js";
import { type Container, type Member, readTree, type Tree } from "./tree.js";

/** What a member is: `"key": value`, or a value of a list. */
export interface NewMember {
  key?: string;
  value: Json;
}

export function insert(text: string, container: Container, member: NewMember): string {
  const last = container.members.at(-1);
  const style = styleOf(text, container);
  if (!last) return fillEmpty(text, container, member, style);
  if (!text.slice(container.start, container.end).includes("\n")) return insertInLine(text, last, member);
  const from = last.comma < 0 ? last.end : last.comma + 1;
  const at = from + text.slice(from, container.end - 1).trimEnd().length;
  const inner = `${style.eol}${style.inner}${spell(member, style)}${last.comma < 0 ? "" : ","}`;
  const comma = last.comma < 0 ? "," : "";
  return text.slice(0, last.end) + comma + text.slice(last.end, at) + inner + text.slice(at);
}

export function take(text: string, container: Container, member: Member): string {
  const before = container.members[container.members.indexOf(member) - 1];
  const start = text.slice(0, member.start).trimEnd().length;
  if (member.comma >= 0) return text.slice(0, start) + text.slice(member.comma + 1);
  const rest = text.slice(member.end);
  if (!before) return text.slice(0, start) + rest;
  return text.slice(0, before.comma) + text.slice(before.comma + 1, start) + rest;
}

export function replaceValue(text: string, container: Container, member: Member, value: Json): string {
  const { tree } = member;
  return text.slice(0, tree.start) + pretty(value, styleOf(text, container)) + text.slice(tree.end);
}

export function at(tree: Tree, keys: string[]): { container: Container; member: Member } | undefined {
  const [key, ...rest] = keys;
  if (tree.kind !== "map" || key === undefined) return undefined;
  const member = tree.members.find((each) => each.key === key);
  if (!member) return undefined;
  return rest.length === 0 ? { container: tree, member } : at(member.tree, rest);
}

/** Is this text a container with nothing in it? */
export function isEmpty(text: string): boolean {
  const tree = readTree(text);
  return tree !== undefined && tree.kind !== "plain" && tree.members.length === 0;
}

interface Style {
  eol: string;
  unit: string;
  /** Before a member, before the closing bracket. */
  inner: string;
  outer: string;
}

function styleOf(text: string, container: Container): Style {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const outer = indentAt(text, container.start);
  const [first] = container.members;
  const isAlone = first && /\n[ \t]*$/.test(text.slice(0, first.start));
  return { eol: eolOf(text), unit, outer, inner: isAlone ? indentAt(text, first.start) : outer + unit };
}

/** The blanks at the beginning of the line. */
function indentAt(text: string, position: number): string {
  const line = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, position))?.[0] ?? "";
}

function fillEmpty(text: string, container: Container, member: NewMember, style: Style): string {
  const inside = text.slice(container.start + 1, container.end - 1).trimEnd();
  const filled = `${inside}${style.eol}${style.inner}${spell(member, style)}${style.eol}${style.outer}`;
  return text.slice(0, container.start + 1) + filled + text.slice(container.end - 1);
}

function insertInLine(text: string, last: Member, { key, value }: NewMember): string {
  const words = (key === undefined ? "" : `${JSON.stringify(key)}: `) + JSON.stringify(value);
  if (last.comma < 0) return `${text.slice(0, last.end)}, ${words}${text.slice(last.end)}`;
  return `${text.slice(0, last.comma + 1)} ${words},${text.slice(last.comma + 1)}`;
}

function spell({ key, value }: NewMember, style: Style): string {
  return (key === undefined ? "" : `${JSON.stringify(key)}: `) + pretty(value, style);
}

function pretty(value: Json, { eol, unit, inner }: Style): string {
  return JSON.stringify(value, null, unit).split("\n").join(`${eol}${inner}`);
}
