// The imperative shell, in memory: on paper first, one stop, limits, and carrying on after a crash.
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { commandStep, flowOf, skillsFile, stepsFile } from "../../testing/files.js";
import {
  late,
  MemoryWorld,
  nameOf,
  openInMemory,
  pass,
  type Script,
  ScriptedWorker,
  untilCancelled,
} from "../../testing/index.js";
import type { Event, Flow } from "../core/model.js";
import { placeOf } from "../core/place.js";
import { Refusal } from "../core/refusal.js";
import { FaultError } from "../ports/errors.js";
import type { Answer } from "../ports/worker.js";
import { drive, record, type StopOrder } from "./drive.js";

const two = (): Flow => flowOf(stepsFile([commandStep("one"), commandStep("two")]));
const PAUSE: StopOrder = { code: "paused", reason: "a person wants to look", by: "ada" };
const calm = () => new AbortController().signal;

function stage(flow: Flow, script?: Script) {
  const worker = new ScriptedWorker(script);
  const world = new MemoryWorld(worker);
  const opened = openInMemory(flow);
  const { journal } = opened;
  const at = () => placeOf(opened.run.cursor);
  return { worker, world, opened, journal, at, drive: (signal = calm()) => drive(world, opened, signal) };
}
/** Aborts once the work on `name` has begun. */
function stopAt(name: string, order: StopOrder, then: (signal: AbortSignal) => Answer | Promise<Answer>) {
  const stop = new AbortController();
  const script: Script = ({ command }, signal) => {
    if (nameOf(command) !== name || stop.signal.aborted) return undefined;
    queueMicrotask(() => stop.abort(order));
    return then(signal);
  };
  return { script, signal: stop.signal };
}

