// The machine's time and chance.
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Clock } from "../../ports/clock.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  seconds: () => Math.floor(Date.now() / 1000),
  ticks: () => performance.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
  random: (chars) => Array.from({ length: chars }, () => LETTERS[randomInt(LETTERS.length)]).join(""),
  uuid: () => randomUUID(),
};
