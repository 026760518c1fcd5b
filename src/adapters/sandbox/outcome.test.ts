import { expect, it } from "vitest";
import { diagnose } from "./bubblewrap/diagnose.js";
import { type Facts, outcomeOf } from "./outcome.js";

const facts = ({ said = "", ...change }: Partial<Facts> & { said?: string }): Facts => ({
  began: true,
  trouble: () => diagnose(said, "ended with 1"),
  reached: { memory: false, processes: false },
  caps: { memoryBytes: 64, processes: 8, cpus: 1 },
  timeoutMs: 5,
  diskFloorBytes: 7,
  ...change,
});
const both = { memory: true, processes: true };

it("is a fault when the command never ran, whatever bubblewrap ended with", () => {
  expect(outcomeOf(facts({}))).toMatchObject({ end: "fault", fault: { code: "sbx-engine" } });
});
it("keeps the reason of a stop, whatever the command answered to it", () => {
  expect(outcomeOf(facts({ stopped: { because: "cancelled" }, exitCode: 0 }))).toEqual({ end: "cancelled" });
  expect(outcomeOf(facts({ stopped: { because: "disk" } }))).toEqual({ end: "limit", limit: "disk", value: 7 });
});
it("names a cap only when the command failed", () => {
  expect(outcomeOf(facts({ exitCode: 0, reached: both }))).toEqual({ end: "exit", code: 0 });
  expect(outcomeOf(facts({ exitCode: 1, reached: both }))).toEqual({ end: "limit", limit: "memory", value: 64 });
  expect(outcomeOf(facts({ exitCode: 1, reached: { memory: false, processes: true } }))).toMatchObject({
    limit: "processes",
  });
});
it("is a limit, not a fault, when the kernel ended bubblewrap itself for want of memory", () => {
  expect(outcomeOf(facts({ reached: both }))).toMatchObject({ end: "limit", limit: "memory" });
});
it("unfolds deadly signals, and leaves 128 and git's 129 alone", () => {
  expect(outcomeOf(facts({ exitCode: 137 }))).toEqual({ end: "signal", signal: "SIGKILL" });
  for (const code of [1, 125, 126, 127, 128, 129, 255])
    expect(outcomeOf(facts({ exitCode: code }))).toEqual({ end: "exit", code });
});
it.each([
  ["bwrap: setting up uid map: Permission denied", "sbx-bwrap-userns"],
  ["bwrap: Creating new namespace failed, likely because max_user_namespaces exceeded", "sbx-bwrap-userns"],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "sbx-nested"],
  ["bwrap: Unknown option --disable-userns", "sbx-bwrap-old"],
  ["bwrap: execvp foo: No such file or directory", "sbx-image-unfit"],
  ["bwrap: something \u001b[31mnew", "sbx-engine"],
])("reads %j as %s", (said, code) => {
  const outcome = outcomeOf(facts({ said }));
  expect(outcome).toMatchObject({ fault: { code } });
  expect(JSON.stringify(outcome)).not.toContain("\\u001b");
});
