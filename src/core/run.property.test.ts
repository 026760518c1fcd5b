// The invariants of core/run.ts on flows and answers drawn at random: R1 (derived), R2 (finite), R3 (tickets), and replay.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../test/harness/verifies.js";
import { known } from "../../testing/files.js";
import { isQuestion, reload, Table } from "../../testing/index.js";
import { anyAnswer, anyFile, anyGraph, dice, flowIfGood, settings } from "../../testing/random.js";
import { checkFlow } from "../config/check.js";
import type { Issue } from "../config/issues.js";
import { visitsAtMost } from "./bounds.js";
import type { Command, Flow, Verdict } from "./model.js";
import { placeOf, ticketsOf } from "./place.js";
import { next } from "./run.js";

/** More than any of the small flows drawn here can need: every visit its budgets allow, with every command of it. */
function eventsAtMost(flow: Flow): number {
  const bounds = visitsAtMost(flow);
  const each = Object.values(flow.nodes).map((node) => {
    const branches = node.work.kind === "fan" ? Object.keys(node.work.branches).length : 1;
    return (bounds[node.name] ?? 0) * (node.enter.length + branches + node.exit.length);
  });
  return each.reduce((sum, one) => sum + one, 3);
}

/** What people and the world do when nothing else is to be done. False: nothing more can be done. */
function act(table: Table, draw: (below: number) => number): boolean {
  const { cursor } = table.run;
  if (cursor.at === "parked") table.resume();
  else if (cursor.at === "waiting") table.send({ type: "signal", name: "s" });
  else if (cursor.at === "work") table.answer(anyAnswer(table.asked(), draw));
  else return false;
  return true;
}

/** A whole life: answers at random, and at every rest a person who acts, up to `acts` times. Looks in at every event. */
function live(
  flow: Flow,
  seed: number,
  acts: number,
  look: (table: Table, command: Command) => void = () => {},
): Table {
  const draw = dice(seed);
  const table = new Table(flow, (command, self) => {
    if (isQuestion(command)) return undefined;
    look(self, command);
    return anyAnswer(command, draw);
  });
  const limit = eventsAtMost(flow);
  for (let i = 0; i <= acts; i++) {
    table.drive(limit);
    if (!act(table, draw)) break;
  }
  table.drive(limit);
  return table;
}

const good = (property: (flow: Flow, seed: number) => void) =>
  fc.assert(
    fc.property(anyFile, fc.nat(), (file, seed) => {
      const flow = flowIfGood(file);
      fc.pre(flow !== undefined);
      property(flow!, seed);
    }),
    settings,
  );

describe("any good flow with any answers", () => {
  it("comes to rest between two human acts, within what its budgets allow, and never throws", () => {
    verifies("budget.every-cycle-bounded");
    good((flow, seed) => {
      const table = live(flow, seed, 12);
      expect(["work", "waiting", "parked", "ended"]).toContain(table.run.cursor.at);
    });
  });

  it("visits no node more often than its bound, unless a person resumes it", () => {
    good((flow, seed) => {
      const draw = dice(seed);
      const table = new Table(flow, (command) => anyAnswer(command, draw));
      table.drive(eventsAtMost(flow));
      const bounds = visitsAtMost(flow);
      for (const [name, visits] of Object.entries(table.run.visits))
        expect(visits).toBeLessThanOrEqual(bounds[name] ?? 0);
    });
  });

  it("is told by its journal at every moment, place by place", () => {
    good((flow, seed) => {
      const runs: string[] = [];
      const table = live(flow, seed, 3, (self) => runs.push(`${self.journal.length} ${JSON.stringify(self.run)}`));
      for (const each of runs.slice(0, 30)) {
        const length = Number.parseInt(each, 10);
        expect(`${length} ${JSON.stringify(table.replay(length))}`).toBe(each);
      }
      expect(table.replay()).toEqual(table.run);
      expect(placeOf(table.replay().cursor)).toBe(placeOf(table.run.cursor));
    });
  });

  it("goes its way whenever its job is renamed", () => {
    good((flow, seed) => {
      const way = (table: Table) => table.journal.map((event) => event.type).filter((type) => type !== "renamed");
      const plain = live(flow, seed, 3);
      const named = live(flow, seed, 3, (table, { ticket }) => {
        const { cursor, since } = table.run;
        table.send({ type: "renamed", job: `J-${table.journal.length}`, branch: "b" });
        expect([table.run.cursor, table.run.since]).toEqual([cursor, since]);
        expect(ticketsOf(flow, table.run)).toContain(ticket);
      });
      expect(named.replay()).toEqual(named.run);
      expect([way(named), placeOf(named.run.cursor)]).toEqual([way(plain), placeOf(plain.run.cursor)]);
    });
  });

  it("survives JSON, and what is next is derived from flow and run alone", () => {
    good((flow, seed) => {
      live(flow, seed, 3, ({ run }) => {
        expect(reload(run)).toStrictEqual(run);
        expect(next(reload(flow), reload(run))).toStrictEqual(next(flow, run));
        expect(next(flow, run).map((command) => command.ticket)).toEqual(ticketsOf(flow, run));
      });
    });
  });

  it("never asks two questions under one ticket", () => {
    good((flow, seed) => {
      const asked = new Set<string>();
      live(flow, seed, 6, (_, { ticket }) => {
        expect(asked.has(ticket)).toBe(false);
        asked.add(ticket);
      });
    });
  });

  it("is not changed by an answer to any question but the open ones", () => {
    good((flow, seed) => {
      const old: string[] = [];
      live(flow, seed, 3, (table, { ticket }) => {
        const before = table.run;
        for (const stale of old.slice(-3))
          expect(() =>
            table.send({ type: "verdict", ticket: stale, verdict: { status: "pass", findings: [] } }),
          ).toThrow();
        expect(table.run).toBe(before);
        old.push(ticket);
      });
    });
  });

  it("never lowers what was spent of a budget but by a refill that another budget paid", () => {
    verifies("reset.never-lowered");
    good((flow, seed) => {
      const refilled = new Set(
        Object.values(flow.nodes).flatMap((node) => Object.values(node.routes).flatMap((r) => r.refill ?? [])),
      );
      const seen: Record<string, number> = {};
      live(flow, seed, 6, ({ run }) => {
        for (const [name, { spent }] of Object.entries(run.purses)) {
          if (!refilled.has(name) && name !== "laps") expect(spent).toBeGreaterThanOrEqual(seen[name] ?? 0);
          seen[name] = spent;
        }
      });
    });
  });
});

