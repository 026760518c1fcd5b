// When a provider's limit ends, read out of what a client says when it fails: a number of seconds, or a time of the day somewhere.
import type { Certainty } from "../../core/failure.js";

export interface Until {
  /** ISO time, with MARGIN_MS on top: clocks differ. */
  until: string;
  certainty: Certainty;
}
/** After the time that was named. */
export const MARGIN_MS = 2 * 60_000;
/** Longer than any limit of a plan: what lies beyond is misread. */
const LONGEST_MS = 32 * 24 * 3_600_000;

export function untilIn(text: string, now: Date): Until | undefined {
  const epoch = /\|(\d{10})\b/.exec(text)?.[1]; // usage limit reached|1760000000
  if (epoch !== undefined) return at(Number(epoch) * 1_000, "told", now);
  const seconds = /\bretry[- ]after["':=\s]{1,4}(\d{1,7})\b/i.exec(text)?.[1];
  if (seconds !== undefined) return at(now.getTime() + Number(seconds) * 1_000, "told", now);
  return clockIn(text, now);
}

function at(ms: number, certainty: Certainty, now: Date): Until | undefined {
  if (ms - now.getTime() > LONGEST_MS) return undefined;
  return { until: new Date(Math.max(ms, now.getTime()) + MARGIN_MS).toISOString(), certainty };
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** "resets 7pm (America/New_York)", "resets Oct 3 at 9am", "resets at 15:30 (UTC)". */
const RESETS =
  /\bresets?(?: at)? (?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} (\d{1,2})(?:,| at)? )?(\d{1,2})(?::(\d{2}))? ?(am|pm)?(?: \(([A-Za-z_]{1,30}(?:\/[A-Za-z_+\-0-9]{1,30}){0,2})\))?/i;

function clockIn(text: string, now: Date): Until | undefined {
  const [whole, month, day, hours = "", minutes = "0", half, zone] = RESETS.exec(text) ?? [];
  if (whole === undefined || (half === undefined && !whole.includes(":"))) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59) return undefined;
  const zoned = zone !== undefined && isZone(zone) ? zone : undefined;
  const certainty = zoned === undefined ? "guessed" : "read";
  const here = fieldsIn(now, zoned);
  const date = month === undefined ? {} : { month: MONTHS.indexOf(month.toLowerCase()), day: Number(day) };
  const wanted = { ...here, ...date, hour, minute: Number(minutes) };
  const first = instantOf(wanted, zoned);
  if (first > now.getTime()) return at(first, certainty, now);
  const next = month === undefined ? { ...wanted, day: wanted.day + 1 } : { ...wanted, year: wanted.year + 1 };
  return at(instantOf(next, zoned), certainty, now);
}

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** What the clocks of the zone show; without a zone, those of this machine. */
function fieldsIn(moment: Date, zone: string | undefined): Fields {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", hourCycle: "h23" },
  });
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month: month - 1, day, hour, minute };
}

/** The moment at which the zone's clocks show this: guessed as UTC, then put right by what they show at the guess. */
function instantOf({ year, month, day, hour, minute }: Fields, zone: string | undefined): number {
  const wanted = Date.UTC(year, month, day, hour, minute);
  let guess = wanted;
  for (let round = 0; round < 2; round++) {
    const shown = fieldsIn(new Date(guess), zone);
    guess += wanted - Date.UTC(shown.year, shown.month, shown.day, shown.hour, shown.minute);
  }
  return guess;
}
