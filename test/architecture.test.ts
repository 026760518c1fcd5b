// The building code of src/: which room may look into which, with which packages. A refusal prints the reason.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

interface Room {
  may: string[];
  packages?: string[];
  /** May it touch files, processes, streams? */
  machine?: true;
  /** Node's own types, nothing that runs. */
  types?: string[];
  why: string;
}
const ROOMS: Record<string, Room> = {
  core: { may: [], why: "core is pure: the model and how a run moves, nothing else" },
  config: { may: ["core"], packages: ["yaml", "zod"], why: "config turns text into a Flow; it never runs one" },
  setup: {
    may: ["core", "config", "ports"],
    why: "setup says what files are to hold; it reads and writes none",
  },
  ports: { may: ["core"], types: ["node:stream"], why: "a port is a type; it knows the model and no implementation" },
  runtime: { may: ["core", "ports"], why: "runtime drives a Flow through ports; it knows no file, process or agent" },
  workers: { may: ["core", "ports"], why: "a worker answers one command through ports; it never moves a run" },
  hooks: { may: ["core", "ports"], packages: ["zod"], why: "a hook sees the ports it is handed and nothing else" },
  adapters: {
    may: ["core", "ports"],
    machine: true,
    why: "an adapter implements a port; it decides nothing about a run",
  },
  surfaces: {
    may: ["core", "config", "ports", "runtime", "setup"],
    machine: true,
    why: "a surface shows and drives runs; main.ts hands it the adapters",
  },
};
/** These stand at the top and know everybody; nobody in a room knows them. */
const TOP = [
  "main.ts",
  "house.ts",
  "load.ts",
  "extras.ts",
  "documents.ts",
  "workshop.ts",
  "index.ts",
  "pawl.ts",
  "end-of-turn.ts",
];
/** Their sub-folders do not know each other. */
const STRANGERS = ["adapters", "surfaces"];
/** Reading a file without following a planted link is one piece of code; whoever reads the repository takes it from here. */
const SHARED = "adapters/files";
/** A third-party package sits in one place. */
const PACKAGES: Record<string, string[]> = {
  "adapters/agents": ["zod", "ai", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible"],
  "adapters/git": ["ignore"],
  "adapters/library": ["yaml"],
  "adapters/validators": ["sucrase"],
  "surfaces/cli": ["commander", "@clack/prompts"],
  "surfaces/mcp": ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio", "zod"],
  "main.ts": ["commander"],
};
const LINES_MAX = 300;
const src = fileURLToPath(new URL("../src", import.meta.url));

/** Every breach of the rules above, as `file: reason`. */
function breaches(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    const [first = ""] = file.split("/");
    const room = ROOMS[first];
    if (!room && !TOP.includes(file)) return [`${file}: lies in no room`];
    const told = importsOf(text).flatMap((found) => reasonAgainst(file, found) ?? []);
    if (text.split("\n").length - 1 > LINES_MAX) told.push(`longer than ${LINES_MAX} lines; one file, one noun`);
    if (first !== "adapters" && CLOCKS.test(withoutComments(text))) told.push("time and chance come from a port");
    return told.map((reason) => `${file}: ${reason}`);
  });
}
const CLOCKS = /\b(Date\.now|Math\.random|performance\.now|randomUUID|randomBytes|randomInt)\b|\bnew Date\(\)/;

interface Import {
  from: string;
  isType: boolean;
}

function reasonAgainst(file: string, { from, isType }: Import): string | undefined {
  const [name = ""] = file.split("/");
  const room = ROOMS[name];
  if (from.startsWith(".")) return room && reasonAgainstRoom(file, room, from);
  if (from.startsWith("node:")) {
    if (!room || room.machine || (isType && room.types?.includes(from))) return undefined;
    return `${from}: only adapters and surfaces touch the machine; ask a port`;
  }
  const folder = file.split("/").slice(0, 2).join("/");
  const allowed = [...(room?.packages ?? []), ...(PACKAGES[folder] ?? [])];
  return allowed.includes(from) ? undefined : `${from}: no such package is used here`;
}

function reasonAgainstRoom(file: string, room: Room, from: string): string | undefined {
  const [own = "", folder = ""] = file.split("/");
  const target = relative(src, resolve(src, dirname(file), from));
  const [other = "", otherFolder = ""] = target.split("/");
  if (own !== other) return room.may.includes(other) ? undefined : `${from}: ${room.why}`;
  const strange = STRANGERS.includes(own) && folder !== otherFolder && !target.startsWith(`${SHARED}/`);
  return strange ? `${from}: the folders of ${own} do not know each other` : undefined;
}

