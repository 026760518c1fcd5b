// Work that changes what judges it: its verdict says so, and a person is shown it at the gate, whatever came of it since.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ended, Repository } from "../harness/repository.js";
import { Terminal } from "../harness/terminal.js";

const LOOP = `name: ship
agents:
  dev: {use: command, run: "sh dev.sh"}
steps:
  - {name: dev, agent: dev}
  - {name: fmt, command: "echo x >> test/b.test.js"}
  - {name: test, command: "test -e ok", on_fail: {goto: dev}}
  - {name: ask, gate: "Ship it?"}
`;
/** Spoils the judges at its first visit only. */
const DEV = `cat > /dev/null
if [ -e once ]; then echo ok > ok; exit; fi
echo 1 > once
echo "run: true" > .github/workflows/ci.yml
echo >> test/a.test.js
echo "export {}" > test/new.test.js
`;
const ground = () =>
  Repository.make({
    ".pawl/loops/ship.yaml": LOOP,
    "dev.sh": DEV,
    ".github/workflows/ci.yml": "run: npm test\n",
    "test/a.test.js": "a\n",
    "test/b.test.js": "b\n",
  });
const CI = "the work changed what judges it: CI (.github/workflows/ci.yml)";

describe("what judges the work", { timeout: 120_000 }, () => {
  it("changed by an agent or a command is said in the verdict, and at the gate still after another visit", async () => {
    using repository = ground();
    using terminal = Terminal.open(repository, ["run", "ship"]);
    await terminal.shows("Ship it?");
    await terminal.shows("the work changed what judges it: CI");
    terminal.keys("Enter");
    await terminal.shows("comment");
    terminal.keys("Enter");
    await terminal.shows("exit 0");
    const { run } = await repository.json(["status"]);
    const told = (await repository.pawl(["log", run])).out;
    expect(told).toContain(CI);
    expect(told).not.toContain("new.test.js");
    expect((await repository.pawl(["status", run])).out).toMatch(/findings of fmt\n.*tests \(test\/b\.test\.js\)/);
  });

  it.each([
    ["by a visit that failed", "echo x >> Jenkinsfile; test -e twice || { touch twice; exit 1; }", false],
    ["by a try that died with Pawl", "test -e twice && exit; echo x >> Jenkinsfile; touch twice; sleep 100", true],
  ])("changed %s is told a person all the same", async (_, line, kill) => {
    const loop = `name: ship\nsteps:\n  - {name: work, command: "sh work.sh", on_fail: {goto: work, retry: true}}\n  - {name: ask, gate: "Ship it?"}\n`;
    using repository = Repository.make({ ".pawl/loops/ship.yaml": loop, "work.sh": `${line}\n` });
    const child = repository.start(["run", "ship"], {});
    const over = ended(child);
    if (kill) {
      while (!repository.has("twice")) await sleep(20);
      child.kill("SIGKILL");
    }
    await over;
    using terminal = Terminal.open(repository, ["resume"]);
    await terminal.shows("Ship it?");
    await terminal.shows("the work changed what judges it: CI (Jenkinsfile)");
    terminal.keys("C-c");
  });
});
