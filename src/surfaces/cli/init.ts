// pawl init and pawl upgrade: what is chosen, what would change, and at a person's word the change itself.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { parseSettings, type Settings } from "../../config/settings.js";
import { Refusal } from "../../core/refusal.js";
import type { Ground, ShippedSkill } from "../../ports/ground.js";
import { clientOf, findClients } from "../../setup/clients.js";
import { MANIFEST, type Manifest, manifestText, readManifest } from "../../setup/manifest.js";
import { type Choices, CLIENT_NAMES, type ClientName, type Plan } from "../../setup/model.js";
import { planOf } from "../../setup/plan.js";
import { everyWish, type Surroundings, wishesOf } from "../../setup/wishes.js";
import type { CliHouse, Desk } from "./desk.js";
import { showPlan, tellPlan } from "./render/setup.js";
import type { SetupFlags } from "./setup-flags.js";

export async function init(desk: Desk, flags: SetupFlags): Promise<number> {
  const house = await desk.house();
  const ground = openTree(house);
  const manifest = manifestIn(ground);
  if (flags.remove) return removeAll(desk, house, ground, manifest, flags);
  const skills = ground.shippedSkills();
  const found = foundChoices(desk, house, ground, manifest);
  const given = checked(flags, skills);
  const isAsked = desk.terminal && !desk.json && !flags.yes && !flags.check;
  const wanted = isAsked
    ? await (await import("./init-ask.js")).askChoices({ found, given, skills, isNew: !ground.look(CONFIG) })
    : given;
  if (!wanted) return nothing(desk);
  const choices: Choices = { ...found, ...wanted.choices };
  const isSet = settingsIn(ground).ides !== undefined && choices.clients !== found.clients;
  const named = isSet ? { ...wanted.named, ides: choices.clients } : wanted.named; // else the settings would say otherwise
  const surroundings = surroundingsOf(house, ground, { choices, skills, named });
  return carryOut(desk, ground, { plan: planFor(house, surroundings, manifest), choices, flags });
}

/** The choices stay; only what is written follows this release. */
export async function upgrade(desk: Desk, flags: SetupFlags): Promise<number> {
  const house = await desk.house();
  const ground = openTree(house);
  const manifest = manifestIn(ground);
  if (!manifest) throw new Refusal("not-set-up", "Pawl is not set up in this repository", "set it up: pawl init");
  const { choices } = manifest;
  const surroundings = surroundingsOf(house, ground, { choices, skills: ground.shippedSkills(), named: {} });
  return carryOut(desk, ground, { plan: planFor(house, surroundings, manifest), choices, flags });
}

async function removeAll(
  desk: Desk,
  house: CliHouse,
  ground: Ground,
  manifest: Manifest | undefined,
  flags: SetupFlags,
): Promise<number> {
  const choices = manifest?.choices ?? NO_CHOICES;
  const surroundings = surroundingsOf(house, ground, { choices, skills: ground.shippedSkills(), named: {} });
  const plan = planOf({ ...taskOf(house, surroundings, manifest), wishes: [] });
  return carryOut(desk, ground, { plan, flags });
}

const CONFIG = ".pawl/config.yaml";
const NO_CHOICES: Choices = { clients: [], command: ["pawl"], hook: true, skills: "all" };

/** Given as flags, or answered. */
export interface Wanted {
  choices: Partial<Choices>;
  named: Record<string, string | string[]>;
}

function openTree(house: CliHouse): Ground {
  const { workspace } = house.where;
  if (workspace === "/" || workspace === house.userFolder) {
    const what = workspace === "/" ? "the root of the disk" : "your home folder";
    throw new Refusal("bad-workspace", `"${workspace}" is ${what}, no place to set up`, "go to a project folder");
  }
  return house.ground();
}

function manifestIn(ground: Ground): Manifest | undefined {
  const found = ground.look(MANIFEST);
  if (!found) return undefined;
  const read = "text" in found ? readManifest(found.text) : "broken";
  if (read !== "broken") return read;
  const why = "trouble" in found ? found.trouble : "is not what pawl init wrote";
  const hint = "mend it, for example with git checkout; or remove it, and what Pawl wrote counts as yours";
  throw new Refusal("bad-setup", `"${MANIFEST}" ${why}`, hint);
}

/** What was chosen before, else what the settings and the repository say. */
function foundChoices(desk: Desk, house: CliHouse, ground: Ground, manifest: Manifest | undefined): Choices {
  const ides = settingsIn(ground).ides?.flatMap((name) => knownClient(name) ?? []);
  const clients = ides ?? manifest?.choices.clients ?? findClients(ground.isThere, (name) => isInstalled(desk, name));
  if (manifest) return { ...manifest.choices, clients };
  return { clients, command: commandHere(desk, house), hook: true, skills: "all" };
}

function settingsIn(ground: Ground): Pick<Settings, "ides"> {
  const found = ground.look(CONFIG);
  const parsed = found && "text" in found ? parseSettings(found.text, CONFIG) : undefined;
  return parsed && "settings" in parsed ? parsed.settings : {}; // what is wrong with it is told by the plan
}

const knownClient = (name: string): ClientName | undefined => CLIENT_NAMES.find((each) => each === name);

/** By name: these files are shared, so no path of this machine belongs in them. Never a download: nobody knows who publishes under
 *  a name. A `pawl` among the repository's own packages is reached by its path there. */
