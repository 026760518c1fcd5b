// pawl demo as somebody sees it who types nothing else: red tests, two ways back, a gate, one commit.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MEMORY_FILES } from "../src/core/memory.js";
import { Repository } from "./harness/repository.js";
import { withBubblewrap } from "./sandbox/here.js";

const nowhere = () => Repository.make({}, { git: false });

withBubblewrap("pawl demo", () => {
  test("goes from red tests to one commit, and records that nobody but the demo has answered", async () => {
    using place = nowhere();
    const end = await place.pawl(["demo", "--json"], { env: { TMPDIR: place.root } });
    expect(end.code, end.err).toBe(0);
    const told = end.json();
    expect([told.status, told.outcome, told.exit]).toEqual(["complete", "success", 0]);
    expect(told.steps.map(({ name, visits }: { name: string; visits: number }) => [name, visits])).toEqual([
      ["develop", 3],
      ["test", 3],
      ["review", 2],
      ["ask", 1],
      ["commit", 1],
    ]);
    const answers = place.events(told).flatMap((event) => event.answer ?? []);
    expect(answers).toMatchObject([{ who: "demo", channel: "cli", shown: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(end.err).toMatch(/nobody is asked here, so the demo answers as "demo": pawl answer ship-\w+ approve/);
    const git = (...words: string[]) => place.git("-C", told.repository, ...words).trim();
    expect(git("log", "--format=%s").split("\n")).toEqual([
      "feat: take ten percent off",
      "A cart, and tests that fail",
    ]);
    expect(git("show", "--format=", "--name-only").split("\n")).toEqual(["cart.js", "cart.test.js"]);
    const made = [...Object.keys(MEMORY_FILES), "jobs/"].map((name) => `?? .pawl/${name}`);
    expect(git("status", "--short").split("\n").sort()).toEqual(made.sort());
  });

  test("says in words where the record is and what to type next, and the words are true", async () => {
    using place = nowhere();
    const end = await place.pawl(["demo", "--keep"]);
    expect(end.code, end.err).toBe(0);
    expect(end.err).toMatch(/test visit 1: failed .*retry develop/);
    expect(end.err).toMatch(/review visit 1: failed \(VERDICT: NEEDS CHANGES\).*retry develop/);
    const repository = /^repository {2}(.*)$/m.exec(end.out)?.[1] ?? "";
    expect(repository).toBe(realpathSync(join(place.folder, "pawl-demo")));
    for (const what of ["record", "journal"]) {
      const path = new RegExp(`^${what} +(.*)$`, "m").exec(end.out)?.[1] ?? "";
      expect(existsSync(join(repository, path)), path).toBe(true);
    }
    const typed = [...end.out.matchAll(/pawl\.js ((?:log|explain|plan) .*?)(?: {2,}#|$)/gm)].map(
      ([, words = ""]) => words,
    );
    expect(typed).toHaveLength(3);
    for (const words of typed) expect((await place.pawl(words.split(" "), { cwd: repository })).code, words).toBe(0);

    const again = await place.pawl(["demo", "--keep"]);
    expect([again.code, again.err]).toEqual([2, expect.stringMatching(/is there already[\s\S]*rm -r/)]);
  });

  test("stops before any step where there is no sandbox, and says what to install", async () => {
    using place = nowhere();
    place.write({ "bin/git": '#!/bin/sh\nexec /usr/bin/git "$@"\n' });
    const end = await place.pawl(["demo"], { env: { TMPDIR: place.root, PATH: join(place.folder, "bin") } });
    expect([end.code, end.err]).toEqual([4, expect.stringMatching(/SBX-NO-ENGINE[\s\S]*install/)]);
    const [made = ""] = readdirSync(place.root).filter((name) => name.startsWith("pawl-demo-"));
    expect(existsSync(join(place.root, made, ".git", "pawl", "runs"))).toBe(false);
  });
});
