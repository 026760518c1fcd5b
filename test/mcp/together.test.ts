// More than one at the same run: servers, terminals, worktrees, branches, clones; and what dies on the way.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Ide } from "../harness/mcp.js";
import { Repository } from "../harness/repository.js";
import { until } from "../harness/until.js";
import { verifies } from "../harness/verifies.js";
import { ground, LOOP } from "./ground.js";

const GATED = `${LOOP}human_gate: true\n`;
/** The two skills done; the checks are at work. */
async function validating(ide: Ide): Promise<{ run: string; journal: string; pid: number }> {
  await ide.call("run_loop", { name: "dev" });
  await ide.call("loop_advance", { skill: "alpha", output: "a" });
  const { text, data } = await ide.call("loop_advance", { skill: "beta", output: "b" });
  const pid = Number(/process (\d+) is at work/.exec(text)?.[1]);
  return { run: data.run, journal: data.journal, pid };
}

describe("checks that take long", { timeout: 120_000 }, () => {
  it("run behind the call that starts them: it answers at once, and every other tool answers meanwhile", async () => {
    verifies("validating.in-background", "mcp.loop-status.waits");
    using repository = ground({ files: { "work/slow": "6" } });
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    await ide.call("loop_advance", { skill: "alpha", output: "a" });
    const started = await ide.call("loop_advance", { skill: "beta", output: "b" });
    expect(started.data.status).toBe("validating");
    expect(started.ms).toBeLessThan(4_000);
    const [status, skills, refused] = await Promise.all([
      ide.call("loop_status"),
      ide.call("list_skills"),
      ide.call("loop_advance", { skill: "beta", output: "b" }),
    ]);
    expect(skills.ms).toBeLessThan(3_000);
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringMatching(/is being checked since .*nothing was recorded/),
    ]);
    expect(status.text).toContain("is complete: success"); // it waited for the outcome
    expect(status.ms).toBeGreaterThan(skills.ms);
    expect((await ide.call("loop_status")).text).toContain("is complete: success");
  });

  it("are waited for 25 seconds at most, and their outcome is told later", async () => {
    verifies("mcp.loop-status.waits");
    using repository = ground({ files: { "work/slow": "30" } });
    await using ide = await Ide.open(repository);
    await validating(ide);
    const first = await ide.call("loop_status");
    expect(first.text).toMatch(/is validating: process \d+ is at work on it since/);
    expect(first.ms).toBeGreaterThan(20_000);
    expect(first.ms).toBeLessThan(27_000);
    expect((await ide.settled()).text).toContain("is complete: success");
  });

  it("outlive the server; another server, and a terminal, see the same run", async () => {
    using repository = ground({ files: { "work/slow": "4" } });
    await using ide = await Ide.open(repository);
    const { run } = await validating(ide);
    process.kill(ide.pid, "SIGKILL");
    await using other = await Ide.open(repository);
    const seen = await repository.json(["status"]);
    expect([seen.run, seen.status]).toEqual([run, "validating"]);
    expect((await other.settled()).text).toContain(`Run ${run} (loop "dev", job "feature") is complete: success`);
  });

  it("that died are told apart from slow ones, and are run again without any skill", async () => {
    verifies("validating.interrupted");
    using repository = ground({ files: { "work/slow": "20" } });
    await using ide = await Ide.open(repository);
    const { pid, journal } = await validating(ide);
    const twice = await ide.call("loop_continue");
    expect(twice.text).toContain(`process ${pid} is at work on it`); // no second one beside a living one
    process.kill(pid, "SIGKILL");
    await until(
      () => !existsSync(`/proc/${pid}`) || /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
      "the checks are dead",
    );
    const told = await ide.call("loop_status");
    expect(told.ms).toBeLessThan(5_000);
    expect(told.text).toMatch(/were interrupted: nobody is at work on them\. Call loop_continue/);
    repository.write({ "work/slow": "0" });
    expect((await ide.call("loop_continue")).text).toMatch(/at work on it since|is complete/);
    const done = await ide.settled();
    expect(done.text).toContain("is complete: success");
    const begun = repository.events({ journal }).filter(({ type }) => type === "begun");
    expect(begun.filter(({ performer }) => performer === "host")).toHaveLength(2);
  });
});

