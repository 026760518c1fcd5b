// What the extensions of a loop register, with Pawl's own names kept for Pawl. One of the few files that know everybody; loaded when
// a loop names extensions.
import { extensionsOf } from "./adapters/extensions/extensions.js";
import { nothing } from "./adapters/extensions/gather.js";
import { BUNDLED } from "./adapters/loaders/bundled.js";
import { extensionParts } from "./core/named.js";
import { registryOf } from "./hooks/registry.js";
import type { Extras } from "./ports/extension.js";
import { BUILT_IN } from "./workers/actions/built-in.js";

/** `frozen`: what a flow named when its run began. */
export async function extrasFor(
  workspace: string,
  entries: string[],
  frozen?: Record<string, string>,
): Promise<Extras> {
  if (entries.length === 0) return nothing();
  const taken = {
    actions: Object.keys(BUILT_IN),
    hooks: [...registryOf().keys()],
    loaders: BUNDLED.map((loader) => loader.name),
  };
  return extensionsOf({ workspace, entries, taken, ...(frozen ? { frozen: extensionParts(frozen) } : {}) });
}
