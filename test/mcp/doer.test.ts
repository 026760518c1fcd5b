// A loop of doer and reviewer in an IDE: two subagents in turn where the client has such, else both roles in one session; the caps, the
// comparison of rounds and the gates are the same.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Ide, type Said } from "../harness/mcp.js";
import { blocked, judged } from "../harness/phase.js";
import { verifies } from "../harness/verifies.js";
import { ground } from "./ground.js";

const LOOP = "name: dev\ndoer: doer\nreviewer: reviewer\nmax_iter: 3\n";

/** The step that was handed out is done: the doer changes a file, the reviewer writes its review where it is told to. */
async function done(ide: Ide, folder: string, said: Said, review: string): Promise<Said> {
  const [, skill = "", ticket = ""] = /loop_advance with skill "(\w+)", ticket "([^"]+)"/.exec(said.text) ?? [];
  const report = /Write your report to: (\S+)/.exec(said.text)?.[1];
  writeFileSync(report ?? join(folder, "work.txt"), report ? review : `${ticket}\n`);
  const answer = await ide.call("loop_advance", { skill, ticket, output: "done" });
  if (!answer.text.includes("Call loop_status")) return answer;
  const later = await ide.settled(); // the work is compared and committed behind the call
  return later.text.includes("Call loop_continue") ? ide.call("loop_continue") : later;
}

it.each([
  [
    "claude-code",
    "auto",
    /^Start a new subagent as the doer: .* wait until it has ended/,
    /^Start a new subagent as the reviewer: /,
  ],
  ["github-copilot", "auto", /^Be the doer yourself in this session/, /^Be the reviewer yourself in this session/],
  ["claude-code", "legacy", /^Start a new subagent as the doer: /, /^Start a new subagent as the reviewer: /],
] as const)("%s (%s) is told who does a step, one step at a time", async (client, generation, doer, reviewer) => {
  verifies("host.agents-or-inline");
  using repository = ground({ loop: LOOP });
  await using ide = await Ide.open(repository, { client, generation });
  const first = await ide.call("run_loop", { name: "dev" });
  expect(first.text).toMatch(doer);
  const second = await done(ide, repository.folder, first, "");
  expect(second.text).toMatch(reviewer);
  const third = await done(ide, repository.folder, second, blocked("the door squeaks"));
  expect(third.text).toMatch(doer);
  expect(third.text).toContain("the door squeaks");
});

it("meets the same cap, the same comparison of rounds and the same gate as on the command line", async () => {
  verifies("host.agents-or-inline");
  using repository = ground({ loop: LOOP });
  await using ide = await Ide.open(repository, { client: "github-copilot" });
  let said = await ide.call("run_loop", { name: "dev" });
  for (const review of [blocked("a"), blocked("b"), blocked("b")]) {
    said = await done(ide, repository.folder, said, "");
    said = await done(ide, repository.folder, said, review);
  }
  expect(said.text).toMatch(/^PAUSED\. Run dev-\w+ waits for a person: .*goes in circles at iteration 3/s);
  said = await ide.call("loop_continue", { option: "continue" });
  expect(said.text).toMatch(/^Be the doer yourself/);
  said = await done(ide, repository.folder, said, "");
  said = await done(ide, repository.folder, said, judged("APPROVED"));
  expect(said.text).toContain("is complete: success");
});
