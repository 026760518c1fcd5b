// The questions of pawl init, at a terminal. A question whose flag was given is not asked; leaving changes nothing.
import * as prompts from "@clack/prompts";
import type { ShippedSkill } from "../../ports/ground.js";
import { CLIENTS } from "../../setup/clients.js";
import type { Choices, ClientName } from "../../setup/model.js";
import type { Wanted } from "./init.js";
import { clean } from "./render/clean.js";

interface Asked {
  found: Choices;
  given: Wanted;
  skills: ShippedSkill[];
  /** Are there no settings yet? */
  isNew: boolean;
}
class Left extends Error {}

/** Undefined when the person leaves. */
export async function askChoices({ found, given, skills, isNew }: Asked): Promise<Wanted | undefined> {
  try {
    const { choices, named } = given;
    const clients = choices.clients ?? (await askClients(found.clients));
    const hook =
      choices.hook ??
      answer(
        await prompts.confirm({
          message:
            "Keep an agent at its skill when it wants to end its turn while a loop runs? (at most 3 times a skill)",
          initialValue: found.hook,
        }),
      );
    const wanted = choices.skills ?? (skills.length ? await askSkills(found.skills, skills) : found.skills);
    const asked = isNew ? await askSettings(named) : {};
    return { choices: { ...choices, clients, hook, skills: wanted }, named: { ...asked, ...named } };
  } catch (error) {
    if (error instanceof Left) return undefined;
    throw error;
  }
}

async function askClients(found: ClientName[]): Promise<ClientName[]> {
  const options = CLIENTS.map(({ name, title }) => ({ value: name, label: title }));
  return answer(
    await prompts.multiselect({
      message: "For whom? (those that were found are marked)",
      options,
      initialValues: found,
      required: false,
    }),
  );
}

async function askSkills(found: Choices["skills"], skills: ShippedSkill[]): Promise<Choices["skills"]> {
  const how = answer(
    await prompts.select({
      message: `Copy the ${skills.length} skills of Pawl into the repository, so that they can be used by hand?`,
      options: [
        { value: "all", label: "all" },
        { value: "some", label: "some of them" },
        { value: "none", label: "none" },
      ],
      initialValue: typeof found === "string" ? found : "some",
    }),
  );
  if (how === "all" || how === "none") return how;
  const options = skills.map(({ slug }) => ({ value: slug, label: clean(slug) }));
  const initialValues = typeof found === "string" ? [] : found;
  return answer(await prompts.multiselect({ message: "Which?", options, initialValues, required: true }));
}

const SETTINGS = [
  ["branch_base", "The branch that work starts from (may stay empty: git's)"],
  ["production_branch", "The branch that is in production (may stay empty)"],
  ["agent", "Who works where a loop names nobody, for example claude-code (may stay empty)"],
] as const;

async function askSettings(named: Wanted["named"]): Promise<Wanted["named"]> {
  const asked: Wanted["named"] = {};
  for (const [key, message] of SETTINGS) {
    if (named[key] !== undefined) continue;
    const text = answer(await prompts.text({ message, defaultValue: "" })).trim();
    if (text) asked[key] = text;
  }
  return asked;
}

function answer<T>(given: T): Exclude<T, symbol> {
  if (prompts.isCancel(given)) throw new Left();
  return given as Exclude<T, symbol>; // the only symbol was told above
}
