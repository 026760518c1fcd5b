// Ctrl-C and SIGTERM at random moments: parked, exit 130, and the story goes on as if nothing had been.
import { expect, it } from "vitest";
import { BODIES } from "./bodies.js";
import { buildThatDies, THAT_DIES } from "./build.js";
import { Journey } from "./journey.js";
import { randomFrom } from "./survive.js";
import { storyOf } from "./traces.js";

const SIGNALS = Number(process.env.PAWL_CRASH_SIGNALS ?? 20);
const SEED = Number(process.env.PAWL_CRASH_SEED ?? Date.now() % 1_000_000);
const SIGNALS_PER_RUN = 5;

buildThatDies();

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s at random moments parks the run, which goes on",
  { timeout: 900_000 },
  async (signal) => {
    const body = BODIES.steps;
    using whole = new Journey(body);
    const began = performance.now();
    while (!whole.isOver) await whole.goOn();
    const wholeMs = performance.now() - began;
    const random = randomFrom(SEED);
    let parked = 0;
    for (let sent = 0; sent < SIGNALS / 2; ) {
      using journey = new Journey(body);
      for (let n = 0; n < SIGNALS_PER_RUN && !journey.isOver; n++, sent++) {
        const before = journey.lines.length;
        const end = await journey.goOn({ afterMs: (0.1 + 0.8 * random()) * wholeMs, signal });
        if (end.code === 130 && journey.run === undefined)
          expect(end.err).toContain(`interrupted by ${signal}; nothing was begun`);
        else if (end.code === 130) {
          parked += 1;
          expect(journey.lines.at(-1)?.place).toBe("parked:interrupted");
          const { status, reason, exit } = await journey.repository.json(["status"], { program: THAT_DIES });
          expect([status, reason, exit]).toEqual(["paused", `interrupted by ${signal}`, 130]);
        } else expect(isBeside(journey, before, end.signal === signal), `${end.code} ${end.err}`).toBe(true);
        await journey.look();
      }
      while (!journey.isOver) await journey.goOn();
      await journey.judge(storyOf(whole.lines));
    }
    expect(parked).toBeGreaterThan(0);
    console.log(`${signal}: parked ${parked} times (PAWL_CRASH_SEED=${SEED})`);
  },
);

/** The signal came before our handlers were there, so nothing was written, or after the run's end. */
const isBeside = (journey: Journey, before: number, died: boolean): boolean =>
  journey.isOver || (died && journey.lines.length === before);

it.each(["lock:after", "child:before", "child:after"])(
  "SIGINT at %s of a start begins nothing more and parks the run",
  { timeout: 120_000 },
  async (moment) => {
    using journey = new Journey(BODIES.steps);
    await journey.goOn({ at: "append:after#3" });
    const begun = () =>
      journey.lines.filter(({ type, ticket }) => type === "begun" && !ticket.startsWith("checkpoint")).length;
    const before = begun();
    const end = await journey.goOn({ at: `${moment}#1` }, { PAWL_DIES_OF: "SIGINT" });
    expect([end.code, journey.lines.at(-1)?.place]).toEqual([130, "parked:interrupted"]);
    expect(begun() - before).toBe(moment.startsWith("child") ? 1 : 0);
    while (!journey.isOver) await journey.goOn();
  },
);
