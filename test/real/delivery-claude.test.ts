// The delivery loops as a team uses them: set up by `pawl init`, begun with the slash command, driven by the real Claude Code (a scripted model
// behind it) over `pawl mcp`, on a published package with its own suite; the person answers in the chat.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { apprentice } from "../clients/apprentice.js";
import { type FakeModels, startFakeModels } from "../clients/fake-models/server.mjs";
import { claudeEnv, type Host, performed } from "../clients/hosts.js";
import { claudeProgram, skippedBecause } from "../clients/workbench.js";
import { PACKAGE, type Repository } from "../harness/repository.js";
import { craftsman, WISH } from "./craftsman.js";
import { fetchPackage, repositoryOf } from "./registry.js";

const fetched = skippedBecause === undefined ? fetchPackage("semver-compare@1.0.0", ["tape@3.6.1"]) : undefined;
const why = skippedBecause ?? (fetched && "missing" in fetched ? fetched.missing : undefined);
if (why !== undefined) console.log(`skipped: ${why}`);

/** What the person says to a stop, by its words. */
function reply(stop: string): string {
  if (stop.includes("questions_answered failed")) return "No, only the small v. Go on.";
  return stop.startsWith("A check has failed") ? "Mend it, then go on." : "Yes, go on.";
}

const LOOPS = ["spec", "plan", "dev", "validate", "release"];

describe.skipIf(why !== undefined)(
  "semver-compare 1.0.0, from a wish to a branch that is ready",
  { timeout: 600_000 },
  () => {
    let models: FakeModels | undefined;
    let repository: Repository | undefined;
    afterEach(async () => {
      await models?.close();
      repository?.[Symbol.dispose]();
    });
    afterAll(() => {
      if (fetched && "folder" in fetched) fetched.remove();
    });

    test("Claude Code drives spec, plan, dev, validate and release in one job", async () => {
      if (!fetched || "missing" in fetched) throw new Error("unreachable: skipped without the package");
      repository = repositoryOf(fetched, () => undefined);
      const at = placeFor(repository);
      models = await startFakeModels({
        scenarios: [apprentice("craftsman", WISH, craftsman(repository.folder))],
      });
      const place = { workspace: repository.folder, home: repository.home, temp: at.temp, url: models.url };
      const set = await repository.pawl(["init", "--ides", "claude-code", "--skills", "none", "--yes"]);
      expect(set.code, set.err).toBe(0);
      repository.commit("Set up Pawl");

      const stops: string[] = [];
      for (let word = `/pawl-loop spec ${WISH}`; stops.length < STOPS_MAX; word = reply(stops.at(-1) ?? "")) {
        const { out, err } = await performed(claudeIn(at.bin, stops.length > 0), place, word, TURN_MS);
        const end = jsonLines(out).findLast(({ type }) => type === "result");
        expect(end, `${out.slice(-2_000)}\n${err}`).toMatchObject({ subtype: "success", is_error: false });
        stops.push(end.result);
        if (isOver(end.result)) break;
      }
      expect(models.requests.filter(({ missing }) => missing)).toEqual([]);
      expect(stops.map(shape), stops.join("\n---\n")).toEqual(STOPS);
      await isDelivered(repository);
    });
  },
);

/** Gate, gate's checks refused, mended; then the next loop. Red tests of dev went back to the agent without a word to the person. */
const STOPS = [
  "spec waits: create-ticket",
  "spec failed: questions_answered",
  "plan waits: plan",
  "plan failed: phases_numbered tasks_listed criteria_planned",
  "validate failed: findings_closed",
  "release waits: draft-pr-description",
  "release waits: create-pr",
  "release failed: tree_clean",
  "release complete: success",
];
const STOPS_MAX = 15;
const TURN_MS = 150_000;
const isOver = (stop: string): boolean => !/^(It waits for you|A check has failed)/.test(stop);

function shape(stop: string): string {
  const [, loop, waits] = /PAUSED\. Run (\w+)-\w+(?: waits for a person: "([\w-]+)" is done)?/.exec(stop) ?? [];
  if (waits) return `${loop} waits: ${waits}`;
  if (loop) return `${loop} failed: ${[...stop.matchAll(/^- (\w+) failed/gm)].map(([, check]) => check).join(" ")}`;
  return /\(loop "(\w+)", job "feat\/leading-v"\) is (complete: \w+)/.exec(stop)?.slice(1).join(" ") ?? stop;
}

