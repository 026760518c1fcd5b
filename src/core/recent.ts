// The newest few of what was worked out from a text: a pure function need not be asked twice.

/** Texts kept. */
const KEPT_MAX = 64;

/** What is put in must never be changed by who takes it out. */
export class Recent<Value> {
  private readonly known = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.known.get(key);
  }
  set(key: string, value: Value): void {
    this.known.delete(key);
    this.known.set(key, value);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT_MAX && oldest !== undefined) this.known.delete(oldest);
  }
}
