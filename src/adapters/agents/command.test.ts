// The command agent against children that misbehave, in a bare double of the sandbox: no walls, but it ends what it started.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OUTPUT_CHARS_MAX, STREAM_BYTES_MAX } from "../../core/limits.js";
import type { Turn } from "../../ports/agent.js";
import { FaultError } from "../../ports/errors.js";
import type { Outcome, SandboxTask } from "../../ports/sandbox.js";
import { type Exit, startProgram } from "./child.js";
import { command } from "./command.js";
import { marked } from "./mark.js";

let root: string;
let run: string;
let lines: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-command-"));
  run = randomUUID();
  lines = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function bare({ argv, cwd, env, timeoutMs, graceMs }: SandboxTask) {
  const [file = "", ...args] = argv;
  const mark = { PAWL_RUN: run };
  const running = startProgram({ argv: [file, ...args], cwd, env: { ...env, ...mark }, timeoutMs, mark }, graceMs);
  const { stdin, stdout, stderr } = running.process;
  const ended = running.ended.then((exit) => outcomeOf(exit, timeoutMs));
  return {
    stdin,
    stdout,
    stderr,
    ended,
    stop: (why: "cancelled" | "timeout") => running.stop(why === "timeout" ? "time" : why),
  };
}
function outcomeOf({ stop, code, how }: Exit, timeoutMs: number): Outcome {
  if (stop === "cancelled") return { end: "cancelled" };
  if (stop === "time") return { end: "limit", limit: "time", value: timeoutMs };
  return code === null ? { end: "signal", signal: how } : { end: "exit", code };
}

const turn = (script: string, more: Partial<Turn> = {}): Turn => ({
  performer: { use: "command", run: script },
  prompt: "do it",
  access: "write",
  workspace: root,
  artifacts: root,
  visitFolder: join(root, "visit"),
  env: { PATH: process.env.PATH ?? "", PAWL_STEP: "dev" },
  session: "",
  resume: false,
  timeoutMs: 20_000,
  sandbox: bare,
  onLine: (line) => void lines.push(line),
  mask: (text) => text.replaceAll("hunter2", "***"),
  ...more,
});
const perform = (script: string, more: Partial<Turn> = {}) =>
  command.perform(turn(script, more), new AbortController().signal);
/** A script for Node, as a shell word. */
const node = (script: string) => `exec '${process.execPath}' -e '${script}'`;
const kept = (file: string) => readFileSync(join(root, "visit", file));

test("gives the prompt on stdin and the environment, and takes stdout as the output", async () => {
  const end = await perform('cat; echo; echo "$PAWL_STEP in $(pwd)"; echo noise >&2');
  expect(end).toMatchObject({ end: "finished", denials: [], output: `do it\ndev in ${root}` });
  expect(end.spent.ms).toBeGreaterThan(0);
  expect(lines).toEqual(["do it", `dev in ${root}`]);
  expect(String(kept("console.log"))).toBe("noise\n");
  expect(statSync(join(root, "visit", "stream.log")).mode & 0o777).toBe(0o600);
});

test("exit code 0 having done nothing is finished: whether it did its work is the gate's to say", async () => {
  expect(await perform("true")).toMatchObject({ end: "finished", output: "" });
});

test.each([
  ["exit 3", "the command ended with exit code 3"],
  ["echo first >&2; echo the reason >&2; exit 1", "the command ended with exit code 1: the reason"],
  ["nonsense-that-is-not-there 2>/dev/null", "the command ended with exit code 127"],
  ["kill -9 $$", "the command was ended by SIGKILL"],
])("`%s` failed, and says how", async (script, why) => {
  expect(await perform(script)).toMatchObject({ end: "failed", why });
});

test("a prompt of 5 MB and 5 MB printed before it is read do not wait for each other", async () => {
  const prompt = "p".repeat(5 << 20);
  const end = await perform("head -c 5242880 /dev/zero | tr '\\0' 'o' | fold -w 1000; wc -c", { prompt });
  expect(end).toMatchObject({ end: "finished", output: expect.stringContaining("5242880") });
});

test("a child that never reads its 5 MB prompt is no trouble", async () => {
  expect(await perform("exec 0<&-; echo hi", { prompt: "p".repeat(5 << 20) })).toMatchObject({
    end: "finished",
    output: "hi",
  });
});

