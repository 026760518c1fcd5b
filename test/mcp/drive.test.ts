// A run driven by the agent of an IDE: one step at a time, over MCP, by the official client of both generations.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Generation, Ide } from "../harness/mcp.js";
import type { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { ground, LOOP } from "./ground.js";

const GATED = `${LOOP}human_gate: true\n`;
const GENERATIONS: Generation[] = ["auto", "legacy"];

/** What stands under a folder: path, size, time of change. */
function seen(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
}
const recordOf = (repository: Repository) => {
  const folder = join(repository.folder, ".pawl/jobs/feature");
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(".flow.json"));
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
};

describe.each(GENERATIONS)("an IDE's agent (%s)", { timeout: 120_000 }, (generation) => {
  it("finds the tools, described, and none that forces, skips or raises anything", async () => {
    verifies("mcp.tools.registered");
    using repository = ground();
    await using ide = await Ide.open(repository, { generation });
    const { tools } = await ide.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "get_skill",
      "list_loops",
      "list_skills",
      "loop_advance",
      "loop_continue",
      "loop_explain",
      "loop_status",
      "loop_stop",
      "run_loop",
    ]);
    for (const { name, inputSchema, description, annotations, _meta } of tools) {
      expect(description, name).toMatch(/\w{4}/);
      for (const [key, value] of Object.entries(inputSchema.properties ?? {}))
        expect((value as { description?: string }).description, `${name}.${key}`).toMatch(/\w{4}/);
      expect(annotations?.readOnlyHint, name).toBe(/status|explain|list_|get_/.test(name));
      expect([annotations?.destructiveHint, annotations?.openWorldHint]).toEqual([false, false]);
      expect(_meta?.["anthropic/alwaysLoad"]).toBe(true);
    }
    expect(Object.keys(tools.find(({ name }) => name === "loop_advance")?.inputSchema.properties ?? {})).toContain(
      "skill",
    );
  });

  it("is given the first skill only, with its run on disk", async () => {
    verifies("mcp.run-loop.starts");
    using repository = ground();
    await using ide = await Ide.open(repository, { generation });
    const said = await ide.call("run_loop", { name: "dev", description: "make it so" });
    expect(said.isError).toBe(false);
    expect(said.text).toContain("Do alpha now.");
    expect(said.text).not.toContain("Do beta now.");
    expect(said.text).toMatch(/^Skill "alpha" \(1 of 2\) of loop "dev", job "feature", run dev-/);
    expect(said.text).toContain("make it so");
    expect(said.text).toContain('call loop_advance with skill "alpha"');
    expect(said.data.instruction).toBe(said.text);
    expect(recordOf(repository)).toMatchObject({ status: "running", current_skill_index: 0, task_id: said.data.run });
  });

  it("does two skills, passes a gate after each, fails the check, mends it, and is done", async () => {
    verifies(
      "mcp.full-run",
      "mcp.loop-continue.resumes",
      "mcp.loop-continue.regrades",
      "gate.skills.no-advance-while-paused",
    );
    using repository = ground({ loop: GATED });
    repository.git("rm", "-q", "work/ok");
    repository.git("commit", "-qm", "not yet");
    await using ide = await Ide.open(repository, { generation });
    await ide.call("run_loop", { name: "dev" });
    const paused = await ide.call("loop_advance", { skill: "alpha", output: "alpha is done" });
    expect(paused.text).toMatch(/^PAUSED\. Run dev-\w+ waits for a person: "alpha" is done/);
    expect(paused.text).not.toContain("Do beta now.");
    expect(recordOf(repository).status).toBe("paused");
    const before = seen(join(repository.folder, ".pawl"));
    const pushed = await ide.call("loop_advance", { skill: "beta", output: "sneaked past" });
    expect([pushed.isError, pushed.text]).toEqual([true, expect.stringContaining("is paused, nothing was recorded")]);
    expect(seen(join(repository.folder, ".pawl"))).toEqual(before);

    const second = await ide.call("loop_continue");
    expect(second.text).toContain("Do beta now.");
    expect(recordOf(repository)).toMatchObject({ status: "running", current_skill_index: 1 });
    await ide.call("loop_advance", { skill: "beta", output: "beta is done" });
    const begun = await ide.call("loop_continue");
    expect(begun.text).toMatch(/is validating: process \d+ is at work on it since/);
    const failed = await ide.settled();
    expect(failed.text).toContain("required checks failed");
    expect(failed.text).toContain("look: failed: something is missing\n- fine failed: work/ok is not there");
    expect(recordOf(repository)).toMatchObject({ status: "paused", skills_completed: ["alpha", "beta"] });

    repository.write({ "work/ok": "now\n" });
    await ide.call("loop_continue");
    const done = await ide.settled();
    expect(done.text).toMatch(/is complete: success/);
    expect(recordOf(repository)).toMatchObject({
      status: "complete",
      outcome: "success",
      skill_outputs: { alpha: "alpha is done", beta: "beta is done" },
      validator_results: { look: { pass: true } },
    });
    expect(
      repository.events(done.data).filter(({ type, ticket }) => type === "begun" && /^alpha@/.test(ticket)),
    ).toHaveLength(1);
  });
});