function commandHere(desk: Desk, { where }: CliHouse): string[] {
  const local = join("node_modules", ".bin", "pawl");
  return !isInstalled(desk, "pawl") && isProgram(join(where.workspace, local)) ? [local] : ["pawl"];
}

const isInstalled = ({ env }: Desk, program: string): boolean =>
  (env.PATH ?? "").split(":").some((folder) => folder !== "" && isProgram(join(folder, program)));

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checked(
  { ides, skills, hook, command, branchBase, productionBranch, agent }: SetupFlags,
  shipped: ShippedSkill[],
): Wanted {
  const clients = ides?.map((name) => {
    const known = knownClient(name);
    if (known) return known;
    throw new Refusal(
      "unknown-client",
      `no editor or agent is called "${name}"`,
      `there are: ${CLIENT_NAMES.join(", ")}`,
    );
  });
  const known = new Set([...shipped.map(({ slug }) => slug), "all", "none"]);
  const unknown = skills?.find((slug) => !known.has(slug));
  if (unknown !== undefined)
    throw new Refusal(
      "unknown-skill",
      `no skill called "${unknown}" is shipped`,
      `there are: ${[...known].join(", ")}`,
    );
  const one = skills?.length === 1 ? skills[0] : undefined;
  return {
    choices: {
      ...(clients ? { clients: [...new Set(clients)] } : {}),
      ...(skills ? { skills: one === "all" || one === "none" ? one : skills } : {}),
      ...(hook === undefined ? {} : { hook }),
      ...(command ? { command } : {}),
    },
    named: {
      ...(branchBase === undefined ? {} : { branch_base: branchBase }),
      ...(productionBranch === undefined ? {} : { production_branch: productionBranch }),
      ...(agent === undefined ? {} : { agent }),
      ...(clients ? { ides: [...new Set(clients)] } : {}),
    },
  };
}

function surroundingsOf(
  { where }: CliHouse,
  ground: Ground,
  made: { choices: Choices; skills: ShippedSkill[]; named: Wanted["named"] },
): Surroundings {
  const text = (key: string): string | undefined => {
    const value = made.named[key];
    return typeof value === "string" ? value : undefined;
  };
  const settings = {
    branchBase: text("branch_base"),
    productionBranch: text("production_branch"),
    agent: text("agent"),
    ides: made.named.ides === undefined ? undefined : made.choices.clients,
  };
  return { ...made, settings, isRepository: where.kind !== "no-git", look: ground.look };
}

function taskOf({ sha256 }: CliHouse, surroundings: Surroundings, manifest: Manifest | undefined) {
  return {
    wishes: wishesOf(surroundings),
    every: everyWish(surroundings),
    traces: manifest?.traces ?? {},
    look: surroundings.look,
    sha256,
  };
}

const planFor = (house: CliHouse, surroundings: Surroundings, manifest: Manifest | undefined): Plan =>
  planOf(taskOf(house, surroundings, manifest));

interface Work {
  plan: Plan;
  /** Undefined: nothing of Pawl is to stay. */
  choices?: Choices;
  flags: SetupFlags;
}

async function carryOut(desk: Desk, ground: Ground, { plan, choices, flags }: Work): Promise<number> {
  const whole = { ...plan, changes: withManifest(ground, plan, choices) };
  const notes = choices ? notesFor(desk, choices) : [];
  const isClean = whole.changes.length === 0;
  const end = desk.strict && whole.left.length > 0 ? 1 : 0;
  if (isClean || flags.check) {
    tellPlan(desk, whole, { did: "nothing", notes: flags.check ? [] : notes });
    return isClean ? end : 1;
  }
  if (!desk.json) showPlan(desk, whole);
  const isSaid =
    flags.yes || (desk.terminal && !desk.json && (await (await import("./ask.js")).confirm("Write this?")));
  if (!isSaid) {
    tellPlan(desk, whole, { did: "shown", notes });
    return 3;
  }
  for (const { path, before, after } of whole.changes) {
    desk.signal.throwIfAborted();
    ground.replace(path, before, after);
  }
  tellPlan(desk, whole, { did: "written", notes });
  return end;
}

/** First when it is written, so that a kill loses no trace; last when it goes. */
function withManifest(ground: Ground, { changes, traces }: Plan, choices: Choices | undefined): Plan["changes"] {
  const found = ground.look(MANIFEST);
  const before = found && "text" in found ? found.text : undefined;
  const after = choices ? manifestText({ choices, traces }) : undefined;
  if (before === after) return changes;
  const own = { path: MANIFEST, before, after, why: "what was chosen and written" };
  return choices ? [own, ...changes] : [...changes, own];
}

function notesFor(desk: Desk, choices: Choices): string[] {
  const [program = ""] = choices.command;
  const isMissing = !program.includes("/") && !isInstalled(desk, program);
  return [
    ...(choices.clients.length === 0
      ? [`No editor or agent was found, so only AGENTS.md is written; name yours: pawl init --ides ${CLIENT_NAMES[0]}`]
      : []),
    ...(isMissing ? [`"${program}" is not on the PATH here: install it, or name another with --command.`] : []),
    ...choices.clients.flatMap((name) => clientOf(name).note?.(choices) ?? []),
  ];
}

function nothing(desk: Desk): number {
  desk.err("nothing was changed\n");
  return 3;
}
