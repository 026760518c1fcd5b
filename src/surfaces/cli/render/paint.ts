// Colour, only where the caller says there is a screen that wants it.
import { styleText } from "node:util";

export type Tone = "good" | "bad" | "ask" | "faint" | "strong";
export type Paint = (tone: Tone, text: string) => string;

const STYLES = { good: "green", bad: "red", ask: "yellow", faint: "dim", strong: "bold" } as const;

export const painter = (colour: boolean): Paint =>
  colour ? (tone, text) => styleText(STYLES[tone], text, { validateStream: false }) : (_, text) => text;
