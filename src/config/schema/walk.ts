// From a YAML document to plain data, noting where each key and entry stood. Aliases are expanded here, and counted here.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from "yaml";
import { YAML_ALIASES_MAX } from "../../core/limits.js";
import type { IssueCode } from "../issues.js";
import { quote } from "../suggest.js";
import type { Path } from "./file.js";

/** Values within values. */
export const YAML_DEPTH_MAX = 40;
/** Values of one file after its aliases are expanded. */
export const YAML_VALUES_MAX = 200_000;

/** Says what is wrong at an offset of the text. */
export type Complain = (offset: number, code: IssueCode, message: string) => void;

export interface Root {
  data: { [key: string]: unknown };
  offsetOf(path: Path): number;
  wrote(path: Path): boolean;
}
/** Where a value's key, or the entry of a list, began; and those within it. */
interface Spot {
  offset: number;
  within?: Map<string | number, Spot>;
}

export function walk(document: Document.Parsed, complain: Complain, required?: string): Root | undefined {
  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (isEmpty && required !== undefined) complain(0, "empty-file", `the file is empty; ${required}`);
  if (isEmpty) return required === undefined ? rootOf({}, { offset: 0 }) : undefined;
  if (!isMap(contents)) {
    complain(
      contents.range[0],
      "not-a-map",
      `the file must be keys and values, not ${isSeq(contents) ? "a list" : "a single value"}`,
    );
    return undefined;
  }
  const spot: Spot = { offset: contents.range[0] };
  const data = new Walk(complain).map(contents, spot, 0);
  return data && rootOf(data, spot);
}

function rootOf(data: { [key: string]: unknown }, root: Spot): Root {
  return {
    data,
    offsetOf: (path) => {
      let spot = root;
      for (const key of path) {
        const next = spot.within?.get(key);
        if (!next) break;
        spot = next;
      }
      return spot.offset;
    },
    wrote: (path) => path.reduce<Spot | undefined>((spot, key) => spot?.within?.get(key), root) !== undefined,
  };
}

/** Thrown and caught in this file alone: the text is given up. */
class GivenUp extends Error {}

class Walk {
  private aliases = 0;
  private values = 0;
  private readonly anchors = new Map<string, Node>();
  /** Anchors within an expanded alias were noted when they were first met. */
  private isExpanding = false;

  constructor(private readonly complain: Complain) {}

  /** Undefined when the text is given up, with the reason told. */
  map(map: YAMLMap, spot: Spot, depth: number): { [key: string]: unknown } | undefined {
    try {
      return this.readMap(map, spot, depth);
    } catch (error) {
      if (error instanceof GivenUp) return undefined;
      throw error;
    }
  }

  private read(node: unknown, spot: Spot, depth: number): unknown {
    if (++this.values > YAML_VALUES_MAX)
      this.giveUp(spot.offset, "too-many-aliases", `the file holds more than ${YAML_VALUES_MAX} values`);
    if (depth > YAML_DEPTH_MAX)
      this.giveUp(spot.offset, "too-deep", `values are nested more than ${YAML_DEPTH_MAX} deep`);
    if (isAlias(node)) return this.expand(node.source, spot, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (node.anchor !== undefined && !this.isExpanding) this.anchors.set(node.anchor, node);
    if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
      this.complain(
        node.range?.[0] ?? spot.offset,
        "yaml-feature",
        `the tag ${quote(node.tag)} is not read; leave it out`,
      );
      return null;
    }
    if (isMap(node)) return this.readMap(node, spot, depth);
    return isSeq(node) ? this.readList(node, spot, depth) : plain(node.value);
  }

  private readMap(map: YAMLMap, spot: Spot, depth: number): { [key: string]: unknown } {
    const data: { [key: string]: unknown } = Object.create(null);
    spot.within = new Map();
    for (const { key, value } of map.items) {
      const offset = offsetOf(key) ?? offsetOf(value) ?? spot.offset;
      const name = this.readKey(key, offset);
      if (name === undefined) continue;
      if (spot.within.has(name)) {
        this.complain(offset, "duplicate-key", `${quote(name)} is written twice here; keep one`);
        continue;
      }
      const inner: Spot = { offset };
      spot.within.set(name, inner);
      data[name] = this.read(value, inner, depth + 1);
    }
    return data;
  }

  private readList(list: YAMLSeq, spot: Spot, depth: number): unknown[] {
    const within = new Map<number, Spot>();
    spot.within = within;
    return list.items.map((item, index) => {
      const inner: Spot = { offset: offsetOf(item) ?? spot.offset };
      within.set(index, inner);
      return this.read(item, inner, depth + 1);
    });
  }

  private readKey(key: unknown, offset: number): string | undefined {
    if (!isScalar(key) || typeof key.value !== "string") {
      const shown = isScalar(key) ? `the key ${quote(String(key.value))}` : "a key";
      this.complain(offset, "yaml-feature", `${shown} is not text; put it in quotes`);
      return undefined;
    }
    if (key.value !== "__proto__") return key.value;
    this.complain(offset, "bad-name", `"__proto__" cannot be a key; choose another name`);
    return undefined;
  }

  private expand(anchor: string, spot: Spot, depth: number): unknown {
    if (++this.aliases > YAML_ALIASES_MAX)
      this.giveUp(
        spot.offset,
        "too-many-aliases",
        `aliases are expanded more than ${YAML_ALIASES_MAX} times; write the values out`,
      );
    const node = this.anchors.get(anchor);
    if (!node) {
      this.complain(spot.offset, "not-yaml", `not YAML: no anchor is called ${quote(anchor)} above this place`);
      return null;
    }
    const wasExpanding = this.isExpanding;
    this.isExpanding = true;
    const value = this.read(node, spot, depth + 1);
    this.isExpanding = wasExpanding;
    return value;
  }

  private giveUp(offset: number, code: IssueCode, message: string): never {
    this.complain(offset, code, message);
    throw new GivenUp(message);
  }
}

const PLAIN_TAGS = new Set([
  "!",
  ...["str", "int", "float", "bool", "null", "seq", "map"].map((kind) => `tag:yaml.org,2002:${kind}`),
]);

function plain(value: unknown): unknown {
  const isPlain =
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? value : String(value);
}
function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? undefined) : undefined;
}
