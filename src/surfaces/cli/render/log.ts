// The story of a run on a screen: times of the day in UTC, a line for each new day.
import type { StoryLine } from "../../../core/story.js";
import { clean } from "./clean.js";

/** `day`: the last day that was written, for `--follow`. */
export function logText(lines: readonly StoryLine[], day = ""): string[] {
  let last = day;
  return lines.flatMap(({ at, text }) => {
    const today = dayOf(at);
    const line = `${clean(at.slice(11, 19))} ${clean(text)}`;
    if (today === last) return [line];
    last = today;
    return [`${today} (UTC)`, line];
  });
}
export const dayOf = (at: string): string => clean(at.slice(0, 10));
