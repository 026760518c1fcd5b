import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { exampleFlow } from "../../test/harness/tale.js";
import type { House } from "../ports/house.js";
import { frozenOf } from "./open.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const houseWith = (flow: object) =>
  ({ sha256, store: { frozen: async () => ({ run: "r", flow }), runFolder: () => "/runs/r" } }) as unknown as House; // all that is asked of it

test("a frozen flow is taken when it is what its digest says, and refused when one command in it was edited", async () => {
  const flow = exampleFlow("pipeline");
  await expect(frozenOf(houseWith(flow), "r")).resolves.toMatchObject({ flow: { name: "pipeline" } });
  const edited = structuredClone(flow);
  edited.nodes.test!.work = { kind: "command", run: "true", timeoutMs: 1 };
  await expect(frozenOf(houseWith(edited), "r")).rejects.toThrow(
    'The frozen flow of run "r" was edited: it is not what its digest says',
  );
});
