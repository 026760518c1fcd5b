// Several at once: side by side or in turn, cut off by a fault, and nobody left at work.
import { describe, expect, it } from "vitest";
import { doerFile, flowOf, skillsFile, validator } from "../../testing/files.js";
import {
  block,
  faulty,
  fenced,
  late,
  MemoryWorld,
  nameOf,
  openInMemory,
  pass,
  type Script,
  ScriptedWorker,
  throwing,
  untilCancelled,
} from "../../testing/index.js";
import type { Flow } from "../core/model.js";
import { placeOf } from "../core/place.js";
import type { Answer } from "../ports/worker.js";
import { drive, record } from "./drive.js";

const fan = (): Flow => {
  const performers = Object.fromEntries(["dev", "ann", "bob", "cy"].map((name) => [name, { use: "command" }]));
  return flowOf(doerFile({ reviewers: ["ann", "bob", "cy"], performers }));
};
const calm = () => new AbortController().signal;

function stage(flow: Flow, script?: Script) {
  const worker = new ScriptedWorker(script);
  const world = new MemoryWorld(worker);
  const opened = openInMemory(flow);
  const { journal } = opened;
  const at = () => placeOf(opened.run.cursor);
  return { worker, world, opened, journal, at, drive: (signal = calm()) => drive(world, opened, signal) };
}

