// The three tests every body passes: undisturbed, killed at each named moment, killed at random moments.
import { describe, expect, it } from "vitest";
import { verifies } from "../harness/verifies.js";
import { BODIES } from "./bodies.js";
import { buildThatDies } from "./build.js";
import { type Death, Journey } from "./journey.js";
import { storyOf } from "./traces.js";

/** Kills at random moments, all four bodies together. */
const KILLS = Number(process.env.PAWL_CRASH_KILLS ?? 200);
const SEED = Number(process.env.PAWL_CRASH_SEED ?? Date.now() % 1_000_000);
/** Kills of one run; then it is left to its end. */
const KILLS_PER_RUN = 10;
const HALF_AN_HOUR_MS = 1_800_000;

/** Moments a run comes by again and again. The first death is at the `first` time, each later one `every` times further on: with
 *  4 two lines are written between two deaths, so that the run gets on; it has to be more where several work side by side.
 *  PAWL_CRASH_ALL=1 begins at each of 1 to `every`. */
const AGAIN = [
  { moment: "append:before", every: 4, firsts: [3] },
  { moment: "append:after", every: 3, firsts: [2] },
  { moment: "record:before", every: 4, firsts: [2] },
  { moment: "record:after", every: 3, firsts: [1] },
  { moment: "child:before", every: 2, firsts: [1] },
  { moment: "child:after", every: 2, firsts: [1] },
];
/** One after the other: each process dies at the next of these moments that it comes by. */
const ONCE = ["create:before", "create:after", "lock:after"];
const COMMIT = ["commit:before", "commit:intent", "commit:moved", "commit:after"];

export function survives(name: keyof typeof BODIES): void {
  buildThatDies();
  const body = BODIES[name];
  let story: string[] = [];
  let typicalMs = 0;

  describe(`a loop of ${name}`, () => {
    it("comes to its end undisturbed, each visit done once", async () => {
      using journey = new Journey(body);
      const began = performance.now();
      while (!journey.isOver) await journey.goOn();
      typicalMs = (performance.now() - began) / journey.starts;
      story = storyOf(journey.lines);
      expect(story.at(-1)).toBe(`ended:${body.ends}`);
      await journey.judge(story);
      for (const [visit, times] of journey.executions()) expect([visit, times]).toEqual([visit, 1]);
    });

    const moments = [...ONCE, ...(body.commits.length ? COMMIT : []), "snapshot:before"];
    it(`killed at ${moments.join(", ")} tells the same story`, { timeout: HALF_AN_HOUR_MS }, async () => {
      using journey = new Journey(body);
      for (const moment of moments) {
        const { kills } = journey;
        while (journey.kills === kills && !journey.isOver) await die(journey, { at: `${moment}#1` });
      }
      expect(journey.kills).toBe(moments.length);
      await toTheEnd(journey, story);
    });

    it("killed after each snapshot tells the same story", { timeout: HALF_AN_HOUR_MS }, async () => {
      using journey = new Journey(body);
      while (!journey.isOver) await die(journey, { at: "snapshot:after#1" });
      expect(journey.kills).toBe(journey.starts);
      await toTheEnd(journey, story);
    });

    const starts = AGAIN.flatMap(({ moment, every, firsts }) =>
      (process.env.PAWL_CRASH_ALL ? Array.from({ length: every }, (_, i) => i + 1) : firsts).map(
        (first) => [moment, first, every + 2 * (body.width - 1)] as const,
      ),
    );
    it.each(starts)(
      "killed at %s, at time %i and then at every %i of them, tells the same story",
      { timeout: HALF_AN_HOUR_MS },
      async (moment, first, every) => {
        using journey = new Journey(body);
        for (let next = first; !journey.isOver; next = every) await die(journey, { at: `${moment}#${next}` });
        expect(journey.kills).toBeGreaterThan(0);
        console.log(`${name}: killed ${journey.kills} times at ${moment}`);
        await toTheEnd(journey, story);
      },
    );

    const wanted = Math.ceil(KILLS / Object.keys(BODIES).length);
    it(`killed at ${wanted} random moments tells the same story`, { timeout: HALF_AN_HOUR_MS }, async () => {
      verifies("resume.checkpoint-each-boundary");
      const random = randomFrom(SEED);
      for (let kills = 0; kills < wanted; ) {
        using journey = new Journey(body);
        while (!journey.isOver && journey.kills < Math.min(KILLS_PER_RUN, wanted - kills))
          await die(journey, { afterMs: random() * typicalMs });
        kills += journey.kills;
        await toTheEnd(journey, story).catch((error) => {
          throw new Error(`with PAWL_CRASH_SEED=${SEED}, after ${kills} kills: ${error.message}`, { cause: error });
        });
      }
      console.log(`${name}: killed ${wanted} times at random (PAWL_CRASH_SEED=${SEED})`);
    });
  });
}

async function die(journey: Journey, death: Death): Promise<void> {
  const { signal } = await journey.goOn(death);
  if (signal === "SIGKILL") await journey.look();
}

async function toTheEnd(journey: Journey, story: string[]): Promise<void> {
  while (!journey.isOver) await journey.goOn();
  await journey.close();
  await journey.judge(story);
}

/** The same seed, the same kills: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
