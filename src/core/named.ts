// What a flow names is frozen with it, as "kind name" to a digest. Extensions are found again by it, with all they are made of, and
// kept out of the work's reach.

type Named = Record<string, string>;
const EXTENSION = "extension ";
const KINDS = [EXTENSION, "module ", "package "];
/** What the extensions of loops that this one may start are made of: they run outside the sandbox later in the same run. */
const LATER = "later ";

/** The extensions, as `PATH` or `PATH:Export`, in the author's order. */
export const extensionsIn = (named: Named): string[] => namesOf(named, EXTENSION);
/** Files and folders that extensions are made of, relative to the workspace. */
export const extensionFiles = (named: Named): string[] =>
  KINDS.flatMap((kind) => [...namesOf(named, kind), ...namesOf(named, LATER + kind)]).map((name) =>
    name.replace(/:[\w$]+$/, ""),
  );
/** The part of `named` that extensions are made of. */
export const extensionParts = (named: Named): Named =>
  Object.fromEntries(Object.entries(named).filter(([key]) => KINDS.some((kind) => key.startsWith(kind))));

export const asLater = (parts: Named): Named =>
  Object.fromEntries(Object.entries(parts).map(([key, digest]) => [LATER + key, digest]));
/** The first part that is not what the run that starts this loop has fixed for it. */
export const strangerTo = (parent: Named, parts: Named): string | undefined =>
  Object.entries(parts).find(([key, digest]) => parent[LATER + key] !== digest)?.[0];

const namesOf = (named: Named, kind: string): string[] =>
  Object.keys(named).flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length)] : []));
