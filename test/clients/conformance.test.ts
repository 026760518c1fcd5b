// What every performer must do with a client that misbehaves: the same double, in each client's words.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acp } from "../../src/adapters/agents/acp/index.js";
import { type Exit, startProgram } from "../../src/adapters/agents/child.js";
import { claudeCode } from "../../src/adapters/agents/claude-code/index.js";
import { codex } from "../../src/adapters/agents/codex/index.js";
import { command } from "../../src/adapters/agents/command.js";
import { marked } from "../../src/adapters/agents/mark.js";
import { OUTPUT_CHARS_MAX } from "../../src/core/limits.js";
import type { Agent, AgentEnd, Turn } from "../../src/ports/agent.js";
import type { Outcome, SandboxTask } from "../../src/ports/sandbox.js";

const DOUBLE = fileURLToPath(new URL("double.mjs", import.meta.url));
const host = { env: { PATH: process.env.PATH ?? "" }, isRoot: true };
const pace = { idleMs: 4_000, lingerMs: 500 };
const AGENTS: Record<string, Agent | undefined> = {
  command,
  "claude-code": claudeCode(host, pace),
  codex: codex(host, pace),
  acp: acp(host, pace)[0],
};

describe.each(Object.keys(AGENTS))("%s and a client that misbehaves", (as) => {
  let root: string;
  let run: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pawl-double-"));
    run = randomUUID();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function bare({ argv: [file = "", ...args], cwd, env, timeoutMs, graceMs }: SandboxTask) {
    const mark = { PAWL_RUN: run };
    const running = startProgram({ argv: [file, ...args], cwd, env: { ...env, ...mark }, timeoutMs, mark }, graceMs);
    const { stdin, stdout, stderr } = running.process;
    const ended = running.ended.then((exit) => outcomeOf(exit, timeoutMs));
    const stop = (why: "cancelled" | "timeout") => running.stop(why === "timeout" ? "time" : why);
    return { stdin, stdout, stderr, ended, stop };
  }
  async function does(
    deed: string,
    more: Partial<Turn> = {},
    signal = new AbortController().signal,
  ): Promise<AgentEnd> {
    const turn: Turn = {
      performer: as === "command" ? { use: as, run: DOUBLE } : { use: as, command: DOUBLE },
      prompt: "do it",
      access: "write",
      workspace: root,
      artifacts: root,
      visitFolder: join(root, "visit"),
      env: { PATH: process.env.PATH ?? "", PAWL_RUN: run, DOUBLE_AS: as, DOUBLE: deed },
      session: randomUUID(),
      resume: false,
      timeoutMs: 30_000,
      sandbox: bare,
      onLine: () => {},
      mask: (text) => text,
      ...more,
    };
    const end = await AGENTS[as]?.perform(turn, signal);
    if (!end) throw new Error(`unreachable: there is "${as}"`);
    expect(marked({ PAWL_RUN: run }), "nothing of it is alive").toEqual([]);
    return end;
  }
  const isCommand = as === "command";

  test.each(["fine", "limit in prose", "promise", "question", "noise", "halves", "huge", "survivor"])(
    "%s: it finished, and what it said settles nothing else",
    async (deed) => {
      const end = await does(deed);
      expect(end).toMatchObject({ end: "finished", denials: [] });
      if (deed === "halves") expect(end.output).toContain("€ äöü");
      if (deed === "huge") expect(end.output).toMatch(/All well\.$/);
      expect(end.output.length).toBeLessThanOrEqual(OUTPUT_CHARS_MAX);
    },
  );

  test("an end without its closing event is no end, whatever the exit code", async () => {
    const end = await does("empty");
    if (isCommand)
      expect(end).toMatchObject({ end: "finished", output: "" }); // its exit code is all it has
    else expect(end).toMatchObject({ end: "fault", fault: { class: "crash" } });
  });

  test("the closing event stands above the exit code, both ways", async () => {
    const broken = await does("error, exit 0");
    const well = await does("success, exit 1");
    if (isCommand) expect([broken.end, well.end]).toEqual(["finished", "failed"]);
    else expect([broken.end, well.end]).toEqual(["fault", "finished"]);
  });

  test("a limit that the client tells as its end is one, with its time; of a command only its exit code counts", async () => {
    const end = await does("limit event");
    if (isCommand) expect(end).toMatchObject({ end: "failed" });
    else {
      const until = new Date((1_900_000_000 + 120) * 1000).toISOString();
      const isFar = 1_900_000_000_000 - Date.now() > 32 * 24 * 3_600_000; // then it is misread, and not believed
      expect(end).toMatchObject({ end: "fault", fault: { class: "limit", ...(isFar ? {} : { until }) } });
    }
  });

  test("one that hangs is ended by the clock, or by its silence", async () => {
    expect(await does("hang", { timeoutMs: 1_500 })).toMatchObject({ end: "limit", limit: "time" });
    if (!isCommand) expect(await does("hang")).toMatchObject({ end: "fault", fault: { class: "idle" } });
  });

  test("one that ignores TERM, with a child in a session of its own, is gone when it is cancelled", async () => {
    const control = new AbortController();
    setTimeout(() => control.abort(), 1_500);
    expect(await does("deaf", {}, control.signal)).toMatchObject({ end: "cancelled" });
  });

  test("a folder of the visit that cannot be written ends the log, not the work", async () => {
    expect(await does("fine", { visitFolder: "/dev/null/visit" })).toMatchObject({ end: "finished" });
  });
});

function outcomeOf({ stop, code, how }: Exit, timeoutMs: number): Outcome {
  if (stop === "cancelled") return { end: "cancelled" };
  if (stop === "time") return { end: "limit", limit: "time", value: timeoutMs };
  return code === null ? { end: "signal", signal: how } : { end: "exit", code };
}
