// What the extensions of a loop register, with Pawl's own names kept for Pawl. One of the few files that know everybody; loaded when
// a loop names extensions.
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { extensionsOf, partsOf } from "./adapters/extensions/extensions.js";
import { nothing } from "./adapters/extensions/gather.js";
import { BUNDLED } from "./adapters/loaders/bundled.js";
import { parseLoop } from "./config/parse.js";
import type { LoopFile } from "./config/schema/file.js";
import type { Flow } from "./core/model.js";
import { extensionParts } from "./core/named.js";
import { registryOf } from "./hooks/registry.js";
import type { Extras } from "./ports/extension.js";
import type { Library } from "./ports/library.js";
import { BUILT_IN } from "./workers/actions/built-in.js";

export interface ExtrasWish {
  /** What a flow named when its run began. */
  frozen?: Record<string, string>;
  /** What the run named that starts this loop. */
  parent?: Record<string, string>;
}

export async function extrasFor(workspace: string, entries: string[], wish: ExtrasWish = {}): Promise<Extras> {
  if (entries.length === 0) return nothing();
  const { frozen, parent } = wish;
  const taken = {
    actions: Object.keys(BUILT_IN),
    hooks: [...registryOf().keys()],
    loaders: BUNDLED.map((loader) => loader.name),
  };
  return extensionsOf({
    workspace,
    entries,
    taken,
    ...(frozen ? { frozen: extensionParts(frozen) } : {}),
    ...(parent ? { parent } : {}),
  });
}

/** Like a document, a module is looked for beside the loop file, then from the top of the repository. */
export function fromTop(workspace: string, near: string | undefined, entry: string): string {
  const [, module = "", rest = ""] = /^([^:\s]+)(.*)$/s.exec(entry) ?? [];
  const beside = near === undefined || !/^\.{0,2}\/|\.[cm]?[jt]s$/.test(module) ? undefined : resolve(near, module);
  if (beside === undefined || !existsSync(beside)) return entry;
  return `${relative(workspace, beside)}${rest}`;
}

/** Loops that follow one another are looked at so deep. */
const LOOPS_MAX = 50;

/** What the extensions of the loops are made of that this flow may start, and those that they may start. Loads nothing. */
export async function laterParts(library: Library, workspace: string, flow: Flow): Promise<Record<string, string>> {
  const parts: Record<string, string> = {};
  const names = startedBy(flow);
  for (const name of names) {
    const source = names.size > LOOPS_MAX ? undefined : await library.loop(name);
    const parsed = source && parseLoop(source.text, source.path);
    if (!source || !parsed || "issues" in parsed) continue; // who starts it is told what is wrong with it
    const { file } = parsed;
    const near = source.origin === "bundled" ? undefined : dirname(resolve(workspace, source.path));
    Object.assign(
      parts,
      partsOf(
        workspace,
        file.extensions.map((entry) => fromTop(workspace, near, entry)),
      ),
    );
    for (const next of loopsIn(file)) names.add(next); // a set that grows is walked to its end
  }
  return parts;
}

const startedBy = ({ nodes, onEnd }: Flow): Set<string> =>
  new Set([
    ...Object.values(nodes).flatMap(({ work }) => (work.kind === "flow" ? [work.flow] : [])),
    ...Object.values(onEnd ?? {}),
  ]);
function loopsIn(file: LoopFile): string[] {
  const works = file.body === "steps" ? file.steps : file.body === "nodes" ? file.nodes : [];
  return [
    ...works.flatMap(({ work }) => (work.kind === "loop" ? [work.loop] : [])),
    ...Object.values(file.onComplete).filter((name) => name !== undefined),
  ];
}