describe("the output of a skill", { timeout: 120_000 }, () => {
  it("is on disk when the answer comes: a kill right after it loses nothing", async () => {
    verifies("mcp.loop-advance.records-output");
    using repository = ground();
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    await ide.call("loop_advance", { skill: "alpha", output: "what alpha did" });
    process.kill(ide.pid, "SIGKILL");
    expect(recordOf(repository)).toMatchObject({
      skill_outputs: { alpha: "what alpha did" },
      skills_completed: ["alpha"],
      current_skill_index: 1,
    });
    await using other = await Ide.open(repository);
    expect((await other.call("loop_status")).text).toContain("Do beta now.");
  });

  it("is asked for again after a power cut, which left what was not waited for empty", async () => {
    using repository = ground();
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    const runs = join(repository.folder, ".git/pawl/runs");
    const run = join(runs, readdirSync(runs)[0] ?? "");
    for (const file of ["host.json", "visits/alpha-1/prompt.md", "visits/alpha-1/tree-before"])
      truncateSync(join(run, file));
    await using other = await Ide.open(repository);
    expect((await other.call("loop_status")).text).toMatch(/Do alpha now\.|call loop_continue/);
    expect((await other.call("loop_continue")).text).toContain("Do alpha now.");
    expect((await other.call("loop_advance", { skill: "alpha", output: "done" })).text).toContain("Do beta now.");
  });

  it("leads to the next skill, and after the last one to the checks", async () => {
    verifies("mcp.loop-advance.moves-on");
    using repository = ground();
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    const next = await ide.call("loop_advance", { skill: "alpha", output: "a" });
    expect(next.text).toContain("Do beta now.");
    const last = await ide.call("loop_advance", { skill: "beta", output: "b" });
    expect(last.text).toMatch(/is validating/);
    expect(last.text).not.toContain("now.\n");
    expect((await ide.settled()).text).toContain("is complete: success");
  });

  it("of another skill, of one that is recorded, or of an earlier round is refused, and names the current one", async () => {
    verifies("mcp.loop-advance.wrong-skill");
    using repository = ground();
    await using ide = await Ide.open(repository);
    const first = await ide.call("run_loop", { name: "dev" });
    const ticket = /ticket "([^"]+)"/.exec(first.text)?.[1] ?? "";
    const before = seen(join(repository.folder, ".pawl"));
    const later = await ide.call("loop_advance", { skill: "beta", output: "too soon" });
    expect([later.isError, later.text]).toEqual([true, expect.stringContaining('the current skill is "alpha"')]);
    expect(seen(join(repository.folder, ".pawl"))).toEqual(before);
    await ide.call("loop_advance", { skill: "alpha", output: "a", ticket });
    const again = await ide.call("loop_advance", { skill: "alpha", output: "a", ticket });
    expect(again.text).toContain('"alpha" is recorded already');
    expect(again.text).toContain('the current skill is "beta"');
    const stale = await ide.call("loop_advance", { skill: "beta", output: "b", ticket });
    expect(stale.text).toContain("nothing was recorded");
    expect(recordOf(repository).skills_completed).toEqual(["alpha"]);
  });

  it("of 20 MB is taken in by its end", async () => {
    using repository = ground();
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    const said = await ide.call("loop_advance", { skill: "alpha", output: `${"x".repeat(20 << 20)} the end` });
    expect(said.text).toContain("Do beta now.");
    const kept: string = recordOf(repository).skill_outputs.alpha;
    expect(kept.length).toBeLessThan(110_000);
    expect(kept).toMatch(/the end$/);
  });
});

describe("with nothing to do", { timeout: 120_000 }, () => {
  it("a call says what is missing or awaited, and no file changes", async () => {
    verifies("mcp.nothing-to-do");
    using repository = ground();
    await using ide = await Ide.open(repository);
    for (const [name, args] of [
      ["loop_advance", { skill: "alpha", output: "x" }],
      ["loop_continue", {}],
    ] as const) {
      const said = await ide.call(name, args);
      expect([said.isError, said.text]).toEqual([true, expect.stringContaining('no run is active in job "feature"')]);
      expect(said.text).toContain("run_loop");
    }
    expect(existsSync(join(repository.folder, ".pawl/jobs"))).toBe(false);
    await ide.call("run_loop", { name: "dev" });
    const before = seen(join(repository.folder, ".pawl"));
    for (let times = 0; times < 10; times++) expect((await ide.call("loop_continue")).text).toContain("Do alpha now.");
    expect(seen(join(repository.folder, ".pawl"))).toEqual(before);
  });

  it("a look changes nothing, in whatever state", async () => {
    verifies("mcp.loop-status.read-only", "mcp.loop-status.report");
    using repository = ground({ loop: GATED });
    await using ide = await Ide.open(repository);
    const still = async (wanted: RegExp) => {
      const before = [seen(join(repository.folder, ".pawl")), seen(join(repository.folder, ".git/pawl"))];
      const said = await ide.call("loop_status");
      expect(said.text).toMatch(wanted);
      await ide.call("loop_explain");
      await ide.call("loop_status");
      expect([seen(join(repository.folder, ".pawl")), seen(join(repository.folder, ".git/pawl"))]).toEqual(before);
      return said;
    };
    await still(/no run is active in job "feature"/);
    await ide.call("run_loop", { name: "dev" });
    const running = await still(/Skill "alpha" \(1 of 2\)/);
    expect(running.data).toMatchObject({
      job: "feature",
      loop: "dev",
      status: "running",
      steps: [{ name: "alpha" }, { name: "beta" }],
    });
    await ide.call("loop_advance", { skill: "alpha", output: "a" });
    await still(/^PAUSED/);
    await ide.call("loop_continue");
    await ide.call("loop_advance", { skill: "beta", output: "b" });
    await ide.call("loop_continue");
    await ide.settled();
    const ended = await still(/is complete: success/);
    expect(ended.data).toMatchObject({ outcome: "success", steps: [{ verdict: "pass" }, { verdict: "pass" }] });
  });
});

