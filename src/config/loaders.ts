// Which loader brings the documents of a run: the one whose option is given, else the only one that may start by itself, else none. Pure.

/** What is known of a loader without asking it for anything. Structurally a part of ports/loader. */
export interface LoaderFacts {
  name: string;
  options: Record<string, { value: string; about: string; default?: unknown }>;
}
export interface Chosen<L> {
  loader: L;
  /** Its options as they were given; none where it was chosen by default. */
  options: Record<string, string>;
}
/** A complaint about the command line or the extensions: code, message, hint. */
export interface Clash {
  code: "unknown-option" | "option-clash" | "loader-default" | "two-loaders";
  message: string;
  hint: string;
}

/** Options of `pawl run` and `pawl plan` themselves. */
export const OWN_OPTIONS = [
  "input",
  "agent",
  "max-attempts",
  "max-iter",
  "max-resets",
  "limit",
  "phase",
  "dry-run",
  "json",
  "strict",
  "help",
  "version",
];

/** What is wrong with these loaders, whatever is given. */
export function clashOf(loaders: readonly LoaderFacts[]): Clash | undefined {
  const owners = new Map(OWN_OPTIONS.map((option) => [option, "pawl run itself"]));
  for (const { name, options } of loaders) {
    for (const [option, facts] of Object.entries(options)) {
      const owner = owners.get(option);
      if (owner !== undefined) {
        const message = `the option "--${option}" is added by ${owner} and by the loader "${name}"`;
        return { code: "option-clash", message, hint: "give one of the two another name, or list one extension only" };
      }
      if (facts.default !== undefined && facts.default !== null) {
        const message = `the option "--${option}" of the loader "${name}" has a default, so it would always choose this loader`;
        return { code: "loader-default", message, hint: "its default must be null; see defaultable" };
      }
      owners.set(option, `the loader "${name}"`);
    }
  }
  return undefined;
}

/** `given` holds options by name, `words` what stood on the command line and nobody knew yet. */
export function chooseLoader<L extends LoaderFacts>(
  loaders: readonly L[],
  { given, words }: { given: Record<string, string>; words: readonly string[] },
): Chosen<L> | Clash | undefined {
  const read = readWords(loaders, words);
  if ("code" in read) return read;
  const all = { ...given, ...read.options };
  const of = (loader: L) => Object.keys(loader.options).filter((option) => all[option] !== undefined);
  const [first, second] = loaders.filter((loader) => of(loader).length > 0);
  if (!first) return undefined;
  if (second) {
    const told = [first, second].map((loader) => `"--${of(loader)[0]}" (loader "${loader.name}")`);
    return {
      code: "two-loaders",
      message: `a run takes its documents from one loader, and the options of two are given: ${told.join(" and ")}`,
      hint: "give one of them",
    };
  }
  return { loader: first, options: Object.fromEntries(of(first).map((option) => [option, all[option] ?? ""])) };
}

function readWords(
  loaders: readonly LoaderFacts[],
  words: readonly string[],
): { options: Record<string, string> } | Clash {
  const known = new Map(loaders.flatMap(({ options }) => Object.entries(options)));
  const read: [string, string][] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const [, name = "", value] = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const facts = known.get(name);
    if (!facts) return unknown(word, known);
    const next = value ?? words[++i];
    if (next === undefined || next.trim() === "") {
      const message = `the option "--${name}" needs a value: --${name} ${facts.value}`;
      return { code: "unknown-option", message, hint: facts.about };
    }
    read.push([name, next]);
  }
  return { options: Object.fromEntries(read) };
}

function unknown(word: string, known: Map<string, { value: string }>): Clash {
  const names = [...known].map(([name, { value }]) => `--${name} ${value}`);
  const hint = names.length ? `the loaders of this loop have: ${names.join(", ")}` : "pawl run --help lists them";
  if (word.startsWith("-")) return { code: "unknown-option", message: `unknown option "${word}"`, hint };
  return { code: "unknown-option", message: `too many arguments: nothing takes "${word}"`, hint };
}
