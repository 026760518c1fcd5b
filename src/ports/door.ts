// How an agent in its sandbox reaches the tools of extensions: a door of its own for each visit, open as long as the visit.
import type { Json } from "../core/model.js";

export interface Door extends AsyncDisposable {
  /** Absolute, its own realpath; the work must be able to read it. */
  folder: string;
  /** What an agent types in a shell, with NAME and the arguments as JSON behind it. */
  call: string;
}
export interface DoorWish {
  /** Who calls must know it: it is in the environment of this visit alone. */
  nonce: string;
  /** Absolute path of the file in which calls are written down. */
  log: string;
  mask(text: string): string;
  /** Must answer with a text, or throw what the agent is told. */
  answer(name: string, args: Json, signal: AbortSignal): Promise<string>;
}
export type OpenDoor = (wish: DoorWish) => Promise<Door>;
