// From choices to wishes: which files are to hold what.
import type { ShippedSkill } from "../ports/ground.js";
import { type CLIENTS, clientOf } from "./clients.js";
import { type Choices, CLIENT_NAMES, type Look, type Wish } from "./model.js";
import { COMMAND_FILES, CURSOR_RULES, commandFile, type FirstSettings, firstSettings, MEMORY, RULES } from "./texts.js";

export interface Surroundings {
  choices: Choices;
  skills: ShippedSkill[];
  /** For a new `.pawl/config.yaml`. */
  settings: FirstSettings;
  /** Keys a person names now, also for a `.pawl/config.yaml` that is there. */
  named: Record<string, string | string[]>;
  isRepository: boolean;
  look: Look;
}

/** In the order in which people read them. */
export function wishesOf(ground: Surroundings): Wish[] {
  const { choices } = ground;
  const clients = choices.clients.map(clientOf);
  return merge([
    ...house(ground),
    ...rules(ground),
    ...clients.flatMap((client) => client.json(choices)).map((entry) => jsonWish(ground, entry)),
    ...(choices.clients.includes("codex") ? [codex(choices)] : []),
    ...commands(choices),
    ...skills(ground),
  ]);
}

/** Everything Pawl could have written anywhere: what removing looks for. */
export function everyWish(ground: Surroundings): Wish[] {
  const choices: Choices = { ...ground.choices, clients: [...CLIENT_NAMES], hook: true, skills: "all" };
  return wishesOf({ ...ground, choices, isRepository: true });
}

function house({ settings, named, isRepository }: Surroundings): Wish[] {
  const fresh = (path: string, text: string, why: string): Wish => ({
    kind: "fresh",
    path: `.pawl/${path}`,
    text,
    why,
  });
  const ignore: Wish = {
    kind: "block",
    path: ".gitignore",
    body: ".pawl/local/",
    style: "hash",
    why: "what Pawl keeps to itself",
  };
  return [
    { ...fresh("config.yaml", firstSettings(settings), "the settings"), settings: named } as Wish,
    fresh("loops/.gitkeep", "", "the folder of your loops"),
    ...Object.entries(MEMORY).map(([name, text]) => fresh(name, text, "the memory bank")),
    ...(isRepository ? [ignore] : []),
  ];
}

/** AGENTS.md always: nearly everybody reads it. */
function rules({ choices, look }: Surroundings): Wish[] {
  const paths = new Set(["AGENTS.md", ...choices.clients.flatMap((name) => clientOf(name).rules)]);
  const blocks = [...paths].map(
    (path): Wish => ({ kind: "block", path, body: RULES, style: "markdown", why: "the rules for agents" }),
  );
  const cursor: Wish = { kind: "own", path: ".cursor/rules/pawl.mdc", text: CURSOR_RULES, why: "the rules for agents" };
  return [
    ...blocks.filter(({ path }) => !includesAgents(path, look)),
    ...(choices.clients.includes("cursor") ? [cursor] : []),
  ];
}

/** A file that pulls AGENTS.md in has the rules already. */
function includesAgents(path: string, look: Look): boolean {
  const found = path === "AGENTS.md" ? undefined : look(path);
  return found !== undefined && "text" in found && /^@(?:\.\/)?AGENTS\.md[ \t]*\r?$/m.test(found.text);
}

function codex({ command: [command = "pawl", ...args] }: Choices): Wish {
  const body = [
    "[mcp_servers.pawl]",
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify([...args, "mcp"])}`,
    'default_tools_approval_mode = "approve"',
  ].join("\n");
  return {
    kind: "block",
    path: ".codex/config.toml",
    body,
    style: "toml",
    why: "the MCP server, and leave to call it",
  };
}

type Entry = ReturnType<(typeof CLIENTS)[number]["json"]>[number];

/** OpenCode reads two names; the one that is there is taken. */
function jsonWish({ look }: Surroundings, { path, puts = [], adds = [], why }: Entry): Wish {
  const other = path === "opencode.json" && !look(path) && look("opencode.jsonc") ? "opencode.jsonc" : path;
  return { kind: "json", path: other, puts, adds, why };
}

function commands({ clients }: Choices): Wish[] {
  const named = clients.flatMap((name) => COMMAND_FILES[name === "vscode" ? "copilot" : name] ?? []);
  return [...new Set(named)].map(({ path, header }) => ({
    kind: "own",
    path,
    text: commandFile(header),
    why: "the slash command /pawl-loop",
  }));
}

function skills({ choices, skills: shipped }: Surroundings): Wish[] {
  const { skills: wanted } = choices;
  if (wanted === "none") return [];
  const chosen = shipped.filter(({ slug }) => wanted === "all" || wanted.includes(slug));
  const folders = new Set(choices.clients.flatMap((name) => clientOf(name).skills ?? []));
  return [...folders].flatMap((folder) =>
    chosen.flatMap(({ slug, files }) =>
      Object.entries(files).map(
        ([name, text]): Wish => ({ kind: "own", path: `${folder}/${slug}/${name}`, text, why: `the skill "${slug}"` }),
      ),
    ),
  );
}

/** One wish a file: two clients may ask for the same entry, or for two of one file. */
function merge(wishes: Wish[]): Wish[] {
  const merged = new Map<string, Wish>();
  for (const wish of wishes) {
    const before = merged.get(wish.path);
    if (before?.kind === "json" && wish.kind === "json") merged.set(wish.path, joined(before, wish));
    else if (!before) merged.set(wish.path, wish);
  }
  return [...merged.values()];
}

function joined<W extends Wish & { kind: "json" }>(one: W, other: W): W {
  const unlike = <T extends { at: string[] }>(list: T[], more: T[]): T[] => [
    ...list,
    ...more.filter((each) => !list.some(({ at }) => at.join("/") === each.at.join("/"))),
  ];
  return { ...one, puts: unlike(one.puts, other.puts), adds: unlike(one.adds, other.adds) };
}
