// Follows a guide word by word: its files are written where it says, its commands typed, its tool calls made, and what it
// shows is held against what is printed. One repository for one guide, with nothing in it.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ide } from "./mcp.js";
import { ended, PACKAGE, Repository } from "./repository.js";

export interface GuideBlock {
  language: string;
  text: string;
  /** Of the fence, from 1. */
  line: number;
  /** Where the sentence above it says that it belongs. */
  path?: string;
  /** Why nobody can follow it in a test. */
  notRun?: string;
}

export function blocksOf(guide: string): GuideBlock[] {
  const lines = readFileSync(join(PACKAGE, "docs/guides", guide), "utf8").split("\n");
  const fences = lines.flatMap((text, at) => (text.startsWith("```") ? [at] : []));
  if (fences.length % 2) throw new Error(`${guide}: a block is not closed`);
  return fences.flatMap((at, index) => {
    if (index % 2) return [];
    const text = lines.slice(at + 1, fences[index + 1]).map((line) => `${line}\n`);
    const above = lines[at - 1] || lines[at - 2] || "";
    const path = /[Pp]ut this into `([^`]+)`.*:$/.exec(above)?.[1];
    const notRun = /^<!-- not run: (.+) -->$/.exec(above)?.[1];
    const language = (lines[at] ?? "").slice(3);
    return [{ language, text: text.join(""), line: at + 1, ...(path ? { path } : {}), ...(notRun ? { notRun } : {}) }];
  });
}

export interface Shown {
  line: number;
  printed: string;
  shown: string;
}
export interface Followed extends AsyncDisposable {
  repository: Repository;
  /** Every place where the guide shows what is printed. */
  shown: Shown[];
}

/** Throws at a block that it can make nothing of. `programs` stand in for what a test cannot have. */
export async function follow(guide: string, programs: Record<string, string> = {}): Promise<Followed> {
  const repository = Repository.make({}, { name: "project" });
  const bin = join(repository.root, "bin");
  const pawl = `#!/bin/sh\nexec "${process.execPath}" "${join(PACKAGE, "dist/pawl.js")}" "$@"\n`;
  mkdirSync(bin);
  for (const [name, text] of Object.entries({ pawl, "newest-run": NEWEST_RUN, ...programs }))
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  const PATH = `${bin}:${process.env.PATH}`;
  const installed = join(repository.root, "global/lib/node_modules"); // where `npm root --global` finds it
  mkdirSync(installed, { recursive: true });
  symlinkSync(PACKAGE, join(installed, "pawl"));
  let ide: Ide | undefined;
  const close = async () => {
    await ide?.[Symbol.asyncDispose]();
    repository[Symbol.dispose]();
  };
  const shown: Shown[] = [];
  let printed: string | undefined;
  try {
    for (const block of blocksOf(guide)) {
      if (block.notRun !== undefined) continue;
      if (block.path !== undefined) repository.write({ [block.path]: block.text });
      else if (block.language === "sh") printed = await typed(repository, block.text, PATH);
      else if (block.language === "mcp") {
        ide ??= await Ide.open(repository, { env: { PATH } });
        printed = await called(ide, block.text);
      } else if (block.language === "text" && printed !== undefined)
        shown.push({ line: block.line, printed: alike(printed, repository), shown: alike(block.text, repository) });
      else throw new Error(`${guide}:${block.line}: nobody knows what to do with this block`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { repository, shown, [Symbol.asyncDispose]: close };
}

/** As in a terminal: what goes wrong is printed too. RUN is the run that is open, else the newest. */
async function typed(repository: Repository, lines: string, PATH: string): Promise<string> {
  const npm_config_prefix = join(repository.root, "global");
  const env = {
    PATH,
    HOME: repository.home,
    LANG: "C.UTF-8",
    USER: "tester",
    GIT_CONFIG_NOSYSTEM: "1",
    npm_config_prefix,
  };
  const text = `exec 2>&1\n${lines.replace(/\bRUN\b/g, '"$(newest-run)"')}`;
  return (await ended(spawn("bash", ["-c", text], { cwd: repository.folder, env, stdio: "pipe" }))).out;
}
const NEWEST_RUN = `#!${process.execPath}
const { runs } = JSON.parse(require("node:child_process").execFileSync("pawl", ["list", "--json"]));
const open = runs.filter(({ status }) => !/complete|failed/.test(status));
console.log((open.at(-1) ?? runs.at(-1)).run);
`;

/** `tool {"its": "input"}`, one call a line; the last answer counts. */
async function called(ide: Ide, lines: string): Promise<string> {
  let text = "";
  for (const line of lines.trim().split("\n")) {
    const [, name = "", input = "{}"] = /^(\w+) ?(\{.*\})?$/.exec(line) ?? [];
    text = name === "loop_status" ? (await ide.settled()).text : (await ide.call(name, JSON.parse(input))).text;
  }
  return `${text}\n`;
}

/** Ids, times, processes and folders differ from run to run; "…" stands for anything, alone in a line for any lines. */
function alike(text: string, { folder }: Repository): string {
  return text
    .replaceAll(folder, "/home/you/project")
    .replace(/\b([a-z]+)-[0-9a-z]{6}\b(?!-)/g, (id, loop) => (LOOPS_RUN.has(loop) ? `${loop}-xxxxxx` : id))
    .replace(/\d+\.\d s/g, "0.1 s")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+Z)?/g, "2026-01-31 12:00")
    .replace(/^\d\d:\d\d:\d\d /gm, "12:00:00 ")
    .replace(/\d{4}-\d\d-\d\d(?=[ )])/g, "2026-01-31")
    .replace(/process \d+/g, "process 4711")
    .replace(/\b[0-9a-f]{7,12}\b(?=\s)/g, "abcdef0")
    .replace(/[ \t]+$/gm, "");
}
const LOOPS_RUN = new Set(["dev", "first", "ready", "tidy", "pause", "check", "fix", "next", "build", "release"]);

/** Undefined when they agree, else what is printed in full. */
export function differs({ printed, shown }: Shown): string | undefined {
  const pattern = shown
    .trimEnd()
    .split("\n")
    .map((line) =>
      line.trim() === "…" ? "[\\s\\S]*?" : line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*"),
    )
    .join("\n");
  return new RegExp(`^${pattern}$`).test(printed.trimEnd()) ? undefined : printed;
}
