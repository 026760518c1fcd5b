// A notifier for who drives without an audience: only what did not work is kept, where somebody will tell it.
import type { Notifier } from "../ports/notifier.js";

export const silent = (warned: (text: string) => void = () => undefined): Notifier => ({
  moved: () => undefined,
  said: () => undefined,
  warned,
});
