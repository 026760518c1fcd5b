// Reads JSON with comments and trailing commas, and remembers where everything stands, so that an edit can leave the rest alone.
import type { Json } from "../../core/model.js";

/** Offsets count UTF-16 units; `end` is behind the last one. */
export type Tree =
  | { kind: "plain"; start: number; end: number; value: Json }
  | { kind: "list"; start: number; end: number; members: Member[] }
  | { kind: "map"; start: number; end: number; members: Member[] };
export type Container = Exclude<Tree, { kind: "plain" }>;
export interface Member {
  /** Of the key, or of the item. */
  start: number;
  end: number;
  /** "" in a list. */
  key: string;
  tree: Tree;
  /** Where the comma behind it is; -1 when there is none. */
  comma: number;
}
const DEPTH_MAX = 100;

/** Undefined when the text is not JSON, even with comments; or has one key twice. */
export function readTree(text: string): Tree | undefined {
  try {
    const reader = new Reader(text);
    const tree = reader.value(0);
    reader.skip();
    return reader.at === text.length ? tree : undefined;
  } catch (error) {
    if (error instanceof NotJson || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function dataOf(tree: Tree): Json {
  if (tree.kind === "plain") return tree.value;
  if (tree.kind === "list") return tree.members.map((member) => dataOf(member.tree));
  return Object.fromEntries(tree.members.map((member) => [member.key, dataOf(member.tree)]));
}

class NotJson extends Error {}

class Reader {
  at: number;
  constructor(private readonly text: string) {
    this.at = text.startsWith("\ufeff") ? 1 : 0;
  }

  value(depth: number): Tree {
    if (depth > DEPTH_MAX) throw new NotJson();
    this.skip();
    const start = this.at;
    const first = this.text[start];
    if (first === "{") return this.container("map", "}", depth);
    if (first === "[") return this.container("list", "]", depth);
    const word = first === '"' ? this.string() : this.word();
    return { kind: "plain", start, end: this.at, value: JSON.parse(word) as Json };
  }

  private container(kind: "map" | "list", close: string, depth: number): Tree {
    const start = this.at++;
    const members: Member[] = [];
    const keys = new Set<string>();
    for (;;) {
      this.skip();
      if (this.text[this.at] === close) break;
      if (members.length > 0 && members.at(-1)?.comma === -1) throw new NotJson();
      members.push(this.member(kind, depth, keys));
    }
    this.at += 1;
    return { kind, start, end: this.at, members };
  }

  private member(kind: "map" | "list", depth: number, keys: Set<string>): Member {
    const start = this.at;
    let key = "";
    if (kind === "map") {
      key = JSON.parse(this.string()) as string; // the text of a JSON string
      if (keys.has(key)) throw new NotJson();
      keys.add(key);
      this.skip();
      this.expect(":");
    }
    const tree = this.value(depth + 1);
    const end = this.at;
    this.skip();
    const comma = this.text[this.at] === "," ? this.at++ : -1;
    return { start, end, key, tree, comma };
  }

  private string(): string {
    const [found] = this.match(/"(?:[^"\\\r\n]|\\.)*"/y);
    return found;
  }

  private word(): string {
    const [found] = this.match(/-?\d[\d.eE+-]*|true|false|null/y);
    return found;
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new NotJson();
    this.at = pattern.lastIndex;
    return found;
  }

  private expect(sign: string): void {
    if (this.text[this.at] !== sign) throw new NotJson();
    this.at += 1;
  }

  /** Blanks and comments. */
  skip(): void {
    const blanks = /(?:[ \t\r\n]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
    blanks.lastIndex = this.at;
    blanks.exec(this.text);
    this.at = blanks.lastIndex;
  }
}
