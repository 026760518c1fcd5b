import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { exampleFlow } from "../../test/harness/tale.js";
import type { House } from "../ports/house.js";
import { frozenOf, takeRun } from "./open.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const houseWith = (flow: object) =>
  ({
    sha256,
    store: { frozen: async () => ({ run: "r", flow, opening: { job: "main" } }), runFolder: () => "/runs/r" },
  }) as unknown as House; // all that is asked of it

test("a frozen flow is taken when it is what its digest says, and refused when one command in it was edited", async () => {
  const flow = exampleFlow("pipeline");
  await expect(frozenOf(houseWith(flow), "r")).resolves.toMatchObject({ flow: { name: "pipeline" } });
  const edited = structuredClone(flow);
  edited.nodes.test!.work = { kind: "command", run: "true", timeoutMs: 1 };
  await expect(frozenOf(houseWith(edited), "r")).rejects.toThrow(
    'The frozen flow of run "r" was edited: it is not what its digest says',
  );
});

test.each<[string, { by: string; performer: string }[], number]>([
  ["that has only begun", [], 0],
  ["whose steps the host's agent does", [{ by: "host", performer: "host" }], 0],
  ["whose step Pawl began", [{ by: "pawl", performer: "host" }], 1],
  [
    "whose step Pawl began before the host's",
    [
      { by: "pawl", performer: "command" },
      { by: "host", performer: "host" },
    ],
    1,
  ],
])("of a run %s, processes are looked for where there may be any", async (_what, begun, looks) => {
  const flow = exampleFlow("pipeline");
  let swept = 0;
  const begins = begun.map((one, i) => ({
    type: "begun",
    seq: i + 2,
    at: "",
    ticket: "none@1",
    place: "",
    prev: "",
    ...one,
  }));
  const house = {
    ...houseWith(flow),
    refuseOtherHistory: () => undefined,
    sweep: async () => void swept++,
    store: {
      ...houseWith(flow).store,
      open: async () => ({ lines: begins, [Symbol.asyncDispose]: async () => undefined }),
    },
  } as unknown as House; // all that is asked of it
  await takeRun(house, "r").catch(() => undefined); // these lines are no whole journal
  expect(swept).toBe(looks);
});
