// Where a run stands, in a word; and the names of the questions that are open there.
import type { Cursor, Flow, Node, Run, Work } from "./model.js";

/** Written on every journal line: a fold that disagrees with it is an error. */
export function placeOf(cursor: Cursor): string {
  switch (cursor.at) {
    case "enter":
    case "exit":
      return `${cursor.at}:${cursor.node}[${cursor.index}]`;
    case "work":
      return ["work:", cursor.node, ...Object.keys(cursor.answers).map((branch) => `+${branch}`)].join("");
    case "waiting":
      return `waiting:${cursor.node}.${cursor.boundary}`;
    case "parked":
      return `parked:${cursor.code}`;
    case "checkpoint":
      return `checkpoint>${placeOf(cursor.to)}`;
    case "chain":
      return `chain:${cursor.loop}`;
    case "ended":
      return `ended:${cursor.ending}`;
  }
}

/** The tickets of what is outstanding: where the run stands and since which event. They survive a crash. */
export function ticketsOf(flow: Flow, run: Run): string[] {
  const { cursor, since } = run;
  switch (cursor.at) {
    case "enter":
    case "exit":
      return [`${cursor.node}.${cursor.at}[${cursor.index}]@${since}`];
    case "work": {
      const branches = branchesLeft(nodeOf(flow, cursor.node), cursor.answers);
      return branches ? branches.map((b) => `${cursor.node}/${b}@${since}`) : [`${cursor.node}@${since}`];
    }
    case "checkpoint":
    case "chain":
      return [`${cursor.at}@${since}`];
    case "waiting":
    case "parked":
    case "ended":
      return [];
  }
}

/** The branches of a fan to be asked now; undefined when the node is no fan. */
export function branchesLeft(node: Node, answers: Record<string, unknown>): string[] | undefined {
  if (node.work.kind !== "fan") return undefined;
  const left = Object.keys(node.work.branches).filter((branch) => !(branch in answers));
  return node.work.inTurn ? left.slice(0, 1) : left;
}

export function nodeOf(flow: Flow, name: string): Node {
  const node = flow.nodes[name];
  if (!node) throw new Error(`unreachable: flow ${flow.name} has no node "${name}"`);
  return node;
}
/** `node` or `node/branch`: whose question a ticket names. */
export const ownerOf = (ticket: string): string => ticket.slice(0, ticket.lastIndexOf("@"));

/** What an owner does: a node, or a branch of one (`node/branch`). Undefined where the flow has no such owner. */
export function workOf(flow: Flow, owner: string): Work | undefined {
  const whole = flow.nodes[owner]?.work;
  if (whole) return whole;
  const cut = owner.lastIndexOf("/");
  const fan = cut < 0 ? undefined : flow.nodes[owner.slice(0, cut)]?.work;
  return fan?.kind === "fan" ? fan.branches[owner.slice(cut + 1)] : undefined;
}
export const visitsOf = (run: Run, name: string): number => run.visits[name] ?? 0;

/** Where the run stands, or will stand once its checkpoint is written. */
export function settled(cursor: Cursor): Exclude<Cursor, { at: "checkpoint" | "chain" }> {
  return cursor.at === "checkpoint" || cursor.at === "chain" ? settled(cursor.to) : cursor;
}

/** The node a run is at, or will be at once it goes on; undefined when it goes nowhere. */
export function nodeAt(cursor: Cursor): string | undefined {
  switch (cursor.at) {
    case "enter":
    case "exit":
    case "work":
    case "waiting":
      return cursor.node;
    case "checkpoint":
    case "chain":
      return nodeAt(cursor.to);
    case "parked":
      if ("retry" in cursor.resume) return nodeAt(cursor.resume.retry);
      return "node" in cursor.resume.to ? cursor.resume.to.node : undefined;
    case "ended":
      return undefined;
  }
}
