// Strongly connected components (Tarjan) without recursion: a thousand steps in a row must not exhaust the stack.

/** Every name is in exactly one component; names on no cycle are alone in theirs. */
export function componentsOf(names: string[], successors: (name: string) => string[]): string[][] {
  const search = new Search(successors);
  for (const name of names) search.from(name);
  return search.found;
}

class Search {
  readonly found: string[][] = [];
  private readonly number = new Map<string, number>();
  private readonly low = new Map<string, number>();
  private readonly stack: string[] = [];
  private readonly open = new Set<string>();
  private readonly path: { name: string; rest: string[] }[] = [];

  constructor(private readonly successors: (name: string) => string[]) {}

  from(root: string): void {
    if (!this.number.has(root)) this.enter(root);
    for (let at = this.path.at(-1); at; at = this.path.at(-1)) {
      const to = at.rest.pop();
      if (to === undefined) this.leave(at.name);
      else if (!this.number.has(to)) this.enter(to);
      else if (this.open.has(to)) this.lower(at.name, this.number.get(to) ?? 0);
    }
  }

  private enter(name: string): void {
    const number = this.number.size;
    this.number.set(name, number);
    this.low.set(name, number);
    this.stack.push(name);
    this.open.add(name);
    this.path.push({ name, rest: [...this.successors(name)] });
  }

  private leave(name: string): void {
    this.path.pop();
    const low = this.low.get(name) ?? 0;
    if (low === this.number.get(name)) this.close(name);
    const above = this.path.at(-1);
    if (above) this.lower(above.name, low);
  }

  /** `name` is the first of its component: all above it on the stack belong to it. */
  private close(name: string): void {
    const members = this.stack.splice(this.stack.lastIndexOf(name));
    for (const member of members) this.open.delete(member);
    this.found.push(members);
  }

  private lower(name: string, to: number): void {
    this.low.set(name, Math.min(this.low.get(name) ?? to, to));
  }
}
