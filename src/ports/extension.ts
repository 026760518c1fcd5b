// What a module under `extensions:` may register. It is somebody else's code with Pawl's own rights: loaded when a loop is planned,
// checked or run, and called through these shapes alone.
import type { Json, Run, Verdict } from "../core/model.js";
import type { Action } from "./action.js";
import type { HookContext, Looker } from "./hook.js";
import type { Loader } from "./loader.js";

/** What the named export of an extension is, or what its class makes. */
export interface Extension {
  actions?: Record<string, Pick<Action, "run"> & Partial<Pick<Action, "outcomes" | "check">>>;
  /** Tools that agents may call while they work. */
  tools?: Record<string, Omit<Tool, "name" | "access"> & Partial<Pick<Tool, "access">>>;
  loaders?: Record<string, Omit<Loader, "name" | "defaultable"> & Partial<Pick<Loader, "defaultable">>>;
  hooks?: Record<string, ExtensionHook>;
  /** Named agents, in the words of the key `agents`. */
  performers?: Record<string, Json>;
}

/** All that a loop's extensions registered, looked at and ready to be called. */
export interface Extras {
  actions: Map<string, Action>;
  tools: Map<string, Tool>;
  loaders: Loader[];
  hooks: HookOfExtension[];
  performers: Record<string, Json>;
  /** What is fixed for the run: "extension PATH", "module PATH" and "package PATH" to a digest. */
  named: Record<string, string>;
}

export interface Tool {
  readonly name: string;
  /** For the agent: what it does and when to use it. */
  readonly about: string;
  /** JSON Schema of the arguments: an object. */
  readonly input: Json;
  /** "read" tools are for reviewers too. Default "write". */
  readonly access: "read" | "write";
  /** What it throws is told to the agent as the tool's failure, and moves nothing. */
  run(call: ToolCall): Promise<string>;
}
export interface ToolCall {
  /** As the agent gave them: nobody has compared them with `input`. */
  args: Json;
  run: Run;
  step: string;
  workspace: string;
  signal: AbortSignal;
}

/** A check at a boundary, or with `condition` a word of `repeat_until`. */
export interface ExtensionHook {
  effect?: boolean;
  does?: "looks" | "runs" | "speaks";
  /** Besides "pass" and "block". */
  outcomes?: string[];
  condition?: boolean;
  check?(params: unknown): { path: (string | number)[]; message: string }[];
  /** May throw: then the run stops as a fault and asks again when it is resumed. */
  look(context: HookContext, params: unknown): Promise<Verdict> | Verdict;
}
export interface HookOfExtension extends Looker {
  name: string;
  effect: boolean;
  does: "looks" | "runs" | "speaks";
  outcomes: string[];
  condition?: true;
  check(params: unknown): { path: (string | number)[]; message: string }[];
}
