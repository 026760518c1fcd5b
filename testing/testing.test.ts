// The doubles keep the promises of the ports they stand in for.
import { describe, expect, it } from "vitest";
import { commandStep, flowOf, stepsFile } from "./files.js";
import { fenced, MemoryJournal, openInMemory, SimulatedClock, Table, untilCancelled, wait } from "./index.js";

describe("the simulated clock", () => {
  it("stands still until it is told, and ends the sleeps that are due", async () => {
    const clock = new SimulatedClock("2026-03-01T12:00:00.000Z");
    const woken: number[] = [];
    const signal = new AbortController().signal;
    const sleeps = [10, 20].map((ms) => clock.sleep(ms, signal).then(() => woken.push(ms)));
    clock.advance(10);
    await sleeps[0];
    expect([woken, clock.now(), clock.ticks(), clock.seconds()]).toEqual([
      [10],
      "2026-03-01T12:00:00.010Z",
      10,
      1_772_366_400,
    ]);
    clock.advance(10);
    await Promise.all(sleeps);
    expect(woken).toEqual([10, 20]);
  });

  it("ends a sleep that is cut short, or was never one", async () => {
    const clock = new SimulatedClock();
    const stop = new AbortController();
    const sleep = clock.sleep(1_000, stop.signal);
    stop.abort();
    await Promise.all([sleep, clock.sleep(1_000, stop.signal), clock.sleep(0, new AbortController().signal)]);
    expect(clock.ticks()).toBe(0);
  });

  it("draws ids that are all different", () => {
    const clock = new SimulatedClock();
    expect([clock.random(4), clock.random(4), clock.uuid()]).toEqual([
      "0001",
      "0002",
      "00000000-0000-4000-8000-000000000003",
    ]);
  });
});

describe("the journal in memory", () => {
  const flow = flowOf(stepsFile([commandStep("one")]));

  it("chains its lines, and keeps nothing that could not be written", async () => {
    const { journal } = openInMemory(flow);
    const { head } = journal;
    journal.before = () => {
      throw fenced();
    };
    const event = { seq: 2, at: "x", by: "x", type: "signal", name: "s" } as const;
    await expect(journal.append(event, "work:one")).rejects.toThrow("another process has taken this run");
    expect([journal.lines.length, journal.head]).toEqual([1, head]);
    journal.before = () => {};
    expect((await journal.append(event, "work:one")).prev).toBe(head);
    expect(new MemoryJournal().head).toBe("0".repeat(64));
  });

  it("says which line does not lead where it says", async () => {
    const { journal } = openInMemory(flow);
    await journal.append({ seq: 2, at: "x", by: "x", type: "signal", name: "s" }, "work:two");
    expect(() => openInMemory(flow, journal)).toThrow("event 2 leads to work:one, its line says work:two");
  });
});

describe("the table", () => {
  it("stops a run that does not come to rest", () => {
    const table = new Table(flowOf(stepsFile([commandStep("one")])), (_, self) => {
      self.send({ type: "remark", about: "x", text: "x" });
      return undefined;
    });
    expect(table.drive()).toMatchObject({ do: "work" });
    expect(() => table.drive(0)).toThrow("did not come to rest within 0 events");
    table.say("pass");
    table.checkpoint();
    expect(() => table.asked()).toThrow("nothing is asked at ended:success");
  });
});

describe("workers out of a script", () => {
  it("that wait for a stop are stopped by one that came before", async () => {
    expect(await untilCancelled(AbortSignal.abort())).toEqual({ cancelled: true });
    expect(wait().findings[0]?.text).toBe("a signal");
  });
});
