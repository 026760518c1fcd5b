// The guides are true: each is followed word by word in an empty repository, and what it shows is what is printed.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { settingsSchema } from "../src/config/settings.js";
import { blocksOf, differs, follow } from "./harness/guide.js";
import { Ide } from "./harness/mcp.js";
import { PACKAGE, type Repository } from "./harness/repository.js";
import { verifies } from "./harness/verifies.js";
import { skillsGround } from "./journeys/skills-ground.js";
import { ground } from "./mcp/ground.js";
import { withBubblewrap } from "./sandbox/here.js";

const GUIDES = readdirSync(join(PACKAGE, "docs/guides")).filter((name) => name.endsWith(".md"));

const read = (guide: string): string => readFileSync(join(PACKAGE, "docs/guides", guide), "utf8");
const isLoop = (path = ""): boolean => /^\.pawl\/loops\/.*\.yaml$/.test(path);

/** Says its version and that it has finished, as the real one does; it changes nothing. */
const CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo "2.1.332 (Claude Code)"; exit 0;; esac
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"0a0a0a0a-0000-4000-8000-000000000000","model":"stand-in","tools":[],"mcp_servers":[]}'
echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"nothing was left to do","session_id":"0a0a0a0a-0000-4000-8000-000000000000","num_turns":1,"total_cost_usd":0,"usage":{},"permission_denials":[]}'
`;

withBubblewrap("the guides", () => {
  test.each(GUIDES.filter((name) => blocksOf(name).length > 0))(
    "%s can be followed word by word, and shows what is printed",
    { timeout: 180_000 },
    async (name) => {
      await using followed = await follow(name, { claude: CLAUDE });
      expect(followed.shown.length, "places that show what is printed").toBeGreaterThan(0);
      const others = followed.shown.flatMap((place) => {
        const printed = differs(place);
        return printed === undefined ? [] : [`${name}:${place.line} shows something else than\n${printed}`];
      });
      expect(others).toEqual([]);
      const { repository } = followed;
      const loops = [...new Set(blocksOf(name).flatMap(({ path }) => (path && isLoop(path) ? [path] : [])))];
      expect(loops.length).toBeGreaterThan(0);
      for (const path of loops) {
        const end = await repository.pawl(["validate", path, "--json"]);
        expect(end.json(), path).toEqual([{ file: path, ok: true, issues: [] }]);
        const planned = await repository.pawl(["plan", path, "--agent", "host"]);
        expect([planned.code, planned.err], path).toEqual([0, ""]);
      }
    },
  );

  test("the validators of the guide are asked in the sandbox and report each declared check, in all three languages", async () => {
    await using followed = await follow("writing-a-validator.md");
    const { repository } = followed;
    const { runs } = await repository.json(["list"]);
    const run = await repository.json(["status", runs[0].run]);
    const { validator_results } = repository.record(run);
    expect(validator_results).toMatchObject({
      no_todo: { pass: true, checks: [{ name: "no_todo", pass: true, reported: true }] },
      changelog: { pass: false, checks: [{ name: "change_told", pass: false, required: false, reported: true }] },
      reported: { pass: true, checks: [{ name: "file_named", pass: true, reported: true }] },
    });
    const asked = repository
      .events(run)
      .filter(({ type, ticket }) => type === "verdict" && /validators\//.test(ticket));
    expect(asked).toHaveLength(6); // all three, in both attempts
  });

  test("a loop goes to the background by validators for what people checked; no key switches between the two", async () => {
    verifies("docs.graduation");
    const guide = read("foreground-to-background.md");
    expect(guide).toContain("no configuration flag switches between foreground and background");
    const [before, after] = blocksOf("foreground-to-background.md")
      .filter(({ path }) => isLoop(path))
      .map(({ text }) => parse(text));
    expect([before.validators, before.human_gate]).toEqual([undefined, undefined]);
    expect(after.skills).toEqual(before.skills);
    const written = blocksOf("foreground-to-background.md").flatMap(
      ({ path }) => /^validators\/(.+)\.\w+$/.exec(path ?? "")?.[1] ?? [],
    );
    expect(after.validators.map(({ tool }: { tool: string }) => tool)).toEqual(written);
    expect(written.length).toBeGreaterThan(1);

    await using followed = await follow("foreground-to-background.md");
    const { repository } = followed;
    const { runs } = await repository.json(["list"]);
    expect(runs).toHaveLength(2);
    const [byHand, alone] = await Promise.all(runs.map(({ run }: { run: string }) => repository.json(["status", run])));
    const people = (run: { journal: string }) =>
      repository.events(run).filter(({ type }) => /^(answered|abandoned)$/.test(type));
    expect([byHand.outcome, alone.outcome]).toEqual(["aborted", "success"]);
    expect([people(byHand).length > 0, people(alone)]).toEqual([true, []]);

    const SWITCH = /foreground|background|headless|interactive|unattended|^mode$/i;
    const keys = [...Object.keys(settingsSchema.shape), ...keysOf((await repository.pawl(["schema"])).json())];
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter((key) => SWITCH.test(key))).toEqual([]);
  }, 60_000);

  test("a closed job folder may be removed by hand: Pawl lists, tells and runs as before", async () => {
    verifies("docs.prune-jobs");
    const guide = read("jobs-and-state.md").replace(/\s+/g, " ");
    expect(guide).toContain("**Pawl never deletes a job folder**");
    expect(guide).toMatch(/Closed job folders, .{0,80} may be archived or removed by hand/);
    using repository = skillsGround(CHAIN, { branch: "feat/one" });
    const one = await repository.json(["run", "dev"]);
    repository.git("switch", "-qc", "feat/two");
    repository.git("rm", "-rq", ".pawl/jobs/feat/one");
    repository.git("commit", "-qm", "remove a closed job");
    expect(repository.has(".pawl/jobs/feat/one")).toBe(false);
    expect((await repository.json(["list"])).runs.map(({ run }: { run: string }) => run)).toContain(one.run);
    expect((await repository.pawl(["log", one.run])).code).toBe(0);
    rmSync(join(repository.folder, ".git/pawl/runs", one.run), { recursive: true }); // what the guide says of these
    expect((await repository.json(["list"])).runs.map(({ run }: { run: string }) => run)).not.toContain(one.run);
    const two = await repository.json(["run", "dev"]);
    expect([two.code, two.outcome, two.job]).toEqual([0, "success", "feat/two"]);
    repository.git("switch", "-q", "feat/one");
    repository.git("rm", "-rq", ".pawl/jobs/feat/one");
    repository.git("commit", "-qm", "remove it in its own branch");
    const again = await repository.json(["run", "dev"]); // the same job, whose folder is gone
    expect([again.code, again.outcome, again.job]).toEqual([0, "success", "feat/one"]);
  }, 60_000);

  test("no job folder is removed by Pawl: a run, its chain and another job leave every file of the earlier ones", async () => {
    verifies("docs.prune-jobs");
    using repository = skillsGround(
      { ...CHAIN, red: "skills: [a]\nhuman_gate: false\nvalidators: [{tool: no}]\nfailure_handling: fail\n" },
      {
        files: { "validators/no.sh": "#!/bin/sh\necho '{\"pass\": false}'\n" },
      },
    );
    let before: Record<string, string> = {};
    for (const [branch, loop] of [
      ["feat/one", "dev"],
      ["feat/one", "red"],
      ["feat/two", "dev"],
      ["feat/two", "dev"],
    ] as const) {
      repository.git(
        "switch",
        "-q",
        ...(branch === repository.git("branch", "--show-current").trim() ? [branch] : ["-C", branch]),
      );
      await repository.json(["run", loop]);
      const after = jobFiles(repository);
      expect(after).toMatchObject(before);
      expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length);
      before = after;
    }
    expect(Object.keys(before).filter((name) => /feat\/one\/\w+-\w+-\w+\.json$/.test(name))).toHaveLength(3);
  }, 90_000);

  test("a loop of skills is never done without a coding agent: it is refused at the start", async () => {
    verifies("scope.skills.headless-worker");
    using repository = ground();
    for (const command of ["run", "plan"]) {
      const refused = await repository.pawl([command, "dev"]);
      expect([refused.code, refused.out]).toEqual([2, ""]);
      expect(refused.err).toMatch(/dev\.yaml:\d+:\d+ there is no agent to do this step \(give one with --agent/);
    }
    expect(repository.has(".pawl/jobs")).toBe(false);
    expect((await repository.json(["list"])).runs).toEqual([]);
  });

  test("over MCP a skill is handed out, and nothing moves until the agent reports", async () => {
    verifies("scope.skills.headless-worker");
    using repository = ground({ files: { "work/started": "" } });
    await using ide = await Ide.open(repository);
    const { text, data } = await ide.call("run_loop", { name: "dev" });
    expect(text).toContain("Do alpha now.");
    const seen = () => [jobFiles(repository), repository.events(data), repository.git("status", "--porcelain")];
    const before = seen();
    await new Promise((done) => setTimeout(done, 2_000));
    expect((await ide.call("loop_status")).text).toContain("Do alpha now.");
    expect(seen()).toEqual(before);
    const resumed = await repository.json(["resume", data.run]); // a terminal without an agent does it no more than we do
    expect([resumed.code, resumed.reason]).toEqual([
      3,
      expect.stringContaining('"alpha" is with the agent of the IDE'),
    ]);
    expect(repository.events(data).filter(({ type }) => type === "verdict")).toEqual([]);
    expect(repository.events(data)).toEqual(before[1]);
    expect((await ide.call("loop_advance", { skill: "alpha", output: "done" })).text).toContain("Do beta now.");
    expect(repository.events(data).filter(({ type }) => type === "verdict")).toHaveLength(1);
  }, 60_000);
});

const CHAIN = {
  dev: "skills: [a]\nhuman_gate: false\non_complete: {on_success: {trigger_loop: check}}\n",
  check: "skills: [b]\nhuman_gate: false\n",
};

/** Name to contents, of everything below `.pawl/jobs`. */
function jobFiles(repository: Repository): Record<string, string> {
  const folder = join(repository.folder, ".pawl/jobs");
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
  );
}

/** Of all objects of a JSON Schema, at any depth. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema && schema.properties ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap(keysOf)];
}

test("the guide on the tools names each of them, with all it takes and whether it writes", async () => {
  using repository = ground();
  await using ide = await Ide.open(repository);
  const { tools } = await ide.client.listTools();
  const rows = [...read("mcp.md").matchAll(/^\| `(\w+)` \| (.*?) ?\| .* \| (yes|no) \|$/gm)].map(
    ([, name, takes = "", writes]) => ({
      name,
      takes: [...takes.matchAll(/`(\w+)`/g)].map(([, key]) => key).sort(),
      writes: writes === "yes",
    }),
  );
  const real = tools.map(({ name, inputSchema, annotations }) => ({
    name,
    takes: Object.keys(inputSchema.properties ?? {})
      .filter((key) => key !== "workspace_root")
      .sort(),
    writes: annotations?.readOnlyHint === false,
  }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    String(a.name).localeCompare(String(b.name));
  expect(rows.sort(byName)).toEqual(real.sort(byName));
});

test("README leads to every guide", () => {
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  expect(GUIDES.filter((name) => !readme.includes(`](docs/guides/${name})`))).toEqual([]);
});
