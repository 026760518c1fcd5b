// The repository's files as setting up sees them: read without following anything, written whole or not at all.

/** What stands at a path now. `trouble` is the end of a sentence about the file: it must not be written then. `leadsTo` is where a
 *  link that stays in the repository ends. */
export type Found = { text: string } | { trouble: string; leadsTo?: string } | undefined;

/** Texts by path inside the skill's folder. */
export interface ShippedSkill {
  slug: string;
  files: Record<string, string>;
}

/** Paths are relative to the work tree, with slashes. */
export interface Ground {
  /** Undefined: nothing is there. Only texts in UTF-8 are read, and no link is followed. */
  look(path: string): Found;
  /** Is anything there at all, a folder or a link too? */
  isThere(path: string): boolean;
  /** Must leave the file as it is, and throw a Refusal, when it is no longer `before`. `after` undefined removes it, and the folders
   *  that are empty then. Throws a FaultError when the disk does not do it. */
  replace(path: string, before: string | undefined, after: string | undefined): void;
  /** The skills of the package, sorted by name. */
  shippedSkills(): ShippedSkill[];
}
