// The clock of the machine goes backwards: order is told by numbers, so nothing depends on it.
import { expect, it } from "vitest";
import { placeOf } from "../../src/core/place.js";
import { viewOf } from "../../src/core/view.js";
import { drive } from "../../src/runtime/drive.js";
import { commandStep, flowOf, stepsFile } from "../../testing/files.js";
import { MemoryWorld, openInMemory, ScriptedWorker } from "../../testing/index.js";

it("a run whose clock goes backwards at every line comes to its end and folds to the same", async () => {
  const flow = flowOf(stepsFile([commandStep("one"), commandStep("two")]));
  const opened = openInMemory(flow);
  const world = new MemoryWorld(new ScriptedWorker());
  let hour = 1_000;
  Object.assign(world.clock, { now: () => new Date(3_600_000 * --hour).toISOString() });
  await drive(world, opened, new AbortController().signal);
  expect(placeOf(opened.run.cursor)).toBe("ended:success");
  expect(openInMemory(flow, opened.journal as ReturnType<typeof openInMemory>["journal"]).run).toEqual(opened.run);
  for (const { seconds } of viewOf(flow, opened.run).steps) expect(seconds ?? 0).toBeGreaterThanOrEqual(0);
});
