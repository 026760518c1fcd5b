// Every hook there is, by name. A shipped hook and one from outside stand in the same list and have the same shape.
import { allPhasesComplete } from "./all-phases-complete.js";
import type { Complaint, RegisteredHook } from "./hook.js";
import { lintArtifacts } from "./lint-artifacts.js";
import { treeChanged } from "./tree-changed.js";
import { validateArtifacts } from "./validate-artifacts.js";
import { validator } from "./validator.js";

export type Registry = ReadonlyMap<string, RegisteredHook>;

/** What config must know about a hook. */
export interface HookFacts {
  outcomes: string[];
  effect: boolean;
  does: RegisteredHook["does"];
  check(params: unknown): Complaint[];
}

const SHIPPED = [allPhasesComplete, lintArtifacts, treeChanged, validateArtifacts, validator];

/** The shipped hooks and those of extensions. Throws when two have one name. */
export function registryOf(extensions: RegisteredHook[] = []): Registry {
  const hooks = new Map<string, RegisteredHook>();
  for (const hook of [...SHIPPED, ...extensions]) {
    if (hooks.has(hook.name)) throw new Error(`two hooks are called "${hook.name}"`);
    hooks.set(hook.name, hook);
  }
  return hooks;
}

export function describe(registry: Registry): { hooks: Record<string, HookFacts>; conditions: string[] } {
  const all = [...registry.values()];
  const facts = ({ outcomes, effect, does, check }: RegisteredHook): HookFacts => ({ outcomes, effect, does, check });
  return {
    hooks: Object.fromEntries(all.filter((hook) => !hook.condition).map((hook) => [hook.name, facts(hook)])),
    conditions: all.filter((hook) => hook.condition).map((hook) => hook.name),
  };
}
