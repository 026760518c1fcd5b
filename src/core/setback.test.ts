// What a fault does to a run, by its class.
import { describe, expect, it } from "vitest";
import { flowOf, skillsFile } from "../../testing/files.js";
import { pass } from "./../../testing/index.js";
import { Table } from "../../testing/table.js";
import type { FailureClass } from "./failure.js";
import { pauseMs, standInFor } from "./setback.js";
import { viewOf } from "./view.js";

const flow = () => flowOf(skillsFile(["plan"]));
const fails = (table: Table, what: FailureClass, more: object = {}) =>
  table.send({
    type: "fault",
    ticket: table.asked().ticket,
    error: { code: `agent-${what}`, message: `it is ${what}`, class: what, ...more },
    spent: { ms: 5, usd: 0.25 },
  });
const isOpen = (table: Table) => table.open.length > 0 && table.run.cursor.at === "work";

describe("a fault", () => {
  it("of a busy model is tried again after growing pauses under the same ticket, then parks; no attempt is spent", () => {
    const table = new Table(flow());
    const { ticket } = table.asked();
    const pauses = [];
    while (isOpen(table)) {
      table.begin();
      fails(table, "overloaded");
      if (isOpen(table)) pauses.push(pauseMs(table.run, [ticket], table.journal.at(-1)?.at ?? ""));
    }
    expect(pauses).toEqual([5_000, 20_000, 60_000]);
    table.checkpoint();
    expect(viewOf(table.flow, table.run)).toMatchObject({ exit: 4, park: "fault", reason: "it is overloaded" });
    expect(table.run.spent.plan).toEqual({ ms: 20, usd: 1 }); // what they cost is counted
    expect(table.run.purses).toEqual({});
    table.resume();
    fails(table, "overloaded");
    expect(isOpen(table), "a person's resume begins the count anew").toBe(true);
    table.answer(pass());
    expect(table.run.setbacks).toEqual({});
  });

  it.each<FailureClass>(["auth", "billing", "permission", "context", "refusal", "configuration", "sandbox", "judge"])(
    "of the class %s parks at once",
    (what) => {
      const table = new Table(flow());
      fails(table, what);
      table.checkpoint();
      expect(table.at).toBe("parked:fault");
    },
  );

  it("of an account at its limit parks until the time it was told, and says so", () => {
    const table = new Table(flow());
    const until = "2026-12-01T03:02:00.000Z";
    fails(table, "limit", { until });
    table.checkpoint();
    expect(table.run.cursor).toMatchObject({ at: "parked", until });
    expect(viewOf(table.flow, table.run)).toMatchObject({ exit: 4, reason: `it is limit; until ${until}` });
  });

  it("of a limit without a time parks for pauses that grow with each meeting, up to a cap", () => {
    const table = new Table(flow());
    const minutes = [];
    for (let meeting = 0; meeting < 5; meeting++) {
      fails(table, "limit");
      table.checkpoint();
      const { cursor } = table.run;
      const until = cursor.at === "parked" ? (cursor.until ?? "") : "";
      minutes.push((Date.parse(until) - Date.parse(table.journal.at(-1)?.at ?? "")) / 60_000);
      table.resume();
    }
    expect(minutes).toEqual([5, 15, 60, 180, 180]);
  });

  it("that is a row of quick crashes is told as a matter of how it is set up", () => {
    const table = new Table(flow());
    while (isOpen(table)) fails(table, "crash");
    table.checkpoint();
    expect(viewOf(table.flow, table.run).reason).toMatch(/^3 times within 0 seconds, so it is how it is set up/);
  });

  it("hands the same visit to the next performer where there is one, once each, with a session of its own", () => {
    const base = flow();
    const [name = ""] = Object.keys(base.performers);
    const use = { use: "command", run: "true" };
    const performers = { [name]: { ...use, fallback: "second" }, second: { ...use, fallback: name } };
    const table = new Table({ ...base, performers });
    table.send({ type: "begun", ticket: table.asked().ticket, performer: name, session: "s-1" });
    fails(table, "limit");
    expect(isOpen(table)).toBe(true);
    expect(standInFor(table.run, name)).toBe("second");
    expect(table.run.sessions).toEqual({});
    fails(table, "billing");
    table.checkpoint();
    expect(table.at).toBe("parked:fault");
  });
});
