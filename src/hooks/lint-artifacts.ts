// Markdown that will not read as it was meant: a fence or comment that never ends, headings that skip a level or repeat
// among siblings, links to files that are not there, tabs. Own checks: markdownlint brings 46 packages (9.5 MB), and its
// rules are about style; these are about texts that mislead the next reader.
import { z } from "zod";
import type { Finding } from "../core/model.js";
import type { HookContext, Markdown } from "../ports/hook.js";
import { type Heading, headingsOf, keyOf } from "./headings.js";
import { complain, defineHook, error } from "./hook.js";

/** Links of one file that are followed. */
export const LINKS_MAX = 200;

export const lintArtifacts = defineHook({
  name: "lint-artifacts",
  params: z.strictObject({ files: z.array(z.string().min(1)).min(1).optional() }),
  effect: false,
  does: "looks",
  outcomes: [],
  async look(context, wanted) {
    const names = wanted.files ?? context.artifacts;
    if (!names.length)
      return complain([
        error(context.node.name, `"${context.node.name}" names no artifact: there is nothing to look at`, "subject"),
      ]);
    const findings = await Promise.all(names.map((name) => lint(context, name)));
    if (findings.every((each) => each === undefined)) return { status: "skip", findings: [] };
    return complain(findings.flatMap((each) => each ?? []));
  },
});

/** Undefined: no Markdown, nothing to say. */
async function lint(context: HookContext, name: string): Promise<Finding[] | undefined> {
  const text = await context.read(name);
  if (text === undefined) return [error(name, `"${name}" is missing`, "presence")];
  if (!/\.(?:md|markdown)$/i.test(name)) return undefined;
  const body = context.frontMatter(text)?.body ?? text;
  const above = text.slice(0, text.length - body.length).split("\n").length - 1;
  const read = context.markdown(body);
  const { unclosed } = read;
  const markdown = { lines: read.lines.map((line) => ({ ...line, at: line.at + above })) };
  return [
    ...(unclosed
      ? [error(`${name}:${unclosed.at + above}`, `a ${unclosed.what} begins here and never ends`, "unclosed")]
      : []),
    ...headingComplaints(name, headingsOf(markdown.lines)),
    ...markdown.lines
      .filter((line) => line.in === "text" && line.text.includes("\t"))
      .map((line) => error(`${name}:${line.at}`, "a tab stands here; use blanks", "tab")),
    ...(await linkComplaints(context, name, markdown)),
  ];
}

function headingComplaints(name: string, headings: Heading[]): Finding[] {
  const findings: Finding[] = [];
  const path: string[] = [];
  const seen = new Set<string>();
  let before: Heading | undefined;
  for (const heading of headings) {
    const at = `${name}:${heading.at}`;
    if (before && heading.level > before.level + 1)
      findings.push(
        error(
          at,
          `the heading "${heading.text}" skips from level ${before.level} to ${heading.level}`,
          "heading-level",
        ),
      );
    path.length = heading.level - 1;
    path[heading.level - 1] = keyOf(heading.text);
    const key = JSON.stringify(Array.from(path, (each) => each ?? ""));
    if (seen.has(key))
      findings.push(error(at, `the heading "${heading.text}" stands twice in one place`, "heading-repeat"));
    seen.add(key);
    before = heading;
  }
  return findings;
}

async function linkComplaints(context: HookContext, name: string, { lines }: Markdown): Promise<Finding[]> {
  const links = lines
    .filter((line) => line.in === "text")
    .flatMap((line) =>
      [...line.text.replace(/`[^`]*`/g, "").matchAll(LINK)].map(([, to = ""]) => ({ to, at: line.at })),
    )
    .filter(({ to }) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(to))
    .slice(0, LINKS_MAX);
  const found = await Promise.all(
    links.map(async ({ to, at }): Promise<Finding[]> => {
      const path = resolve(name, to);
      if (path === undefined)
        return [error(`${name}:${at}`, `the link to "${to}" leads out of the repository`, "link")];
      if (!/[^/]\.[^/]+$/.test(path) || (await context.read(path)) !== undefined) return [];
      return [error(`${name}:${at}`, `the link to "${to}" leads to "${path}", which is not there`, "link")];
    }),
  );
  return found.flat();
}
/** Followed are files with an extension: the reader cannot tell a folder from nothing. */
const LINK = /\]\(\s{0,10}<?([^)\s<>]{1,1000})/g;

/** The path a link means, seen from the root; undefined when it leads out or cannot be read. */
function resolve(from: string, link: string): string | undefined {
  const [path = ""] = link.split(/[?#]/);
  const out: string[] = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of decoded(path).split("/")) {
    if (part === ".." && out.pop() === undefined) return undefined;
    if (part !== "" && part !== "." && part !== "..") out.push(part);
  }
  return out.join("/") + (path.endsWith("/") && out.length ? "/" : "");
}
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a "%" that encodes nothing is part of the name
  }
}
