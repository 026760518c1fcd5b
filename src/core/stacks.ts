// Doers and reviewers of stacks: an agent "doer-web" is the doer of the stack "web", and a task of the plan marked [web] is its own.

/** The part of one agent in a loop whose work is shared out. */
export interface Stack {
  name: string;
  /** All of the loop, in the order of their agents; the first also does what is marked for none. */
  all: string[];
  /** Where the tasks are, below the workspace; absent: the loop names no plan. */
  plan?: string;
}

/** Whoever fills a role: the agent of that very name where one is registered; else those of its stacks, in the order they are registered in. */
export function agentsOfRole(role: string, registered: readonly string[]): string[] {
  if (registered.includes(role)) return [role];
  const found = [...new Set(registered.filter((name) => name.startsWith(`${role}-`)))];
  return found.length ? found : [role];
}

export const stackOf = (role: string, agent: string): string => agent.slice(role.length + 1);

/** The items of a plan that are this stack's, with all that stands behind their mark. What stands in code is no item. */
export function tasksOf(plan: string, stack: Stack): string[] {
  const lines = plan.replace(FENCED, "").split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, box, mark, text] = ITEM.exec(line) ?? [];
    return text === undefined ? [] : taskOf({ box, mark, text }, stack);
  });
}
const FENCED = /^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*\s*$|$(?![\s\S]))/gm;
/** A list item that may have a check box and a mark. */
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(?:\[([A-Za-z0-9][\w.-]*)\](?!\()\s+)?(\S.*)$/;

interface Item {
  box: string | undefined;
  mark: string | undefined;
  text: string;
}
/** Without a box and a mark of a stack it is prose. */
function taskOf({ box, mark, text }: Item, { name, all }: Stack): string[] {
  const isMarked = mark !== undefined && all.includes(mark);
  const owner = isMarked ? mark : all[0];
  if (owner !== name || (box === undefined && !isMarked)) return [];
  const shown = isMarked || mark === undefined ? text : `[${mark}] ${text}`;
  return [box === undefined ? shown : `[${box}] ${shown}`];
}