test("200 MB without a line feed: bounded on disk and in memory, the line is cut and the next one read", async () => {
  const end = await perform("head -c 209715200 /dev/zero | tr '\\0' 'x'; echo; echo after");
  expect(end).toMatchObject({
    end: "finished",
    output: expect.stringMatching(/^\[… earlier[\s\S]*line cut: \d+ bytes more\]\nafter$/),
  });
  expect(end.output.length).toBeLessThanOrEqual(OUTPUT_CHARS_MAX);
  expect(kept("stream.log").length).toBeLessThan(STREAM_BYTES_MAX);
});

test("what goes beyond the cap of the stream on disk is read, dropped and said", async () => {
  const end = await perform(`yes abcdefgh | head -c ${2 * STREAM_BYTES_MAX}; echo; echo last`);
  expect(end).toMatchObject({ end: "finished", output: expect.stringMatching(/last$/) });
  const stream = kept("stream.log");
  expect(stream.length).toBeLessThan(STREAM_BYTES_MAX + 100);
  expect(String(stream.subarray(-60))).toContain(`[cut here: more than ${STREAM_BYTES_MAX} bytes]`);
});

test("a secret that it prints, even in two pieces, is blotted out on disk, on screen and in the output", async () => {
  const end = await perform("printf hun; sleep 0.1; echo ter2; echo hunter2 >&2; exit 1");
  expect(end).toMatchObject({ end: "failed", output: "***", why: "the command ended with exit code 1: ***" });
  expect(`${lines} ${kept("stream.log")} ${kept("console.log")}`).not.toContain("hunter2");
});

test("characters that come in halves, NUL bytes, CR LF and a last line without an end are read as lines", async () => {
  const script = `const w = (b) => process.stdout.write(Buffer.from(b));
    w([0xe2, 0x82]); setTimeout(() => { w([0xac, 13, 10]); w("a\\0\\0b\\n"); w("last"); }, 100);`;
  expect(await perform(node(script))).toMatchObject({ end: "finished", output: "€\nab\nlast" });
  expect(lines).toEqual(["€", "ab", "last"]);
});

test("a time-out reaches a child that ignores TERM and a grandchild in a session of its own; what it printed is kept", async () => {
  const script = `trap '' TERM; echo before; (setsid sh -c 'trap "" TERM; sleep 600' &) ; while :; do sleep 1; done`;
  const end = await perform(script, { timeoutMs: 500 });
  expect(end).toMatchObject({
    end: "limit",
    limit: "time",
    why: "the command used up its time: 500 ms",
    output: "before",
  });
  expect(marked({ PAWL_RUN: run })).toEqual([]);
});

test("a double-forked server that holds stdout open is gone after a good end", async () => {
  expect(await perform("(setsid sleep 600 &); echo up")).toMatchObject({ end: "finished", output: "up" });
  expect(marked({ PAWL_RUN: run })).toEqual([]);
});

test("cancelled before it starts, it starts nothing; cancelled at work, it answers when all is dead", async () => {
  const sandbox = () => Promise.reject(new Error("must not start"));
  expect(await command.perform(turn("true", { sandbox }), AbortSignal.abort())).toMatchObject({ end: "cancelled" });
  const control = new AbortController();
  const going = command.perform(turn("sleep 600", { onLine: () => {} }), control.signal);
  setTimeout(() => control.abort(), 200);
  expect(await going).toMatchObject({ end: "cancelled" });
  expect(marked({ PAWL_RUN: run })).toEqual([]);
});

test("trouble of the sandbox is a fault, at the start and at the end", async () => {
  const record = { code: "sbx-gone", message: "no sandbox" };
  const refused = await perform("true", { sandbox: () => Promise.reject(new FaultError(record)) });
  expect(refused).toMatchObject({ end: "fault", fault: record });
  const broken = await perform("true", {
    sandbox: async (task) => ({
      ...(await bare(task)),
      ended: Promise.resolve({ end: "fault", fault: record } as const),
    }),
  });
  expect(broken).toMatchObject({ end: "fault", fault: record });
});

test.each(["memory", "output", "processes"] as const)("the limit %s is a limit, in its unit", async (limit) => {
  const ended = Promise.resolve({ end: "limit", limit, value: 64 } as const);
  const end = await perform("true", { sandbox: async (task) => ({ ...(await bare(task)), ended }) });
  const unit = limit === "processes" ? "processes" : "bytes";
  expect(end).toMatchObject({ end: "limit", limit, why: `the command used up its ${limit}: 64 ${unit}` });
});

test("a visit folder that cannot be written ends the log, not the work", async () => {
  expect(await perform("echo hi", { visitFolder: "/dev/null/visit" })).toMatchObject({ end: "finished", output: "hi" });
});
