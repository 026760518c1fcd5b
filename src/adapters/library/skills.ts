// One skill: a folder with a SKILL.md, or a single Markdown file, with a name and a description in its front matter.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LOOP_FILE_BYTES_MAX } from "../../core/limits.js";
import { Recent } from "../../core/recent.js";
import type { Skill } from "../../ports/library.js";
import { decodeText } from "../files/text.js";
import { readInside } from "./inside.js";

/** In the order in which they win. */
export const SKILL_PLACES = [
  { origin: "repository", folder: ".pawl/skills" },
  { origin: "repository", folder: ".agents/skills" },
  { origin: "repository", folder: ".claude/skills" },
  { origin: "bundled", folder: "skills" },
] as const;

/** Characters of a description. */
const DESCRIPTION_CHARS_MAX = 1_024;

/** Undefined: not in this place. The path is absolute. */
export async function skillOf(
  root: string,
  folder: string,
  name: string,
  hardLinks: "refuse" | "accept",
): Promise<Skill | { path: string; broken: string } | undefined> {
  for (const file of [join(folder, name, "SKILL.md"), join(folder, `${name}.md`)]) {
    const read = readInside(root, file, LOOP_FILE_BYTES_MAX, hardLinks);
    if (read === undefined) continue;
    const path = join(root, file);
    if ("trouble" in read) return { path, broken: `the file ${read.trouble}` };
    const digest = createHash("sha256").update(read.bytes).digest("hex");
    const told = KNOWN.get(digest) ?? (await readSkill(decodeText(read.bytes)));
    KNOWN.set(digest, told);
    return "broken" in told ? { path, ...told } : { name, ...told, path, digest };
  }
  return undefined;
}

type Told = { description: string; text: string } | { broken: string };
/** What was read already, by what it was read from: a server reads the same skills with every call. */
const KNOWN = new Recent<Told>();

async function readSkill(whole: string): Promise<Told> {
  const { readFrontMatter, textOf } = await import("./front-matter.js"); // brings yaml: only for who reads a skill
  const { data, body, broken } = readFrontMatter(whole);
  if (broken) return { broken };
  const description = (textOf(data.description) ?? firstLine(body)).slice(0, DESCRIPTION_CHARS_MAX);
  return { description, text: body.trim() };
}

/** Names in one place, sorted; not every one need be a skill. */
export function skillNames(folder: string): string[] {
  try {
    const names = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
    return [...new Set(names)].sort();
  } catch {
    return [];
  }
}

function firstLine(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.replace(/^#+\s*/, "").trim();
}
