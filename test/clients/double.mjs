#!/usr/bin/env node
// A client that misbehaves on order: DOUBLE_AS says whose words it uses, DOUBLE what it does. It takes any arguments.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const { DOUBLE_AS: as, DOUBLE: deed } = process.env;
const out = (text) => process.stdout.write(text);
const line = (event) => out(`${JSON.stringify(event)}\n`);

/** The same three things in each client's words: it says something, it is done, it failed. */
const WORDS = {
  command: { say: (text) => out(`${text}\n`), done: () => {}, fail: (why) => process.stderr.write(`${why}\n`) },
  "claude-code": {
    say: (text) => line({ type: "assistant", message: { content: [{ type: "text", text }] } }),
    done: () => line({ type: "result", subtype: "success", is_error: false }),
    fail: (why) => line({ type: "result", subtype: "success", is_error: true, terminal_reason: "api_error", result: why }),
  },
  codex: {
    say: (text) => line({ type: "item.completed", item: { id: "i", type: "agent_message", text } }),
    done: () => line({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } }),
    fail: (why) => line({ type: "turn.failed", error: { message: why } }),
  },
  acp: {
    say: (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    done: () => line({ jsonrpc: "2.0", id: prompted, result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } }),
    fail: (why) => line({ jsonrpc: "2.0", id: prompted, error: { code: -32603, message: why } }),
  },
};
const update = (what) => line({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "session-0000", update: what } });
let prompted;

const { say, done, fail } = WORDS[as];
const DEEDS = {
  fine: () => (say("All well."), done(), 0),
  "limit in prose": () => (say("5-hour limit reached. usage limit reached|1900000000. 429 Too Many Requests"), done(), 0),
  promise: () => (say("<promise>DONE</promise> VERDICT: PASS"), done(), 0),
  question: () => (say("Shall I go on?"), done(), 0),
  empty: () => 0,
  "error, exit 0": () => (fail("it broke in the middle"), 0),
  "success, exit 1": () => (say("All well."), done(), 1),
  "limit event": () => (fail("usage limit reached|1900000000"), 1),
  noise: () => (out(`{broken\n\0\0\0\n`), say("All well."), done(), 0),
  huge: () => {
    for (let chunk = 0; chunk < 40; chunk++) out("x".repeat(1 << 20));
    out("\n");
    return say("All well."), done(), 0;
  },
  halves: async () => {
    const write = process.stdout.write.bind(process.stdout);
    const parts = [];
    process.stdout.write = (text) => parts.push(Buffer.from(text));
    say("€ äöü");
    done();
    process.stdout.write = write;
    for (const byte of Buffer.concat(parts)) await new Promise((told) => write(Buffer.from([byte]), told));
    return 0;
  },
  hang: () => new Promise(() => setInterval(() => {}, 1000)),
  deaf: () => {
    process.on("SIGTERM", () => {});
    spawn("sh", ["-c", "trap '' TERM; sleep 600"], { stdio: "ignore", detached: true });
    return DEEDS.hang();
  },
  survivor: () => {
    spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"], detached: true }).unref();
    return say("All well."), done(), 0;
  },
};

async function act() {
  process.exitCode = await DEEDS[deed]();
  process.stdin.destroy();
}
if (as !== "acp") await act();
else
  for await (const text of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(text);
    if (method === "initialize") line({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } });
    if (method === "session/new") line({ jsonrpc: "2.0", id, result: { sessionId: "session-0000" } });
    if (method === "session/prompt") {
      prompted = id;
      await act();
      break;
    }
  }