describe("a fan", () => {
  const reviewer = (name: string) => `reviewer/${name}`;

  it("has each answer published at once, for the others may take long", async () => {
    let letGo = () => {};
    const others = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { world, drive, at } = stage(fan(), async ({ command }) => {
      const name = nameOf(command);
      if (!name.startsWith("reviewer")) return undefined;
      if (name !== reviewer("cy")) await others;
      return { verdict: pass("approved") };
    });
    world.published = async ({ run: { cursor } }) => {
      if (cursor.at === "work" && "cy" in cursor.answers) letGo(); // without it the others never answer
    };
    await drive();
    expect(at()).toBe("ended:success");
  });

  it("is carried out side by side, each answer written down as it comes", async () => {
    const free: Record<string, () => void> = {};
    const { worker, journal, drive, at } = stage(fan(), ({ command }) => {
      const name = nameOf(command);
      if (!name.startsWith("reviewer")) return undefined;
      const answer = new Promise<Answer>((resolve) => {
        free[name] = () => resolve({ verdict: pass("approved") });
      });
      if (Object.keys(free).length === 3) free[reviewer("cy")]?.();
      return answer;
    });
    const after: Record<string, string> = { cy: "ann", ann: "bob" };
    journal.before = (event) => {
      const [, name = ""] = event.type === "verdict" ? (event.ticket.match(/^reviewer.(.*)@/) ?? []) : [];
      free[reviewer(after[name] ?? "")]?.(); // the next answers only once this one is being written
    };
    await drive();
    expect([at(), worker.busiest]).toEqual(["ended:success", 3]);
    const heard = journal.lines.flatMap((line) => (line.type === "verdict" ? line.ticket.replace(/@.*/, "") : []));
    expect(heard.slice(-3)).toEqual([reviewer("cy"), reviewer("ann"), reviewer("bob")]);
  });

  it("in turn has one branch at work at a time", async () => {
    const validators = ["tests", "docs"].map((tool) => validator(tool, true));
    const { worker, drive } = stage(flowOf(skillsFile(["plan"], { validators })));
    await drive();
    expect(worker.busiest).toBe(1);
  });

  it("cuts the others off when one cannot be carried out, keeps what was heard, and asks only the rest again", async () => {
    const cut: string[] = [];
    const { journal, drive, at, opened } = stage(fan(), async ({ command }, signal) => {
      const name = nameOf(command);
      if (name === reviewer("ann")) return { verdict: pass("approved") };
      if (name === reviewer("bob")) return new Promise((resolve) => setTimeout(() => resolve(faulty()), 1));
      if (name !== reviewer("cy")) return undefined;
      const answer = await untilCancelled(signal);
      cut.push(name);
      return answer;
    });
    await drive();
    expect([at(), cut]).toEqual(["parked:fault", [reviewer("cy")]]);
    const again = new ScriptedWorker(({ command }) =>
      nameOf(command).startsWith("reviewer") ? { verdict: pass("approved") } : undefined,
    );
    const world = new MemoryWorld(again);
    const carried = openInMemory(opened.flow, journal);
    await record(world, carried, { type: "resumed" }, "ada");
    await drive2(world, carried);
    expect(again.tasks.map((task) => nameOf(task.command)).slice(0, 2)).toEqual([reviewer("bob"), reviewer("cy")]);
    expect(placeOf(carried.run.cursor)).toBe("ended:success");
  });
  const drive2 = (world: MemoryWorld, opened: ReturnType<typeof openInMemory>) => drive(world, opened, calm());

  it("drops a late answer of a sibling after a fault: the run is parked already", async () => {
    const { drive, journal, at } = stage(fan(), ({ command }, signal) => {
      if (nameOf(command) === reviewer("ann")) return faulty();
      return nameOf(command).startsWith("reviewer") ? late(signal, { verdict: block("B") }) : undefined;
    });
    await drive();
    expect(at()).toBe("parked:fault");
    expect(journal.lines.filter((line) => line.type === "verdict" && line.ticket.startsWith("reviewer"))).toEqual([]);
  });

  it("hands out the branch that is somebody else's once its own have answered", async () => {
    const { drive, worker, at } = stage(fan(), ({ command }) =>
      nameOf(command).startsWith("reviewer") ? { verdict: pass("approved") } : undefined,
    );
    worker.handsOut = (command) => nameOf(command) === reviewer("bob");
    const rest = await drive();
    expect([at(), rest.handoff && nameOf(rest.handoff)]).toEqual(["work:reviewer+ann+cy", reviewer("bob")]);
  });

  it("leaves nobody at work when the journal cannot be written any more", async () => {
    const { drive, journal, worker } = stage(fan(), ({ command }, signal) => {
      if (nameOf(command) === reviewer("ann")) return { verdict: pass("approved") };
      return nameOf(command).startsWith("reviewer") ? untilCancelled(signal) : undefined;
    });
    journal.before = (event) => {
      if (event.type === "verdict" && event.ticket.startsWith("reviewer/ann")) throw fenced();
    };
    await expect(drive()).rejects.toThrow("another process has taken this run");
    expect(worker.busy).toBe(0);
  });

  it.each(["ann", "cy"])("leaves nobody at work when the worker of %s breaks its promise and throws", async (name) => {
    const { drive, worker, journal } = stage(fan(), ({ command }, signal) => {
      if (nameOf(command) === reviewer(name)) throwing();
      return nameOf(command).startsWith("reviewer") ? untilCancelled(signal) : undefined;
    });
    const append = journal.append.bind(journal);
    journal.append = async (event, place) => {
      await new Promise((resolve) => setTimeout(resolve, 1)); // a disk takes its time
      return append(event, place);
    };
    await expect(drive()).rejects.toThrow("a bug in the worker");
    expect(worker.busy).toBe(0);
  });

  it("cuts the branches that have begun when another keeps dying", async () => {
    const { drive, world, opened, at, worker } = stage(fan(), ({ command }, signal) =>
      nameOf(command).startsWith("reviewer") ? untilCancelled(signal) : undefined,
    );
    worker.handsOut = (command) => nameOf(command).startsWith("reviewer");
    await drive();
    const ticket = (name: string) => `${reviewer(name)}@${opened.run.since}`;
    for (let i = 0; i < 3; i++)
      await record(world, opened, { type: "begun", ticket: ticket("bob"), performer: "x" }, "x");
    worker.handsOut = () => false;
    await drive();
    expect([at(), worker.busy]).toEqual(["parked:crash-loop", 0]);
  });
});