describe("two at one run", { timeout: 120_000 }, () => {
  it("do not both advance it: one output is recorded, the other call is told", async () => {
    using repository = ground();
    await using one = await Ide.open(repository);
    await using two = await Ide.open(repository, { generation: "legacy" });
    await one.call("run_loop", { name: "dev" });
    const said = await Promise.all(
      [one, two, one, two].map((ide, i) => ide.call("loop_advance", { skill: "alpha", output: `by ${i}` })),
    );
    expect(said.filter(({ isError }) => !isError)).toHaveLength(1);
    const { data } = await one.call("loop_status");
    const verdicts = repository.events(data).filter(({ type, ticket }) => type === "verdict" && /^alpha@/.test(ticket));
    expect(verdicts).toHaveLength(1);
  });

  it("in two worktrees have two runs", async () => {
    using repository = ground();
    const side = join(repository.root, "side");
    repository.git("worktree", "add", "-q", "-b", "side", side);
    await using here = await Ide.open(repository);
    await using there = await Ide.open(repository, { cwd: side });
    const [one, two] = await Promise.all([
      here.call("run_loop", { name: "dev" }),
      there.call("run_loop", { name: "dev" }),
    ]);
    expect([one.data.job, two.data.job]).toEqual(["feature", "side"]);
    await here.call("loop_advance", { skill: "alpha", output: "a" });
    expect((await there.call("loop_status")).text).toContain("Do alpha now.");
  });
});

describe("between two calls", { timeout: 120_000 }, () => {
  it("another branch may be worked on: back on the first, its run goes on where it was", async () => {
    verifies("active.branch-isolation");
    using repository = ground({ loop: GATED });
    await using ide = await Ide.open(repository);
    const first = await ide.call("run_loop", { name: "dev" });
    await ide.call("loop_advance", { skill: "alpha", output: "a" });
    const before = readFileSync(first.data.record);
    repository.git("switch", "-qc", "other");
    expect((await ide.call("loop_status")).text).toContain('no run is active in job "other"');
    await ide.call("run_loop", { name: "dev" });
    for (const skill of ["alpha", "beta"]) {
      await ide.call("loop_advance", { skill, output: skill });
      await ide.call("loop_continue");
    }
    expect((await ide.settled()).text).toContain("is complete: success");
    repository.git("switch", "-q", "feature");
    expect(readFileSync(first.data.record)).toEqual(before);
    const back = await ide.call("loop_continue");
    expect([back.data.run, back.text]).toEqual([first.data.run, expect.stringContaining("Do beta now.")]);
  });

  it("a stash, record and all, loses nothing", async () => {
    using repository = ground();
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    repository.git("stash", "-q", "-u");
    const said = await ide.call("loop_status");
    repository.git("stash", "pop", "-q");
    const back = await ide.call("loop_status");
    expect(back.text).toContain("Do alpha now.");
    expect(said.text).toMatch(/Do alpha now\.|no run is active/);
  });

  it("the repository may be moved to another folder", async () => {
    using repository = ground();
    const moved = join(repository.root, "moved");
    {
      await using ide = await Ide.open(repository);
      await ide.call("run_loop", { name: "dev" });
    }
    renameSync(repository.folder, moved);
    await using ide = await Ide.open(repository, { cwd: moved });
    const next = await ide.call("loop_advance", { skill: "alpha", output: "a" });
    expect(next.text).toContain("Do beta now.");
  });

  it("an agent that edits the loop, a skill, a validator, the record or the journal changes no verdict", async () => {
    using repository = ground({ loop: GATED });
    repository.git("rm", "-q", "work/ok");
    repository.git("commit", "-qm", "not yet");
    await using ide = await Ide.open(repository);
    const { data } = await ide.call("run_loop", { name: "dev" });
    repository.write({
      ".pawl/loops/dev.yaml": "name: dev\nskills: [alpha]\ngoal_state: x\nhuman_gate: false\n",
      ".pawl/skills/beta/SKILL.md": "---\nname: beta\ndescription: x\n---\nDo nothing.\n",
      "validators/look.sh":
        '#!/bin/sh\necho \'{"pass": true, "message": "", "checks": [{"name": "fine", "pass": true}]}\'\n',
    });
    const record = JSON.parse(readFileSync(data.record, "utf8"));
    repository.write({
      [data.record.slice(repository.folder.length + 1)]: JSON.stringify({
        ...record,
        status: "running",
        current_skill_index: 2,
      }),
    });
    expect((await ide.call("loop_advance", { skill: "alpha", output: "a" })).text).toMatch(/^PAUSED/);
    expect((await ide.call("loop_continue")).text).toContain("Do beta now.");
    await ide.call("loop_advance", { skill: "beta", output: "b" });
    await ide.call("loop_continue");
    const failed = await ide.settled();
    expect(failed.text).toContain("work/ok is not there");
    const journal = readFileSync(data.journal, "utf8");
    writeFileSync(data.journal, journal.replace('"outcome":"block"', '"outcome":"pass"'));
    const broken = await ide.call("loop_continue");
    expect([broken.isError, broken.text]).toEqual([
      true,
      expect.stringMatching(/journal\.jsonl:\d+ has the digest|tells another history/),
    ]);
  });
});

