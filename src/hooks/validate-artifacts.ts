// Are the artifacts there, and are they finished? Every complaint comes at once, so that one round can mend them all.
import { z } from "zod";
import type { Finding, Json } from "../core/model.js";
import type { HookContext, Markdown, MarkdownLine } from "../ports/hook.js";
import { contentOf, headingsOf, keyOf } from "./headings.js";
import { complain, defineHook, error } from "./hook.js";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const params = z.strictObject({
  /** The node's own artifacts when absent. A list in the list: exactly one of these. */
  files: z
    .array(z.union([z.string().min(1), z.array(z.string().min(1)).min(2)]))
    .min(1)
    .optional(),
  sections: z.array(z.string().min(1)).default([]),
  /** Key to the value it must have, or to a list of those it may have. */
  frontMatter: z.record(z.string(), z.union([scalar, z.array(scalar).min(1)])).default({}),
  noOpenBoxes: z.boolean().default(false),
  allowPlaceholders: z.boolean().default(false),
});
type Params = z.infer<typeof params>;

export const validateArtifacts = defineHook({
  name: "validate-artifacts",
  params,
  effect: false,
  does: "looks",
  outcomes: [],
  async look(context, wanted) {
    const files = wanted.files ?? context.artifacts;
    if (!files.length)
      return complain([
        error(context.node.name, `"${context.node.name}" names no artifact: there is nothing to look at`, "subject"),
      ]);
    const complaints = await Promise.all(
      files.map((each) => lookAtOneOf(context, wanted, typeof each === "string" ? [each] : each)),
    );
    return complain(complaints.flat());
  },
});

async function lookAtOneOf(context: HookContext, wanted: Params, names: string[]): Promise<Finding[]> {
  const found = await Promise.all(names.map(async (name) => ({ name, text: await context.read(name) })));
  const there = found.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
  const [only, another] = there;
  const either = names.map((name) => `"${name}"`).join(" or ");
  if (!only)
    return [
      error(
        names[0] ?? "",
        names.length > 1 ? `neither is there: ${either} must be written` : `${either} is missing`,
        "presence",
      ),
    ];
  if (another)
    return [
      error(
        only.name,
        `ambiguous: ${there.map((each) => `"${each.name}"`).join(" and ")} are both there, one may be`,
        "presence",
      ),
    ];
  return complaintsAbout(context, wanted, only.name, only.text);
}

function complaintsAbout(context: HookContext, wanted: Params, name: string, text: string): Finding[] {
  if (text.trim() === "") return [error(name, `"${name}" is empty`, "presence")];
  const front = context.frontMatter(text);
  if (!front) return [error(name, `the front matter of "${name}" cannot be read`, "front-matter")];
  const above = text.slice(0, text.length - front.body.length).split("\n").length - 1;
  const read = context.markdown(front.body);
  const markdown = { ...read, lines: read.lines.map((line) => ({ ...line, at: line.at + above })) };
  return [
    ...frontMatterComplaints(name, wanted.frontMatter, front.values),
    ...sectionComplaints(name, wanted.sections, markdown),
    ...(wanted.noOpenBoxes ? lineComplaints(name, markdown, OPEN_BOX, "has an open box", "open-box") : []),
    ...(wanted.allowPlaceholders
      ? []
      : lineComplaints(name, markdown, PLACEHOLDER, "holds a placeholder", "placeholder")),
  ];
}

function frontMatterComplaints(name: string, wanted: Params["frontMatter"], values: Record<string, Json>): Finding[] {
  return Object.entries(wanted).flatMap(([key, want]) => {
    const allowed = Array.isArray(want) ? want : [want];
    const has = Object.hasOwn(values, key) ? values[key] : undefined;
    if (allowed.some((each) => String(each) === String(has) && typeof has !== "object")) return [];
    const wish = allowed.map((each) => `"${each}"`).join(" or ");
    const is = has === undefined ? `has no "${key}"` : `has "${key}": ${JSON.stringify(has)}`;
    return [error(name, `the front matter of "${name}" ${is}, wanted is ${wish}`, `front-matter:${key}`)];
  });
}

function sectionComplaints(name: string, sections: string[], { lines }: Markdown): Finding[] {
  const headings = headingsOf(lines);
  return sections.flatMap((section) => {
    const heading = headings.find((each) => keyOf(each.text) === keyOf(section));
    if (!heading) return [error(name, `"${name}" has no section "${section}"`, `section:${section}`)];
    const content = contentOf(heading, headings, lines);
    return content.length
      ? []
      : [error(`${name}:${heading.at}`, `the section "${section}" of "${name}" is empty`, `section:${section}`)];
  });
}

/** A line that is nothing but a placeholder, or ends in one after a colon; the word inside a sentence is none. */
const PLACEHOLDER =
  /^[\s>*_`#-]*(?:(?:TBD|TBA|TODO|FIXME|XXX)\b(?:[*_`.\s]*$|\s*[:([])|to be (?:done|written|defined|determined|decided)[*_`.\s]*$|lorem ipsum|\[(?:TBD|TBA|TODO)\]|(?:\.{3}|…)\s*$)|:[\s*_`]{1,10}(?:TBD|TBA|TODO)[*_`.\s]{0,10}$/i;
const OPEN_BOX = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)+\[[ \t]{0,4}\](?:\s|$)/;

function lineComplaints(name: string, { lines }: Markdown, pattern: RegExp, says: string, rule: string): Finding[] {
  const hit = (line: MarkdownLine): boolean =>
    line.in !== "fence" && line.in !== "comment" && pattern.test(line.text.slice(0, LINE_SEEN_MAX));
  return lines
    .filter(hit)
    .map((line) =>
      error(
        `${name}:${line.at}`,
        `line ${line.at} of "${name}" ${says}: ${line.text.trim().slice(0, SHOWN_MAX)}`,
        rule,
      ),
    );
}
/** Characters of a line that are looked at, and that are shown. */
const LINE_SEEN_MAX = 10_000;
const SHOWN_MAX = 120;
