// The `---` block at the top of a Markdown file, as plain data. Nothing in it is ever run.
import { parseDocument } from "yaml";
import { YAML_ALIASES_MAX } from "../../core/limits.js";

/** `broken` says what is wrong; `data` is then empty. A file without a block has no data. */
export interface FrontMatter {
  data: Record<string, unknown>;
  body: string;
  broken?: string;
}

export function readFrontMatter(text: string): FrontMatter {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(plain)) return { data: {}, body: plain };
  const block = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(plain);
  if (!block) return { data: {}, body: plain, broken: 'the front matter has no second "---"' };
  const body = plain.slice(block[0].length);
  try {
    // "core" knows no tags that make anything but plain data
    const document = parseDocument(block[1] ?? "", { schema: "core", logLevel: "silent", prettyErrors: false });
    const [error] = document.errors;
    if (error) return { data: {}, body, broken: `the front matter is not YAML: ${error.message}` };
    const data: unknown = document.toJS({ maxAliasCount: YAML_ALIASES_MAX });
    if (data === null || data === undefined) return { data: {}, body };
    if (typeof data !== "object" || Array.isArray(data))
      return { data: {}, body, broken: "the front matter is not a list of keys" };
    return { data: Object.fromEntries(Object.entries(data)), body };
  } catch (error) {
    return { data: {}, body, broken: `the front matter cannot be read: ${String(error)}` };
  }
}

/** A value people may write as text or as a number; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" ? String(value) : undefined;
}
