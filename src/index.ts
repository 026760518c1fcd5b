// What a program that embeds Pawl, or an extension, may import.

export type * from "./core/model.js";
export { main } from "./main.js";
export type { Action, ActionEnd, ActionTask } from "./ports/action.js";
export type { Extension, ExtensionHook, Tool, ToolCall } from "./ports/extension.js";
export type { HookContext } from "./ports/hook.js";
export type { Brought, Loader, LoaderOption, LoaderTask } from "./ports/loader.js";