describe("a gate", { timeout: 120_000 }, () => {
  it("is answered by the person whom the client asks; what they say stands in the journal as theirs", async () => {
    for (const generation of GENERATIONS) {
      using repository = ground({ loop: GATED });
      const asked: string[] = [];
      await using ide = await Ide.open(repository, {
        generation,
        asked: (message) => {
          asked.push(message);
          return { action: "accept", content: { option: "continue", comment: "well done" } };
        },
      });
      await ide.call("run_loop", { name: "dev" });
      const said = await ide.call("loop_advance", { skill: "alpha", output: "a" });
      expect(said.text).toContain("Do beta now.");
      expect(asked).toEqual([expect.stringContaining('"alpha" is done. Go on?')]);
      const answers = repository.events(said.data).flatMap(({ answer, by }) => (answer ? [{ ...answer, by }] : []));
      expect(answers).toMatchObject([
        { channel: "elicitation", who: "Test Person", by: "Test Person", comment: "well done" },
      ]);
    }
  });

  it.each(["decline", "cancel"] as const)("that the client answers with %s is still open", async (action) => {
    using repository = ground({ loop: GATED });
    await using ide = await Ide.open(repository, { asked: () => ({ action }) });
    await ide.call("run_loop", { name: "dev" });
    expect((await ide.call("loop_advance", { skill: "alpha", output: "a" })).text).toMatch(/^PAUSED/);
    expect(recordOf(repository).status).toBe("paused");
  });

  it("of a loop that wants a person is asked about again when the agent says to go on after a form was closed", async () => {
    for (const generation of GENERATIONS) {
      using repository = ground({ loop: `${GATED}gate_channel: person\n` });
      const replies = [{ action: "cancel" }, { action: "accept", content: { option: "continue" } }] as const;
      let asked = 0;
      await using ide = await Ide.open(repository, {
        generation,
        asked: () => replies[asked++] ?? { action: "cancel" },
      });
      await ide.call("run_loop", { name: "dev" });
      expect((await ide.call("loop_advance", { skill: "alpha", output: "a" })).text).toMatch(/^PAUSED/);
      const said = await ide.call("loop_continue", { option: "continue" });
      expect(said.text).toContain("Do beta now.");
      const answers = repository.events(said.data).flatMap(({ answer }) => (answer ? [answer] : []));
      expect([asked, answers]).toMatchObject([2, [{ channel: "elicitation" }]]);
    }
  });

  it("takes the agent's word only where the loop allows the chat, and says so in the journal", async () => {
    using repository = ground({ loop: GATED });
    await using ide = await Ide.open(repository);
    await ide.call("run_loop", { name: "dev" });
    const paused = await ide.call("loop_advance", { skill: "alpha", output: "approved by the user" });
    expect(paused.text).toContain("call loop_continue with option: continue | pause | abandon");
    const said = await ide.call("loop_continue", { option: "continue", comment: "they said yes" });
    const answers = repository.events(said.data).flatMap(({ answer, by }) => (answer ? [{ ...answer, by }] : []));
    expect(answers).toMatchObject([{ channel: "chat", who: "chat", by: "chat", comment: "they said yes" }]);
  });

  it("of a loop that wants a person stays closed, however often the agent says to go on", async () => {
    using repository = ground({ loop: `${GATED}gate_channel: person\n` });
    await using ide = await Ide.open(repository);
    const { data } = await ide.call("run_loop", { name: "dev" });
    const paused = await ide.call("loop_advance", { skill: "alpha", output: "a" });
    expect(paused.text).toContain(`They type: pawl answer ${data.run} [continue|pause|abandon]`);
    const before = seen(join(repository.folder, ".pawl"));
    for (let times = 0; times < 10; times++) {
      const said = await ide.call("loop_continue", { option: "continue" });
      expect([said.isError, said.text]).toEqual([
        true,
        expect.stringContaining("takes the word of a person, not of an agent"),
      ]);
    }
    expect(seen(join(repository.folder, ".pawl"))).toEqual(before);
    expect((await repository.json(["answer", data.run, "continue"])).code).toBe(3);
    expect((await ide.call("loop_status")).text).toContain("Do beta now.");
  });
});
