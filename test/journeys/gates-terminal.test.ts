// A person at a real terminal: the question is put to them, answered with keys, or left open.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocked, judged, loopMdOf, phase } from "../harness/phase.js";
import { Repository } from "../harness/repository.js";
import { Terminal } from "../harness/terminal.js";
import { verifies } from "../harness/verifies.js";

const gated = () =>
  Repository.make({
    "loop.yaml":
      'name: gated\nsteps:\n  - {name: look, gate: "Ship it?", options: [ship, hold]}\n  - {name: work, command: "touch done"}\n',
  });

it("a question is answered with keys, and the run goes on", async () => {
  using repository = gated();
  using terminal = Terminal.open(repository, ["run", "loop.yaml"]);
  await terminal.shows("Ship it?");
  await terminal.shows("hold");
  terminal.keys("Enter");
  await terminal.shows("comment");
  terminal.keys("fine by me", "Enter");
  await terminal.shows("exit 0");
  const result = await repository.json(["status"]);
  const [{ answer, verdict }] = repository.events(result).filter((event) => event.answer);
  expect([verdict.outcome, answer.channel, answer.who, answer.comment]).toEqual([
    "ship",
    "terminal",
    "Test Person",
    "fine by me",
  ]);
  expect(repository.has("done")).toBe(true);
});

it("the arrow chooses another option, which leads elsewhere", async () => {
  using repository = gated();
  using terminal = Terminal.open(repository, ["run", "loop.yaml"]);
  await terminal.shows("hold");
  terminal.keys("Down", "Enter");
  await terminal.shows("comment");
  terminal.keys("Enter");
  await terminal.shows("exit 1");
  expect(await repository.json(["status"])).toMatchObject({ outcome: "failure" });
});

it("Ctrl-C at the question answers nothing: the gate stays open and can be answered later", async () => {
  using repository = gated();
  using terminal = Terminal.open(repository, ["run", "loop.yaml"]);
  await terminal.shows("hold");
  terminal.keys("C-c");
  await terminal.shows("exit 3");
  const open = await repository.json(["status"]);
  expect(open).toMatchObject({ status: "paused", gate: { question: "Ship it?" } });
  expect(repository.events(open).filter(({ answer }) => answer)).toEqual([]);
  using again = Terminal.open(repository, ["answer", open.run]);
  await again.shows("hold");
  again.keys("Enter");
  await again.shows("comment");
  again.keys("Enter");
  await again.shows("exit 0");
});

it("an approval of what has changed meanwhile is not taken", async () => {
  using repository = gated();
  using terminal = Terminal.open(repository, ["run", "loop.yaml"]);
  await terminal.shows("hold");
  repository.write({ "sneaked-in.txt": "x\n" });
  terminal.keys("Enter");
  await terminal.shows("comment");
  terminal.keys("Enter");
  expect(await terminal.shows("exit ")).toContain("the tree changed while the question was shown");
  expect((await repository.json(["status"])).gate).toBeDefined();
});

it("the gate at the cap of a doer loop asks there too, in the middle of a run", async () => {
  verifies("cap.gate");
  using repository = phase({ reviews: [blocked("one"), judged("APPROVED")] });
  using terminal = Terminal.open(repository, ["run", "phase", "--max-iter", "1"]);
  await terminal.shows("adjust");
  terminal.keys("Enter");
  await terminal.shows("comment");
  terminal.keys("Enter");
  await terminal.shows("exit 0");
  expect(loopMdOf(await repository.json(["status"])).history[1]).toBe("--- RESET 1 at T ---");
});

it("a killed loop is reset by a person at a terminal only, and both histories are kept", async () => {
  verifies("reset.never-lowered", "doer.resume.ended-is-refused");
  using repository = phase();
  const { run } = await repository.json(["run", "phase", "--max-iter", "1", "--max-resets", "1"]);
  expect(await repository.json(["answer", run, "continue"])).toMatchObject({ code: 1, outcome: "killed" });
  for (const args of [
    ["reset-loop", run],
    ["reset-loop", run, "--yes"],
  ]) {
    const refused = await repository.pawl(args, { stdin: "y\n" });
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("at a terminal")]);
  }
  expect((await repository.pawl(["run", "phase"])).code).toBe(1);
  using no = Terminal.open(repository, ["reset-loop", run]);
  await no.shows("Archive run");
  no.keys("Enter");
  expect(await no.shows("exit 3")).toContain("nothing was changed");
  using yes = Terminal.open(repository, ["reset-loop", run]);
  await yes.shows("Archive run");
  yes.keys("y");
  await yes.shows("max_iter is used up: 5 of 5"); // the fresh run has its full budgets
  await yes.shows("◆");
  yes.keys("C-c");
  await yes.shows("exit ");
  const [old = ""] = readdirSync(join(repository.folder, ".pawl/jobs/main")).filter((name) =>
    name.startsWith("LOOP.md.killed-"),
  );
  expect(repository.read(`.pawl/jobs/main/${old}`)).toContain("status: killed");
  expect((await repository.json(["log", run])).code).toBe(0);
  const fresh = await repository.json(["status"]);
  expect(loopMdOf(fresh).front).toMatchObject({ total_resets: "0", max_resets: "3" });
  expect((await repository.json(["list"])).runs).toHaveLength(2);
}, 120_000);