/** One job with five runs, one after the other, each verified; the work and its notes in commits of its branch; a green suite. */
async function isDelivered(repository: Repository): Promise<void> {
  const { runs } = await repository.json(["list"]);
  const told = await Promise.all(runs.map(({ run }: { run: string }) => repository.json(["status", run])));
  const records = told.map((run) => repository.record(run)).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  expect(records.map(({ loop_name, status, outcome }) => [loop_name, status, outcome].join(" "))).toEqual(
    LOOPS.map((name) => `${name} complete success`),
  );
  expect(new Set(records.map(({ job_id }) => job_id))).toEqual(new Set([BRANCH]));
  for (const run of told) {
    expect((await repository.pawl(["verify", run.run])).code, run.run).toBe(0);
    const refused = repository
      .events(run)
      .filter(({ type, verdict }) => type === "verdict" && verdict.status === "block");
    expect(refused.length, `${run.loop} was refused`).toBeGreaterThan(0);
    for (const { answer } of repository.events(run).filter(({ answer: given }) => given))
      expect(answer).toMatchObject({ who: "chat", channel: "chat", comment: "Yes, go on." });
  }
  const [, , dev, validate] = records;
  expect(dev.iteration_count).toBe(1);
  expect(JSON.stringify(repository.events(told.find(({ loop }) => loop === "dev")))).toContain(
    "not ok 3 should be equal",
  );
  expect(validate.validator_results.run_tests).toMatchObject({
    pass: true,
    message: expect.stringContaining("tests run: 4"),
  });

  expect(repository.git("branch", "--show-current").trim()).toBe(BRANCH);
  expect(repository.git("status", "--porcelain")).toBe("");
  const commits = repository.commits();
  expect(commits.filter((subject) => !subject.startsWith("chore: "))).toEqual([
    "docs: describe the change",
    "docs: tell of the leading v",
    "feat: refuse what is no string",
    "fix: read versions with a leading v",
    "feat: read versions with a leading v",
    "Set up Pawl",
    "start",
  ]);
  for (const name of LOOPS) expect(commits).toContain(`chore: sync loop state for ${name} (job ${BRANCH})`);
  const changed = repository.git("diff", "--name-only", "main...HEAD", "--", ".", ":!.pawl").trim().split("\n");
  expect(changed).toEqual(["index.js", "readme.markdown", "test/prefix.js", "test/types.js"]);

  const memory = repository.read(".pawl/activeContext.md");
  for (const name of LOOPS) expect(memory).toMatch(new RegExp(`- [\\d-]+ ${name}, job ${BRANCH}: success`));
  expect(memory).toMatch(/- \[ \] npm test runs tape over test\/\*\.js \(validate/);
  expect(repository.read(".pawl/techContext.md")).toContain("Plain JavaScript");
}
const BRANCH = "feat/leading-v";

// biome-ignore lint/suspicious/noExplicitAny: its own events
const jsonLines = (out: string): any[] =>
  out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

function placeFor({ root, home, folder }: Repository): { bin: string; temp: string } {
  const [bin, temp] = ["bin", "tmp"].map((name) => join(root, name)) as [string, string]; // two names, two folders
  for (const path of [bin, temp, join(home, ".claude")]) mkdirSync(path);
  const program = join(PACKAGE, "dist", "pawl.js");
  writeFileSync(join(bin, "pawl"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  writeFileSync(
    join(home, ".claude/settings.json"),
    JSON.stringify({
      enabledMcpjsonServers: ["pawl"],
      permissions: { allow: ["Bash(git:*)", "Bash(npm test)"] },
    }),
  );
  writeFileSync(
    join(home, ".claude.json"),
    JSON.stringify({ hasCompletedOnboarding: true, projects: { [folder]: { hasTrustDialogAccepted: true } } }),
  );
  return { bin, temp };
}

/** Each word of the person is a turn of its own, in a client and a server that are started anew. */
const claudeIn = (bin: string, isLater: boolean): Host => ({
  title: "Claude Code",
  program: claudeProgram,
  start: ({ url }, prompt) => ({
    args: [
      ...["-p", prompt, "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
      ...(isLater ? ["--continue"] : []),
    ],
    env: { ...claudeEnv(url), PATH: `${bin}:${process.env.PATH}` },
  }),
  isEnd: ({ type }) => type === "result",
});
