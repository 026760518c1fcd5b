// Files of a visit. What work left behind is read as if an enemy had written it; what we write is ours alone (mode 0600).
export interface Files {
  /** A file below `root`, only after every process of the step is dead. Never follows a link, never waits on a FIFO. Must not throw. */
  read(root: string, name: string): Promise<Read>;
  /** Whole and durable, or not at all. */
  write(path: string, text: string): Promise<void>;
  /** Whole, or not at all, and after a power cut perhaps empty: for what can be made again. */
  writeQuickly(path: string, text: string): Promise<void>;
  /** Nothing to do when it is not there. */
  remove(path: string): Promise<void>;
  /** Undefined when it is not there. For files of ours. */
  text(path: string): Promise<string | undefined>;
}
export type Read = { text: string; sha256: string } | { missing: true } | { refused: string };
