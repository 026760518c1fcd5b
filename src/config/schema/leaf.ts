// The leaves of the schemas. Each says what it must be in one phrase, and that phrase is the message of all its failures.
// A message here is the end of a sentence: `"timeout" must be …`; complaints.ts adds the key and the value found.
import { z } from "zod";
import { BUDGET_MAX, NAME_CHARS_MAX, STEPS_MAX } from "../../core/limits.js";
import { listed } from "../suggest.js";

/** Characters of one text of a loop file: a question, a command, a prompt. */
export const TEXT_CHARS_MAX = 100_000;
/** Seconds of one time limit; a timer takes no more than 24 days. */
export const TIMEOUT_SECONDS_MAX = 604_800;

const FREE_NAME = /^(?!\s)[^\p{C}\u2028\u2029/]+(?<!\s)$/u;
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const VARIABLE = /^(?!PAWL_)[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_BLANK = /\S/;
export const INSIDE = /^(?![/~\\]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))(?!\s*$)\P{C}+$/u;
/** Words every object of the language answers to; as a name they would be found where nothing was declared. */
const RESERVED = new Set(Object.getOwnPropertyNames(Object.prototype));

const NOT_RESERVED = "must be a word that is not built into JavaScript";
const NAME_RULE = `at most ${NAME_CHARS_MAX} characters`;
const SLUG_RULE = `letters, digits, ".", "_" and "-", ${NAME_RULE}`;

/** Any text that is not blank. */
export const text = (what = "text") => matching(NOT_BLANK, what, TEXT_CHARS_MAX);
/** Any text at all. */
export const freeText = () => z.string({ error: "must be text" }).max(TEXT_CHARS_MAX, { error: "must be text" });
/** The name of a thing that is looked up: a loop, a skill, a validator, a hook. Never a path. */
export const slug = (what: string) =>
  matching(SLUG, `${what} (${SLUG_RULE})`).refine((name) => !RESERVED.has(name), { error: NOT_RESERVED });
/** The name of a step or node: what people write, so long as it leads nowhere else. */
export const stepName = (what: string) =>
  matching(FREE_NAME, `${what} (text without "/" and control characters, ${NAME_RULE})`).refine(
    (name) => !RESERVED.has(name),
    { error: NOT_RESERVED },
  );
/** The name of an environment variable. */
export const variable = () =>
  matching(VARIABLE, 'the name of a variable (letters, digits and "_"; names with PAWL_ are Pawl\'s own)');
/** A line for the shell. */
export const command = () => matching(/^\P{Cc}*\S\P{Cc}*$/u, "a shell command in one line", TEXT_CHARS_MAX);
/** A path that stays inside the folder it starts from. */
export const insidePath = (what: string) => matching(INSIDE, `${what} (a relative path without "..")`, 1_000);

/** A whole number of tries: at least one, so that nothing is off, and bounded, so that nothing is endless. */
export const count = (max = BUDGET_MAX) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error });
};
export const amount = (min: number, max: number, unit = "") => {
  const error = `must be a number${unit && ` of ${unit}`} from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};
export const seconds = () => amount(0.1, TIMEOUT_SECONDS_MAX, "seconds");
export const flag = () => z.boolean({ error: "must be true or false" });
/** One of the words. `silent` words are accepted but not offered. */
export const word = <const W extends string, const S extends string = never>(
  words: readonly W[],
  silent: readonly S[] = [],
) => z.enum([...words, ...silent], { error: `must be ${listed(words)}` });

export const list = <T extends z.ZodType>(entry: T, what: string, max = STEPS_MAX) => {
  const error = `must be a list of at most ${max} ${what}`;
  return z.array(entry, { error }).max(max, { error });
};
export const someOf = <T extends z.ZodType>(entry: T, what: string, max = STEPS_MAX) => {
  const error = `must be a list of 1 to ${max} ${what}`;
  return z.array(entry, { error }).min(1, { error }).max(max, { error });
};
export const oneOrMore = <T extends z.ZodType>(entry: T, what: string) =>
  z.union([entry, someOf(entry, what)], { error: `must be one or a list of ${what}` });

/** Strict: its own message for an unknown key is the list of the known ones, which complaints.ts takes apart again. */
export const keys = <S extends z.core.$ZodShape>(shape: S) => {
  const known = Object.keys(shape).join(KEY_SEPARATOR);
  const error = `must be keys and values (${listed(Object.keys(shape), "and")})`;
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? known : error) });
};
export const KEY_SEPARATOR = ", ";
/** Names the author chooses, each with a value. */
export const table = <K extends z.core.$ZodRecordKey, V extends z.ZodType>(key: K, value: V, what: string) =>
  z.record(key, value, { error: `must be keys and values (${what})` });
/** Anything that YAML can say; whoever is named beside it looks at it. */
export const anything = () => table(z.string(), z.json(), "the parameters by name");

function matching(pattern: RegExp, what: string, charsMax = NAME_CHARS_MAX) {
  const error = `must be ${what}`;
  return z.string({ error }).regex(pattern, { error }).max(charsMax, { error });
}
