// Looks at what may go while it is looked at, such as a process under /proc: then there is nothing to see, and nothing to do.
import { readdirSync, readFileSync } from "node:fs";

export const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];
export const textOf = (path: string): string => attempt(() => readFileSync(path, "utf8")) ?? "";

export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
