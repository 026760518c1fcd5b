import { expect, it } from "vitest";
import type { Isolation } from "../../core/model.js";
import type { EngineReport, Sandbox } from "../../ports/sandbox.js";
import { chooseEngine } from "./choose.js";
import { trouble } from "./faults.js";
import { allAt } from "./guarantees.js";

const never = new AbortController().signal;
const isolation = (change: Partial<Isolation> = {}): Isolation => ({
  ...{ engine: "auto", memoryBytes: 1, processes: 1, cpus: 1, scratchBytes: 1, outputBytes: 1, diskFloorBytes: 0 },
  ...{ protect: [], mounts: [], env: {}, require: {} },
  ...change,
});
const strong = { ...allAt("kernel"), cpu: "none", disk: "none" } as const;
function engine(name: string, report: Partial<EngineReport>): Sandbox {
  return {
    engine: name,
    probe: async () => ({ engine: name, usable: true, holds: strong, evidence: [], ...report }),
    open: () => Promise.reject(new Error("not in this test")),
    sweep: async () => {},
  };
}
const broken = engine("broken", {
  usable: false,
  why: trouble("sbx-bwrap-missing", '"bwrap" is not installed', "install it"),
});
const weak = engine("weak", { holds: { ...strong, memory: "process", processes: "none" } });
const good = engine("good", {});

it("takes the first engine that keeps every promise, and says what else was tried", async () => {
  const choice = await chooseEngine([broken, weak, good], isolation(), never);
  expect(choice.engine).toBe(good);
  expect(choice.tried.map(({ engine }) => engine)).toEqual(["broken", "weak", "good"]);
});
it("asks no engine after the one that will do", async () => {
  const asked = engine("unasked", {});
  asked.probe = () => Promise.reject(new Error("was asked"));
  expect((await chooseEngine([good, asked], isolation(), never)).engine).toBe(good);
});
it("refuses a weaker engine by the names of what is missing, and says how to accept less", async () => {
  await expect(chooseEngine([broken, weak], isolation(), never)).rejects.toMatchObject({
    record: {
      code: "sbx-weak",
      message: expect.stringMatching(
        /SBX-WEAK.*"broken".*not installed.*processes is kept by "none".*memory is kept by "process"/,
      ),
      hint: expect.stringContaining("require: {processes: none, memory: process}"),
    },
  });
});
it("takes a weaker engine when the author accepts less by name", async () => {
  const require = { memory: "process", processes: "none" } as const;
  expect((await chooseEngine([weak], isolation({ require }), never)).engine).toBe(weak);
});
it("refuses what no engine keeps", async () => {
  await expect(chooseEngine([good], isolation({ require: { disk: "kernel" } }), never)).rejects.toMatchObject({
    record: { code: "sbx-weak" },
  });
});
it("says every reason and the line to install when nothing works", async () => {
  const second = engine("second", { usable: false, why: trouble("sbx-engine", "it is down", "start it") });
  await expect(chooseEngine([broken, second], isolation(), never)).rejects.toMatchObject({
    record: {
      code: "sbx-no-engine",
      message: expect.stringMatching(/SBX-NO-ENGINE.*"broken": .*not installed; "second": .*it is down/),
      hint: expect.stringContaining("sudo apt install bubblewrap"),
    },
  });
});
it("says that this release has no Docker engine, instead of taking another", async () => {
  await expect(chooseEngine([good], isolation({ engine: "docker" }), never)).rejects.toMatchObject({
    record: { code: "sbx-no-engine", message: expect.stringMatching(/no "docker" engine; it has: "good"/) },
  });
});
it("takes no probe that was cut short for an answer", async () => {
  const stop = new AbortController();
  const slow = engine("slow", { usable: false });
  const { probe } = slow;
  slow.probe = (signal) => {
    stop.abort(new Error("stopped"));
    return probe(signal);
  };
  await expect(chooseEngine([slow], isolation(), stop.signal)).rejects.toThrow("stopped");
});