/** From the syntax tree: an import that a text or comment mentions is none. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  const look = (node: ts.Node): void => {
    const { specifier, isType = false } = mentionedBy(node);
    if (specifier && ts.isStringLiteral(specifier)) found.push({ from: specifier.text, isType });
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true));
  return found;
}

function mentionedBy(node: ts.Node): { specifier?: ts.Node | undefined; isType?: boolean } {
  if (ts.isExportDeclaration(node)) return { specifier: node.moduleSpecifier, isType: node.isTypeOnly };
  if (ts.isImportDeclaration(node)) {
    const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: node.moduleSpecifier, isType };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return { specifier: node.argument.literal, isType: true };
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return { specifier: node.arguments[0] };
  return {};
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");

function house(): Record<string, string> {
  const names = readdirSync(src, { recursive: true, encoding: "utf8" });
  const product = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return Object.fromEntries(product.map((name) => [name, readFileSync(join(src, name), "utf8")]));
}

test("every file lies in a room, and every import looks down", () => {
  const files = house();
  expect(Object.keys(files).length, "the guard must see the house").toBeGreaterThan(190);
  for (const room of Object.keys(ROOMS))
    expect(Object.keys(files).filter((name) => name.startsWith(`${room}/`)).length, room).toBeGreaterThan(4);
  expect(Object.values(files).flatMap(importsOf).length).toBeGreaterThan(600);
  expect(breaches(files)).toEqual([]);
});

test.each([
  ["core/a.ts", 'import { x } from "node:fs"'],
  ["core/b.ts", 'import type { X } from "../config/check.js"'],
  ["config/c.ts", 'export { x } from "../ports/clock.js"'],
  ["config/d.ts", 'import pc from "commander"'],
  ["ports/e.ts", 'import { Readable } from "node:stream"'],
  ["ports/f.ts", 'import type { X } from "../runtime/drive.js"'],
  ["runtime/g.ts", 'import { z } from "zod"'],
  ["runtime/h.ts", 'import type { W } from "../workers/ask.js"'],
  ["workers/i.ts", 'const x = await import("../adapters/git/walk.js")'],
  ["setup/v.ts", 'import { readFileSync } from "node:fs"'],
  ["setup/w.ts", 'import type { X } from "../runtime/drive.js"'],
  ["hooks/j.ts", 'import "../runtime/drive.js"'],
  ["adapters/git/k.ts", 'import "../store/names.js"'],
  ["adapters/git/l.ts", 'import { parse } from "yaml"'],
  ["adapters/git/m.ts", 'import { run } from "../../runtime/drive.js"'],
  ["surfaces/cli/n.ts", 'import { s } from "../../adapters/store/store.js"'],
  ["surfaces/web/o.ts", 'import { s } from "../cli/run.js"'],
  ["surfaces/cli/p.ts", 'type S = import("../../house.js").OpenHouse'],
  ["core/q.ts", "const t = Date.now()"],
  ["surfaces/cli/r.ts", "const t = new Date()"],
  ["runtime/s.ts", "const t = Math.random()"],
  ["main.ts", "const t = performance.now()"],
  ["main.ts", 'import { z } from "zod"'],
  ["stray/t.ts", ""],
  ["extra.ts", ""],
  ["core/u.ts", "\n".repeat(LINES_MAX + 1)],
])("the guard refuses what it must: %j: %j", (file, text) => {
  expect(breaches({ [file]: text })).toEqual([expect.stringContaining(`${file}: `)]);
});

test.each([
  ["core/a.ts", '// import "node:fs"\nconst text = \'import x from "node:fs"\''],
  ["core/b.ts", "/** Never `Date.now` here. */"],
  ["core/c.ts", "\n".repeat(LINES_MAX)],
  ["ports/d.ts", 'import type { Readable } from "node:stream"'],
  ["adapters/git/e.ts", 'import { decodeText } from "../files/text.js"'],
  ["adapters/clock/f.ts", "const t = Date.now()"],
  ["hooks/g.ts", 'import { z } from "zod"'],
])("the guard lets through what it may: %j: %j", (file, text) => {
  expect(breaches({ [file]: text })).toEqual([]);
});
