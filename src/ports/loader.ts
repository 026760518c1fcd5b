// Brings the documents and the subject of a run: a plan, a unit of an AI-DLC project, a page of a wiki.
export interface Loader {
  readonly name: string;
  /** Options of `pawl run` and `pawl plan`; the one that is given chooses this loader. At least one. */
  readonly options: Record<string, LoaderOption>;
  /** May it be chosen when no option is given? */
  defaultable: boolean | ((place: LoaderPlace) => boolean);
  /** Must throw a Refusal where a person is to choose, and may throw anything else for trouble: that is a fault. */
  load(task: LoaderTask): Promise<Brought>;
}
export interface LoaderOption {
  /** The word for its value in messages: PAGE. */
  value: string;
  about: string;
  /** An option that is always there would always choose: another default than null is refused. */
  default?: null;
}
export interface LoaderPlace {
  workspace: string;
  /** Where the person stands: what paths they type are relative to. */
  cwd: string;
}
export interface LoaderTask extends LoaderPlace {
  /** The loader's own, as given; without the dashes. Empty when it was chosen by default. */
  options: Record<string, string>;
  signal: AbortSignal;
}
export interface Brought {
  /** What the run is about, for prompts and the commit. */
  subject: string;
  /** At least one. `path` names a document once: relative, and where it lies in the repository the path there. */
  documents: { path: string; text: string }[];
  /** For people: where the choice came from, what was expected and is not there. */
  notes?: string[];
}
