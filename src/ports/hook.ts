// What a hook is handed: the one look at the world it has. The same context gives the same verdict.
import type { Flow, Json, Node, Run, Verdict } from "../core/model.js";

/** A hook as workers call it. Must throw a FaultError when it cannot look: that parks the run and costs nothing. */
export interface Looker {
  look(context: HookContext, params: unknown): Promise<Verdict>;
}
export interface HookContext {
  run: Run;
  flow: Flow;
  node: Node;
  visit: number;
  /** The verdict of the node's work, at an exit. */
  answered?: Verdict;
  /** The node's artifacts, by name; those of the visit go before files of the workspace. */
  artifacts: string[];
  /** An artifact or a file of the workspace as text, through the safe reader; undefined when it is not there. */
  read(path: string): Promise<string | undefined>;
  /** Digest of the product tree now. */
  tree(): Promise<string>;
  /** The one at the start of the visit. */
  treeBefore?: string;
  validate(tool: string, checks: { name: string; required: boolean }[], timeoutMs: number): Promise<Verdict>;
  sha256(text: string): string;
  /** Front matter and what follows it; undefined when it is there and cannot be read. Without one `values` is empty. */
  frontMatter(text: string): { values: Record<string, Json>; body: string } | undefined;
  /** Lines with what they stand in; the one reader of Markdown (`workers/markdown.ts`). */
  markdown(text: string): Markdown;
}
export interface Markdown {
  lines: MarkdownLine[];
  unclosed?: { what: "fence" | "comment" | "quote"; at: number };
}
export interface MarkdownLine {
  text: string;
  /** Counted from 1. */
  at: number;
  in: "text" | "fence" | "quote" | "comment" | "code";
}
