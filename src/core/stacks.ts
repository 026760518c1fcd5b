// Doers and reviewers of stacks: an agent "doer-web" is the doer of the stack "web", and a task of the plan marked [web] is its own.

/** The part of one agent in a loop whose work is shared out. */
export interface Stack {
  name: string;
  /** All of the loop, in the order of their agents; the first also does what is marked for none. */
  all: string[];
  /** Where the tasks are, below the workspace; absent: the loop names no plan. */
  plan?: string;
}

/** Whoever fills a role: the agent or driver of that very name where there is one; else the agents of its stacks, in the order they are
 *  registered in. */
export function agentsOfRole(role: string, registered: readonly string[], drivers: readonly string[]): string[] {
  if (registered.includes(role) || drivers.includes(role)) return [role];
  const stem = `${role}-`;
  const found = [...new Set(registered.filter((name) => name.startsWith(stem) && name !== stem))];
  return found.length ? found : [role];
}

export const stackOf = (role: string, agent: string): string => agent.slice(role.length + 1);

/** The items of a plan that are this stack's, with all that stands behind their mark. What stands in code is no item. */
export function tasksOf(plan: string, stack: Stack): string[] {
  return outsideCode(plan.split(/\r?\n/)).flatMap((line) => {
    const [, box, mark, text] = ITEM.exec(line) ?? [];
    return text === undefined ? [] : taskOf({ box, mark, text }, stack);
  });
}
/** A list item that may have a check box and a mark. */
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(?:\[([A-Za-z0-9][\w.-]*)\](?!\()\s+)?(\S.*)$/s;

/** By the rule of CommonMark: a fence is closed by one of its own sign that is as long, and one of backticks has none behind it. */
function outsideCode(lines: string[]): string[] {
  let open = "";
  return lines.filter((line) => {
    const [, fence = "", rest = ""] = /^\s*(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (open === "") {
      if (!(fence.startsWith("`") && rest.includes("`"))) open = fence;
      return open === "";
    }
    if (fence.startsWith(open) && rest.trim() === "") open = "";
    return false;
  });
}

interface Item {
  box: string | undefined;
  mark: string | undefined;
  text: string;
}
/** Without a box and a mark of a stack it is prose. */
function taskOf({ box, mark, text }: Item, { name, all }: Stack): string[] {
  const marked = all.find((each) => each.toLowerCase() === mark?.toLowerCase());
  if ((marked ?? all[0]) !== name || (box === undefined && marked === undefined)) return [];
  const shown = marked !== undefined || mark === undefined ? text : `[${mark}] ${text}`;
  return [box === undefined ? shown : `[${box}] ${shown}`];
}
