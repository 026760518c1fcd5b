// What is to be done now: the reading half of the engine. See core/run.ts for the invariants.
import type { Command, Cursor, Ending, Flow, Run } from "./model.js";
import { branchesLeft, nodeOf, ticketsOf, visitsOf } from "./place.js";

/** What is to be done now: one command, or one per unheard branch at a fan; none when the run waits, is parked or has ended. */
export function next(flow: Flow, run: Run): Command[] {
  const { cursor } = run;
  const tickets = ticketsOf(flow, run);
  const ticket = tickets[0] ?? "";
  switch (cursor.at) {
    case "work": {
      const node = nodeOf(flow, cursor.node);
      const visit = visitsOf(run, node.name);
      const { work } = node;
      if (work.kind === "none") throw new Error(`unreachable: ${node.name} has no work to stand at`);
      if (work.kind !== "fan") return [{ ticket, do: "work", node, work, visit }];
      return (branchesLeft(node, cursor.answers) ?? []).flatMap((branch, i) => {
        const part = work.branches[branch];
        return part ? [{ ticket: tickets[i] ?? "", do: "work", node, work: part, branch, visit }] : [];
      });
    }
    case "enter":
    case "exit": {
      const node = nodeOf(flow, cursor.node);
      const hook = node[cursor.at][cursor.index];
      if (!hook) throw new Error(`unreachable: ${cursor.node} has no ${cursor.at} hook ${cursor.index}`);
      const answered = run.results[node.name];
      const visit = visitsOf(run, node.name);
      return [{ ticket, do: "hook", hook, boundary: cursor.at, node, visit, ...(answered ? { answered } : {}) }];
    }
    case "checkpoint": {
      const ending = endingOf(cursor.to);
      const { saves } = cursor;
      const more = { ...(ending ? { ending } : {}), ...(saves ? { saves } : {}) };
      return [{ ticket, do: "checkpoint", message: flow.checkpoint.message, ...more }];
    }
    case "chain":
      return [{ ticket, do: "chain", loop: cursor.loop }];
    case "waiting":
    case "parked":
    case "ended":
      return [];
  }
}

function endingOf(cursor: Cursor): Ending | undefined {
  if (cursor.at === "ended") return cursor.ending;
  return cursor.at === "chain" ? endingOf(cursor.to) : undefined;
}
