// Finds by name what a loop file names: loops, skills, validators, documents. By slug, never by path.
export interface Library {
  /** `.pawl/loops/NAME.yaml`, then the bundled ones. Undefined: there is none. */
  loop(name: string): Promise<Source | undefined>;
  /** A file given by path. Throws a Refusal when it cannot be read. */
  loopAt(path: string): Promise<Source>;
  loops(): Promise<{ name: string; origin: "repository" | "bundled"; path: string; covers: boolean }[]>;
  /** What they are called, in order. Cheap: reads none of them. */
  loopNames(): Promise<string[]>;
  /** `.pawl/skills`, `.agents/skills`, `.claude/skills`, then bundled. */
  skill(name: string): Promise<Skill | undefined>;
  skills(): Promise<{ name: string; origin: string; description: string; broken?: string }[]>;
  /** Every candidate in the winning place: more than one is the caller's error. */
  validator(tool: string): Promise<{ path: string; digest: string; origin: "repository" | "bundled" }[]>;
  /** A document as text; undefined when missing. At most ARTIFACT_BYTES_MAX. Its path is taken from the folder of the loop file
   *  (absolute), else from the top of the repository, and must lie in the repository; what a loop file outside of it names must lie
   *  in that file's own repository or folder. `path`: as people and agents know it, relative to the workspace where it lies inside. */
  document(path: string, near?: string): Promise<{ text: string; digest: string; path: string } | undefined>;
  /** What the files in a folder are called, in order; none where there is no such folder. It is looked for as a document is. */
  fileNames(folder: string, near?: string): Promise<string[]>;
  /** Performers and defaults from `.pawl/config.yaml`; empty when there is none. */
  settings(): Promise<Source | undefined>;
}
export interface Source {
  name: string;
  /** As shown to people: relative to the workspace where it lies inside. */
  path: string;
  text: string;
  origin: "repository" | "bundled" | "path";
}
export interface Skill {
  name: string;
  description: string;
  text: string;
  path: string;
  digest: string;
}
