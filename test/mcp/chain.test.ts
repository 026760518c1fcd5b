// One loop that starts another, seen by the agent of an IDE: it hears which one has ended, which follows, and what both are about.
import { expect, test } from "vitest";
import { Ide } from "../harness/mcp.js";
import { ground } from "./ground.js";

const FREE = "human_gate: false\n";

test("the first instruction of a loop that follows says so, and carries the person's words on", async () => {
  using repository = ground({
    loop: `name: dev\nskills: [alpha]\non_complete: {on_success: {trigger_loop: next}}\n${FREE}`,
    files: { ".pawl/loops/next.yaml": `name: next\nskills: [beta]\n${FREE}` },
  });
  await using ide = await Ide.open(repository);
  const first = await ide.call("run_loop", { name: "dev", description: "sweep the floor" });
  expect(first.text).toContain("## Subject");
  expect(first.text).not.toContain("follows.");
  const second = await ide.call("loop_advance", { skill: "alpha", output: "done" });
  expect(second.text).toMatch(
    /^Run dev-\w+ \(loop "dev"\) has ended: success\. Loop "next" follows\.\n\nSkill "beta" \(1 of 1\)/,
  );
  expect(second.text).toContain("sweep the floor");
});

test("a loop without words of a person has no subject, and neither has the one that follows", async () => {
  using repository = ground({
    loop: `name: dev\nskills: [alpha]\non_complete: {on_success: {trigger_loop: next}}\n${FREE}`,
    files: { ".pawl/loops/next.yaml": `name: next\nskills: [beta]\n${FREE}` },
  });
  await using ide = await Ide.open(repository);
  expect((await ide.call("run_loop", { name: "dev" })).text).not.toContain("## Subject");
  expect((await ide.call("loop_advance", { skill: "alpha", output: "done" })).text).not.toContain("## Subject");
});
