// What a flow names is frozen with it, as "kind name" to a digest. Extensions are found again by it, and kept out of the work's reach.

const EXTENSION = "extension ";

export const extensionKey = (path: string): string => `${EXTENSION}${path}`;
export const extensionPaths = (named: Record<string, string>): string[] =>
  Object.keys(named).flatMap((key) => (key.startsWith(EXTENSION) ? [key.slice(EXTENSION.length)] : []));
