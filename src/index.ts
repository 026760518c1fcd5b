// What a program that embeds Pawl, or an extension, may import.

export type { Extension } from "./adapters/extensions/extensions.js";
export type * from "./core/model.js";
export { main } from "./main.js";
export type { Action, ActionEnd, ActionTask } from "./ports/action.js";
