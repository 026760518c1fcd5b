// Which task of a run is its first: the memory bank's open learnings come with it, once.
import type { Flow, Node, Run, Work } from "./model.js";

/** What goes with this node's task; undefined when there is nothing, or an agent of another node has answered in this run already. Who
 *  only reads (a reviewer) looks with fresh eyes and gets nothing. */
export function memoryFor(memory: string | undefined, flow: Flow, run: Run, node: Node): string | undefined {
  if (!memory) return undefined;
  const others = Object.values(flow.nodes).filter((other) => other.name !== node.name && hasAgent(other.work));
  return others.some(({ name }) => run.results[name] !== undefined) ? undefined : memory;
}

const hasAgent = (work: Work): boolean =>
  work.kind === "agent" || (work.kind === "fan" && Object.values(work.branches).some(hasAgent));