describe("a drive", () => {
  it("has published each event before the next work is carried out, and the last when it rests", async () => {
    const seen: (number | undefined)[] = [];
    const { world, journal, drive, opened } = stage(two(), () => {
      seen.push(world.records.at(-1)?.seq, journal.lines.length);
      return undefined;
    });
    await drive();
    expect(seen).toEqual([2, 2, 4, 4, 6, 6]);
    expect(world.records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(world.records.at(-1)).toEqual(opened.run);
  });

  it("publishes what it has heard when the disk is full, and nothing of a run that another process took", async () => {
    for (const [trouble, last] of [
      [new FaultError({ code: "disk-full", message: "full" }), 3],
      [new Refusal("fenced", "taken"), 2],
    ] as const) {
      const { world, journal, drive } = stage(two());
      journal.before = ({ seq }) => {
        if (seq === 4) throw trouble;
      };
      await expect(drive()).rejects.toBe(trouble);
      expect(world.records.at(-1)?.seq).toBe(last);
    }
  });

  it("writes down that work begins before it begins, and what came of it before the next begins", async () => {
    const { worker, journal, drive, at } = stage(two(), ({ command }) => {
      const last = journal.lines.at(-1);
      expect(last).toMatchObject({ type: "begun", ticket: command.ticket, performer: "scripted" });
      return undefined;
    });
    await drive();
    expect(at()).toBe("ended:success");
    expect(journal.types).toEqual(["started", ...Array(2).fill(["begun", "verdict"]).flat(), "begun", "checkpointed"]);
    expect(worker.tasks.map((task) => [nameOf(task.command), task.tries])).toEqual([
      ["one", 1],
      ["two", 1],
      ["checkpoint", 1],
    ]);
  });

  it("writes at every line where it led, keeps the snapshot, and tells the notifier and the record", async () => {
    const { world, journal, opened, drive } = stage(two());
    await drive();
    expect(journal.lines.at(-1)?.place).toBe("ended:success");
    expect(journal.cache).toEqual(opened.run);
    expect(world.told).toEqual(journal.types.slice(1));
    expect(world.records).toHaveLength(journal.lines.length); // once on the way in, then at every event
    expect(opened.events).toHaveLength(journal.lines.length);
    expect(journal.lines.map((line) => line.seq)).toEqual(journal.lines.map((_, i) => i + 1));
    expect(openInMemory(opened.flow, journal).run).toEqual(opened.run);
  });

  it("hands out what is for somebody else, and goes on when the answer has come", async () => {
    const { opened, world, drive, at, worker } = stage(flowOf(skillsFile(["plan"], { humanGate: true })));
    const rest = await drive();
    expect(rest.handoff).toMatchObject({ do: "work", node: { name: "gate-after:plan" } });
    const ticket = rest.handoff?.ticket ?? "";
    await record(world, opened, { type: "verdict", ticket, verdict: pass("continue") }, "ada");
    expect(opened.journal.lines.at(-1)).toMatchObject({ by: "ada", type: "verdict" });
    expect((await drive()).handoff).toBeUndefined();
    expect([at(), worker.tasks.length]).toEqual(["ended:success", 2]);
  });

  it("refuses a stale answer and writes nothing", async () => {
    const { opened, world, journal } = stage(two());
    const stale = record(world, opened, { type: "verdict", ticket: "two@9", verdict: pass() }, "ada");
    await expect(stale).rejects.toThrow(Refusal);
    expect([journal.lines.length, world.told]).toEqual([1, []]);
  });

  it("keeps who answered with a worker's verdict", async () => {
    const answer = { who: "ada", channel: "terminal" as const, shown: "d" };
    const { journal, drive } = stage(two(), () => undefined);
    await drive();
    expect(journal.lines[2]).toMatchObject({ type: "verdict", by: "pawl" });
    const asked = stage(two(), ({ command }) => (nameOf(command) === "one" ? { verdict: pass(), answer } : undefined));
    await asked.drive();
    expect(asked.journal.lines[2]).toMatchObject({ type: "verdict", by: "ada", answer });
  });

  it("writes the session down that is chosen before the call", async () => {
    const { journal, opened, drive } = stage(flowOf(skillsFile(["plan"])));
    await drive();
    expect(journal.lines[1]).toMatchObject({ type: "begun", session: "session-plan@1" });
    expect(opened.run.sessions).toEqual({ plan: "session-plan@1" });
  });
});

describe("a crash", () => {
  it("at any line is carried on from the journal: no step that has answered is done again, and the end is the same", async () => {
    verifies("resume.checkpoint-each-boundary", "state.resume-next-day");
    const whole = stage(two());
    await whole.drive();
    for (let line = 1; line <= whole.journal.lines.length; line++) {
      const before = stage(two());
      before.journal.before = ({ seq }: Event) => {
        if (seq > line) throw new Error("killed");
      };
      if (line < whole.journal.lines.length) await expect(before.drive()).rejects.toThrow("killed");
      before.journal.before = () => {};
      const worker = new ScriptedWorker();
      const opened = openInMemory(two(), before.journal);
      await drive(new MemoryWorld(worker), opened, calm());
      const answered = before.journal.types.filter((type) => type === "verdict" || type === "checkpointed");
      expect([placeOf(opened.run.cursor), answered]).toEqual(["ended:success", ["verdict", "verdict", "checkpointed"]]);
      expect(worker.tasks.length).toBeLessThanOrEqual(3);
    }
  });

  it("at the same step again and again parks the run at the fourth start, and the work is not begun", async () => {
    const { journal } = stage(two());
    const killed = () => Promise.reject(new Error("killed"));
    for (let i = 0; i < 3; i++) {
      const opened = openInMemory(two(), journal);
      await expect(drive(new MemoryWorld(new ScriptedWorker(killed)), opened, calm())).rejects.toThrow("killed");
    }
    const opened = openInMemory(two(), journal);
    const worker = new ScriptedWorker();
    await drive(new MemoryWorld(worker), opened, calm());
    expect([placeOf(opened.run.cursor), worker.tasks.map((task) => nameOf(task.command))]).toEqual([
      "parked:crash-loop",
      ["checkpoint"],
    ]);
  });
});

describe("an order to stop", () => {
  it("is written down once, by whom it came, and the checkpoint is written in peace", async () => {
    const { script, signal } = stopAt("one", PAUSE, untilCancelled);
    const { drive, journal, at } = stage(two(), (task, inner) => {
      if (nameOf(task.command) === "checkpoint") expect(inner.aborted).toBe(false);
      return script(task, inner);
    });
    await drive(signal);
    expect(at()).toBe("parked:paused");
    expect(journal.types).toEqual(["started", "begun", "stopped", "begun", "checkpointed"]);
    expect(journal.lines[2]).toMatchObject({ by: "ada", code: "paused", reason: "a person wants to look" });
  });

  it("does not throw away an answer that came in time", async () => {
    const { script, signal } = stopAt("one", { ...PAUSE, code: "interrupted" }, (inner) =>
      late(inner, { verdict: pass() }),
    );
    const { drive, journal, at } = stage(two(), script);
    await drive(signal);
    expect([at(), journal.types.filter((type) => type === "verdict")]).toEqual(["parked:interrupted", ["verdict"]]);
    expect(journal.lines.find((line) => line.type === "stopped")?.place).toBe("checkpoint>parked:interrupted");
  });

  it("given before anything is begun begins nothing", async () => {
    const { drive, worker, at } = stage(two());
    await drive(AbortSignal.abort(PAUSE));
    expect([at(), worker.tasks.map((task) => nameOf(task.command))]).toEqual(["parked:paused", ["checkpoint"]]);
  });

  it("to a run that rests, or has ended and only saves it, changes nothing", async () => {
    const done = stage(two());
    await done.drive();
    await done.drive(AbortSignal.abort(PAUSE));
    expect(done.at()).toBe("ended:success");
    const { script, signal } = stopAt("checkpoint", PAUSE, () => ({ checkpointed: {} }));
    const saving = stage(flowOf(stepsFile([commandStep("one")], { onComplete: { success: "validate" } })), script);
    await saving.drive(signal);
    expect([saving.at(), saving.journal.types.slice(-2)]).toEqual(["ended:success", ["begun", "chained"]]);
  });

  it("to abandon ends the run as aborted", async () => {
    const { script, signal } = stopAt("two", { ...PAUSE, abandon: true }, untilCancelled);
    const { drive, journal, at } = stage(two(), script);
    await drive(signal);
    expect([at(), journal.types.slice(-3)]).toEqual(["ended:aborted", ["abandoned", "begun", "checkpointed"]]);
  });
});

describe("work that goes on elsewhere", () => {
  it("rests the drive and names the run within; it is no try that failed", async () => {
    const { drive, opened, at } = stage(two(), ({ command }) =>
      nameOf(command) === "one" ? { yielded: { rest: "inner-1" } } : undefined,
    );
    for (let i = 0; i < 5; i++) expect((await drive()).within).toBe("inner-1");
    expect([at(), opened.run.tries]).toEqual(["work:one", { "one@1": 0 }]);
  });
});

describe("limits of a run", () => {
  const limited = (
    limits: Flow["limits"],
    spent: { ms: number; usd?: number; inputTokens?: number; outputTokens?: number },
  ) => stage({ ...two(), limits }, ({ command }) => (command.do === "work" ? { verdict: pass(), spent } : undefined));

  it.each([
    ["minutes", { ms: 60_000 }, { ms: 60_000 }],
    ["usd", { usd: 1 }, { ms: 1, usd: 1 }],
    ["tokens", { tokens: 10 }, { ms: 1, inputTokens: 4, outputTokens: 6 }],
  ] as const)("of %s are asked before a step begins, and name themselves", async (name, limits, spent) => {
    const { drive, at, opened, worker } = limited(limits, spent);
    await drive();
    expect(at()).toBe("parked:limit");
    expect(opened.run.cursor).toMatchObject({ reason: expect.stringContaining(`budget ${name}`) });
    expect(worker.tasks.map((task) => nameOf(task.command))).toEqual(["one", "checkpoint"]);
  });

  it("still hold after a resume", async () => {
    const { drive, at, world, opened, worker } = limited({ usd: 1 }, { ms: 1, usd: 2 });
    await drive();
    await record(world, opened, { type: "resumed" }, "ada");
    await drive();
    expect([at(), worker.tasks.filter((task) => task.command.do === "work").length]).toEqual(["parked:limit", 1]);
  });

  it("are not asked of what has begun, nor of the last checkpoint", async () => {
    const { drive, at } = limited({ usd: 1.5 }, { ms: 1, usd: 1 });
    await drive();
    expect(at()).toBe("ended:success");
  });

  it("do not stop a run whose costs nobody knows", async () => {
    const { drive, at } = limited({ usd: 1, tokens: 1, ms: 100 }, { ms: 1 });
    await drive();
    expect(at()).toBe("ended:success");
  });
});