describe("a run", { timeout: 180_000 }, () => {
  const AGENT = 'agents:\n  worker: {use: command, run: "sh agents/worker.sh"}\n';
  const files = { ".pawl/config.yaml": AGENT, "agents/worker.sh": 'echo "$PAWL_STEP by the worker"\n' };

  it("begun in an IDE is finished at a terminal, by another agent", async () => {
    using repository = ground({ files });
    await using ide = await Ide.open(repository);
    const { data } = await ide.call("run_loop", { name: "dev" });
    await ide.call("loop_advance", { skill: "alpha", output: "a" });
    const refused = await repository.pawl(["resume", data.run, "--agent", "nobody"]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('there is no agent "nobody" that Pawl can start'),
    ]);
    const rests = await repository.json(["resume", data.run]);
    expect([rests.code, rests.reason]).toEqual([3, '"beta" is with the agent of the IDE (visit 1)']);
    const done = await repository.json(["resume", data.run, "--agent", "worker"]);
    expect([done.code, done.outcome]).toEqual([0, "success"]);
    expect(repository.record(done).skill_outputs).toEqual({ alpha: "a", beta: "beta by the worker" });
  });

  it("begun at a terminal is finished in an IDE", async () => {
    using repository = ground({ loop: GATED, files: { ...files, ".pawl/config.yaml": `${AGENT}agent: worker\n` } });
    const begun = await repository.json(["run", "dev"]);
    expect([begun.code, begun.status]).toEqual([3, "paused"]);
    await using ide = await Ide.open(repository);
    expect((await ide.call("loop_status")).text).toMatch(/^PAUSED/);
    expect((await ide.call("loop_continue")).text).toContain("Do beta now.");
    await ide.call("loop_advance", { skill: "beta", output: "b in the IDE" });
    await ide.call("loop_continue");
    const done = await ide.settled();
    expect([done.data.run, done.text]).toEqual([begun.run, expect.stringContaining("is complete: success")]);
  });
});

describe("a server", { timeout: 120_000 }, () => {
  it("started in the home folder, or beside any repository, writes nothing and asks which one is meant", async () => {
    using repository = ground();
    await using home = await Ide.open(repository, { cwd: repository.home });
    const said = await home.call("run_loop", { name: "dev" });
    expect([said.isError, said.text]).toEqual([true, expect.stringMatching(/home folder|neither \.git nor \.pawl/)]);
    expect(said.text).toContain('give "workspace_root"');
    expect(readdirSync(repository.home)).toEqual([]);
    for (const [root, why] of [
      ["/", /root of the disk/],
      ["relative", /no absolute path/],
      ["/none/such", /no folder/],
    ] as const)
      expect((await home.call("loop_status", { workspace_root: root })).text).toMatch(why);
    const named = await home.call("run_loop", { name: "dev", workspace_root: repository.folder });
    expect(named.text).toContain("Do alpha now.");
  });

  it.each(["auto", "legacy"] as const)("takes the client's root where none is named (%s)", async (generation) => {
    using repository = ground();
    using beside = Repository.make({});
    await using ide = await Ide.open(repository, { cwd: beside.folder, roots: [repository.folder], generation });
    expect((await ide.call("run_loop", { name: "dev" })).text).toContain("Do alpha now.");
  });

  it("killed at any moment of a call leaves a run that goes on", async () => {
    using repository = ground({ loop: GATED });
    const start = await Ide.open(repository);
    await start.call("run_loop", { name: "dev" });
    await start[Symbol.asyncDispose]();
    for (let delay = 0; delay <= 240; delay += 40) {
      await using ide = await Ide.open(repository);
      const call = ide.call("loop_advance", { skill: "alpha", output: "a" }).catch(() => undefined);
      await sleep(delay);
      process.kill(ide.pid, "SIGKILL");
      await call;
    }
    await using ide = await Ide.open(repository);
    await ide.call("loop_advance", { skill: "alpha", output: "a" });
    const { data } = await ide.call("loop_status");
    const verdicts = repository.events(data).filter(({ type, ticket }) => type === "verdict" && /^alpha@/.test(ticket));
    expect(verdicts).toHaveLength(1);
    expect((await repository.pawl(["verify", data.run])).code).toBe(0);
    expect((await ide.call("loop_continue")).text).toContain("Do beta now.");
  });
});

describe("skills and runs", { timeout: 120_000 }, () => {
  it("are prompts and resources of the client", async () => {
    using repository = ground();
    await using ide = await Ide.open(repository);
    const { data } = await ide.call("run_loop", { name: "dev" });
    const { prompts } = await ide.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(["alpha", "beta"]));
    const { messages } = await ide.client.getPrompt({ name: "alpha" });
    expect(messages[0]?.content).toMatchObject({ type: "text", text: "Do alpha now." });
    const { resources } = await ide.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([`pawl://run/${data.run}`]);
    const { contents } = await ide.client.readResource({ uri: `pawl://run/${data.run}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ run: data.run, status: "running" });
    expect((await ide.call("get_skill", { name: "beta" })).text).toBe("Do beta now.");
    expect((await ide.call("list_loops")).text).toContain("dev (repository)");
  });
});
