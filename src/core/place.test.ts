// Where a run stands, in a word; the names of its open questions; whose they are.
import { describe, expect, it } from "vitest";
import { flowOf, skillsFile } from "../../testing/files.js";
import { Table } from "../../testing/index.js";
import type { Cursor } from "./model.js";
import { nodeAt, nodeOf, ownerOf, placeOf, settled } from "./place.js";
import { next } from "./run.js";

const work: Cursor = { at: "work", node: "a", answers: {} };
const parked = (resume: Extract<Cursor, { at: "parked" }>["resume"]): Cursor => ({
  at: "parked",
  code: "paused",
  reason: "x",
  findings: [],
  resume,
});
const ended: Cursor = { at: "ended", ending: "killed" };
const save = (to: Cursor): Cursor => ({ at: "checkpoint", to });
const chain = (to: Cursor): Cursor => ({ at: "chain", loop: "mend", to });

describe("a place", () => {
  it.each<[string, Cursor]>([
    ["enter:a[2]", { at: "enter", node: "a", index: 2 }],
    ["exit:a[0]", { at: "exit", node: "a", index: 0 }],
    ["work:a", work],
    [
      "work:a+x+y",
      { at: "work", node: "a", answers: { x: { status: "pass", findings: [] }, y: { status: "block", findings: [] } } },
    ],
    ["waiting:a.exit", { at: "waiting", node: "a", boundary: "exit", findings: [] }],
    ["parked:paused", parked({ retry: work })],
    ["ended:killed", ended],
    ["chain:mend", chain(ended)],
    ["checkpoint>chain:mend", save(chain(ended))],
    ["checkpoint>parked:paused", save(parked({ retry: work }))],
  ])("is spelled %s", (place, cursor) => expect(placeOf(cursor)).toBe(place));
});

describe("the node a run is at, or will be at", () => {
  it.each<[string | undefined, string, Cursor]>([
    ["a", "at work", work],
    ["a", "before its work", { at: "enter", node: "a", index: 0 }],
    ["a", "after its work", { at: "exit", node: "a", index: 0 }],
    ["a", "waiting", { at: "waiting", node: "a", boundary: "enter", findings: [] }],
    ["a", "before a checkpoint", save(parked({ retry: work }))],
    ["b", "parked with a way on", parked({ to: { node: "b" } })],
    [undefined, "parked before an end", parked({ to: { end: "success" } })],
    [undefined, "ended", chain(ended)],
  ])("is %s %s", (node, _, cursor) => expect(nodeAt(cursor)).toBe(node));

  it("does not exist in another flow", () => {
    expect(() => nodeOf(flowOf(skillsFile(["plan"])), "elsewhere")).toThrow(
      'unreachable: flow loop has no node "elsewhere"',
    );
  });
});

describe("what a cursor settles to", () => {
  it("is behind its checkpoint and its chain", () => {
    expect(settled(save(chain(ended)))).toBe(ended);
    expect(settled(work)).toBe(work);
  });
});

describe("a state that cannot be", () => {
  it("is a bug of ours and says which", () => {
    const flow = flowOf(skillsFile(["plan"]));
    const { run } = new Table(flow);
    const looking = { ...flow, nodes: { plan: { ...flow.nodes.plan!, work: { kind: "none" as const } } } };
    expect(() => next(looking, run)).toThrow("unreachable: plan has no work to stand at");
    const beyond: Cursor = { at: "exit", node: "plan", index: 9 };
    expect(() => next(flow, { ...run, cursor: beyond })).toThrow("unreachable: plan has no exit hook 9");
  });
});

describe("a ticket", () => {
  it("names its owner, though the name holds an @", () => {
    expect([ownerOf("a@7"), ownerOf("a/b@7"), ownerOf("me@home@12")]).toEqual(["a", "a/b", "me@home"]);
  });
});