describe("any graph at all", () => {
  const issuesOf = (flow: Flow): Issue[] => {
    const issues: Issue[] = [];
    checkFlow(flow, "x", known(), issues);
    return issues;
  };

  it("that the check accepts goes round for ever by no answers: every way through it is walked", () => {
    verifies("budget.every-cycle-bounded");
    let accepted = 0;
    fc.assert(
      fc.property(anyGraph, (flow) => {
        if (issuesOf(flow).some((issue) => issue.code === "endless")) return;
        accepted++;
        expect(roundOf(flow)).toBeUndefined();
      }),
      { ...settings, numRuns: settings.numRuns * 10 },
    );
    expect(accepted).toBeGreaterThan(settings.numRuns);
  });

  it("with a way back that nobody pays is refused", () => {
    fc.assert(
      fc.property(anyGraph, fc.nat(3), (flow, i) => {
        const names = Object.keys(flow.nodes);
        const [from = "", to = ""] = [names[i], names[(i + 1) % 4]];
        const way = (name: string) => ({ pass: { to: { node: name } }, block: { to: { end: "failure" as const } } });
        const planted = {
          [from]: { ...flow.nodes[from]!, routes: way(to) },
          [to]: { ...flow.nodes[to]!, routes: way(from) },
        };
        expect(issuesOf({ ...flow, nodes: { ...flow.nodes, ...planted } }).map((issue) => issue.code)).toContain(
          "endless",
        );
      }),
      settings,
    );
  });
});

/** The places of a round that can be gone for ever without a person, found by trying every answer everywhere; undefined when there is none. */
function roundOf(flow: Flow): string[] | undefined {
  const done = new Set<string>();
  const walk = (table: Table, path: string[]): string[] | undefined => {
    const here = stateOf(table);
    if (path.includes(here)) return [...path, here];
    if (done.has(here) || table.run.cursor.at !== "work") return undefined;
    for (const verdict of answersAt(table)) {
      const { run } = table;
      table.answer(verdict);
      const round = walk(table, [...path, here]);
      table.run = run;
      if (round) return round;
    }
    done.add(here);
    return undefined;
  };
  return walk(new Table(flow), []);
}
const answersAt = ({ run }: Table): Verdict[] => [
  { status: "pass", findings: [] },
  { status: "block", findings: [], print: `new at ${run.seq}` },
  { status: "block", findings: [], print: "the same" },
];
/** All that decides how a run can go on: where it is, what is spent, what would be a repeat. */
function stateOf({ run }: Table): string {
  const purses = Object.entries(run.purses).map(([name, { spent, seen }]) => [
    name,
    spent,
    seen.some((s) => s.print === "the same"),
  ]);
  return JSON.stringify([placeOf(run.cursor), purses.sort()]);
}
