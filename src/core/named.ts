// What a flow names is frozen with it, as "kind name" to a digest. Extensions are found again by it, with all they are made of, and
// kept out of the work's reach.

type Named = Record<string, string>;
const EXTENSION = "extension ";
const KINDS = [EXTENSION, "module ", "package "];

/** The extensions, as `PATH` or `PATH:Export`, in the author's order. */
export const extensionsIn = (named: Named): string[] => namesOf(named, EXTENSION);
/** Files and folders that extensions are made of, relative to the workspace. */
export const extensionFiles = (named: Named): string[] =>
  KINDS.flatMap((kind) => namesOf(named, kind)).map((name) => name.replace(/:[\w$]+$/, ""));
/** The part of `named` that extensions are made of. */
export const extensionParts = (named: Named): Named =>
  Object.fromEntries(Object.entries(named).filter(([key]) => KINDS.some((kind) => key.startsWith(kind))));

const namesOf = (named: Named, kind: string): string[] =>
  Object.keys(named).flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length)] : []));
