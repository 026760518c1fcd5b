// Time limits of a run, a step, the runs around it and its job: asked before a visit begins, raised by a person, kept over a resume.
import { describe, expect, it } from "vitest";
import { Repository } from "../harness/repository.js";

/** About a third of a second a visit; fails until "done" is there. */
const TRY = 'command: "sleep 0.35; test -e done", on_fail: {goto: try, retry: true}';
const loop = (limits: string, step = ""): string =>
  `name: x\nmax_attempts: 20\n${limits}steps:\n  - {name: try, ${TRY}${step}}\n`;

/** What was said, whatever the width of the screen. */
const flat = (text: string): string => text.replace(/\s+/g, " ");

describe("a limit of time", () => {
  it("parks the run before the visit that could pass it, and a person lets it go on", async () => {
    using repository = Repository.make({ ".pawl/loops/x.yaml": loop("limits: {minutes: 0.01}\n") }); // 0.6 s
    const end = await repository.pawl(["run", "x"]);
    expect(end.code).toBe(3);
    expect(flat(end.out)).toMatch(
      /budget minutes: 0\.00\d+ of 0\.01 minutes are used up, and "try" has used up to 0\.00\d+ in one visit; to go on: pawl resume \S+ --limit minutes=N/,
    );
    const told = await repository.json(["status"]);
    expect(told.steps[0].visits).toBe(2); // the second was routed to, and not begun
    repository.write({ done: "" });
    const refused = await repository.pawl(["resume", told.run, "--limit", "euros=3"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("the figures are: minutes, usd, tokens")]);
    const again = await repository.pawl(["resume", told.run, "--accept-changes", "--limit", "minutes=1"]);
    expect([again.code, flat(again.out)]).toEqual([0, expect.stringContaining("complete: every step passed")]);
    const { out } = await repository.pawl(["explain", told.run, "--json"]);
    expect(JSON.parse(out).ledger).toHaveLength(2);
  });

  it("of one step parks the run, and its total is the same after a resume", async () => {
    using repository = Repository.make({ ".pawl/loops/x.yaml": loop("", ", limits: {minutes: 0.01}") });
    const end = await repository.pawl(["run", "x"]);
    expect([end.code, flat(end.out)]).toEqual([3, expect.stringMatching(/budget minutes of step "try"/)]);
    const again = await repository.pawl(["resume"]);
    expect([again.code, flat(again.out)]).toEqual([3, expect.stringMatching(/--limit try\.minutes=N/)]);
    expect((await repository.json(["status"])).steps[0]).toMatchObject({ visits: 2 });
  });

  it("set where a run is started holds for it", async () => {
    using repository = Repository.make({ ".pawl/loops/x.yaml": loop("") });
    const end = await repository.pawl(["run", "x", "--limit", "minutes=0.01"]);
    expect([end.code, flat(end.out)]).toEqual([3, expect.stringContaining("budget minutes: ")]);
  });

  it("of a run holds for the loops that are its steps, which are charged to it once", async () => {
    using repository = Repository.make({
      ".pawl/loops/x.yaml": loop(""),
      ".pawl/loops/outer.yaml": "name: outer\nlimits: {minutes: 0.01}\nsteps:\n  - {name: inner, loop: x}\n",
    });
    const end = await repository.pawl(["run", "outer"]);
    expect([end.code, flat(end.out)]).toEqual([
      3,
      expect.stringMatching(/budget minutes of run outer-\w+ \(loop "outer"\)/),
    ]);
  });

  it("of a job counts all its runs", async () => {
    using repository = Repository.make({
      ".pawl/loops/x.yaml": loop(""),
      ".pawl/config.yaml": "job_limits: {minutes: 0.01}\n",
    });
    repository.write({ done: "" });
    expect((await repository.pawl(["run", "x"])).code).toBe(0);
    expect((await repository.pawl(["run", "x"])).code).toBe(0);
    const third = await repository.pawl(["run", "x"]);
    expect([third.code, flat(third.out)]).toEqual([
      3,
      expect.stringMatching(/budget minutes of job "main".*job_limits\.minutes/),
    ]);
  });
});
