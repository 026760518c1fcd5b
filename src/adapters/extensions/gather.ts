// Looks at what an extension registers, thing by thing, before anything of it is called: it is somebody else's JavaScript.
import type { Json } from "../../core/model.js";
import type { Action } from "../../ports/action.js";
import type { ExtensionHook, Extras, HookOfExtension, Tool } from "../../ports/extension.js";
import type { Loader } from "../../ports/loader.js";
import { readBrought, readEnd, readVerdict } from "./answers.js";

/** Names that are Pawl's own. */
export interface Taken {
  actions: readonly string[];
  hooks: readonly string[];
  loaders: readonly string[];
}
export const nothing = (): Extras => ({
  actions: new Map(),
  tools: new Map(),
  loaders: [],
  hooks: [],
  performers: {},
  named: {},
});

type Complain = (why: string) => Error;
type Given = Record<string, unknown>;
const KINDS = ["actions", "tools", "loaders", "hooks", "performers"] as const;

/** Adds what `given` registers to `extras`. Throws what `complain` makes of the first thing that is wrong. */
export function gather(extras: Extras, given: object, taken: Taken, complain: Complain): void {
  const all = given as Given; // each is looked at next
  for (const kind of KINDS) {
    const part = all[kind];
    if (part === undefined) continue;
    if (typeof part !== "object" || part === null) throw complain(`its "${kind}" must be an object of names`);
    for (const [name, one] of Object.entries(part)) {
      if (!NAME.test(name)) throw complain(`"${name}" in its "${kind}" is no name: use letters, digits, - and _`);
      add[kind](extras, name, one, { taken, complain });
    }
  }
  if (KINDS.every((kind) => all[kind] === undefined))
    throw complain(`it registers nothing; it may have ${KINDS.join(", ")}`);
}
const NAME = /^[A-Za-z][\w.-]{0,99}$/;

interface Desk {
  taken: Taken;
  complain: Complain;
}
type Add = (extras: Extras, name: string, one: unknown, desk: Desk) => void;

const add: Record<(typeof KINDS)[number], Add> = {
  actions: (extras, name, one, { taken, complain }) => {
    const { run, outcomes = [], check = () => [] } = partsOf<Action>(one);
    if (typeof run !== "function") throw complain(`its action "${name}" has no function "run"`);
    if (typeof check !== "function") throw complain(`"check" of its action "${name}" is no function`);
    if (!isWords(outcomes)) throw complain(`"outcomes" of its action "${name}" must be a list of words`);
    if (taken.actions.includes(name) || extras.actions.has(name)) throw complain(twice("action", name));
    extras.actions.set(name, {
      name,
      outcomes,
      check: (params) => check.call(one, params),
      run: async (task) => readEnd(await run.call(one, task)),
    });
  },
  tools: (extras, name, one, { complain }) => {
    const { run, about, input, access = "write" } = partsOf<Tool>(one);
    if (typeof run !== "function") throw complain(`its tool "${name}" has no function "run"`);
    if (typeof about !== "string" || !about.trim()) throw complain(`its tool "${name}" has no text "about"`);
    if (typeof input !== "object" || input === null || Array.isArray(input))
      throw complain(`"input" of its tool "${name}" must be a JSON Schema`);
    if (access !== "read" && access !== "write") throw complain(`"access" of its tool "${name}" must be read or write`);
    if (extras.tools.has(name)) throw complain(twice("tool", name));
    extras.tools.set(name, { name, about, input, access, run: async (call) => String(await run.call(one, call)) });
  },
  loaders: (extras, name, one, { taken, complain }) => {
    const { load, options, defaultable = false } = partsOf<Loader>(one);
    if (typeof load !== "function") throw complain(`its loader "${name}" has no function "load"`);
    if (typeof options !== "object" || options === null || Object.keys(options).length === 0)
      throw complain(`its loader "${name}" has no "options", so nothing could choose it`);
    for (const [option, facts] of Object.entries(options)) refuseOption(name, option, facts, complain);
    if (taken.loaders.includes(name) || extras.loaders.some((each) => each.name === name))
      throw complain(twice("loader", name));
    extras.loaders.push({
      name,
      options,
      defaultable: typeof defaultable === "function" ? (place) => defaultable.call(one, place) === true : defaultable,
      load: async (task) => readBrought(await load.call(one, task)),
    });
  },
  hooks: (extras, name, one, { taken, complain }) => {
    const { look, effect = false, does = "looks", outcomes = [], condition, check } = partsOf<ExtensionHook>(one);
    if (typeof look !== "function") throw complain(`its hook "${name}" has no function "look"`);
    if (!isWords(outcomes)) throw complain(`"outcomes" of its hook "${name}" must be a list of words`);
    if (!["looks", "runs", "speaks"].includes(does))
      throw complain(`"does" of its hook "${name}" must be looks, runs or speaks`);
    if (taken.hooks.includes(name) || extras.hooks.some((each) => each.name === name))
      throw complain(twice("hook", name));
    const hook: HookOfExtension = {
      name,
      effect: effect === true,
      does,
      outcomes,
      ...(condition === true ? { condition } : {}),
      check: (params) => (typeof check === "function" ? check.call(one, params) : []),
      look: async (context, params) => readVerdict(await look.call(one, context, params), outcomes),
    };
    extras.hooks.push(hook);
  },
  performers: (extras, name, one, { complain }) => {
    if (Object.hasOwn(extras.performers, name)) throw complain(twice("performer", name));
    extras.performers[name] = one as Json; // config reads it by the schema of `agents:`
  },
};

/** What an option must have; `default` is looked at where loaders are compared. */
function refuseOption(loader: string, option: string, facts: unknown, complain: Complain): void {
  const { value, about } = partsOf<{ value: string; about: string }>(facts);
  if (!/^[a-z][a-z0-9-]{0,59}$/.test(option))
    throw complain(`the option "${option}" of its loader "${loader}" must be small letters, digits and -`);
  if (typeof value !== "string" || typeof about !== "string")
    throw complain(`the option "${option}" of its loader "${loader}" must have the texts "value" and "about"`);
}

/** Its parts, each of a type that nobody has looked at yet. */
const partsOf = <T>(one: unknown): Partial<T> => (typeof one === "object" && one !== null ? (one as Partial<T>) : {});
const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each.trim() !== "");
const twice = (kind: string, name: string): string => `the ${kind} "${name}" is registered twice`;
