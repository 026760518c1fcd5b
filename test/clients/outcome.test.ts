// What an end of Claude Code means, by streams that 2.1.332 really left (test/clients/recorded), and by some that it never should.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Heard, hear, NOTHING_HEARD } from "../../src/adapters/agents/claude-code/events.js";
import { judge } from "../../src/adapters/agents/claude-code/outcome.js";
import { Events } from "../../src/adapters/agents/stream.js";
import type { Ending } from "../../src/adapters/agents/streamed.js";

const recorded = (name: string) => readFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url));

function heardOf(bytes: Buffer): Heard {
  let heard = NOTHING_HEARD;
  const events = new Events((event) => {
    heard = hear(heard, event);
  });
  events.push(bytes);
  events.end();
  return heard;
}
const ending = (more: Partial<Ending> = {}): Ending => ({
  exit: { how: "exit code 1" },
  stderr: "",
  ms: 7,
  timeoutMs: 1000,
  idleMs: 500,
  resume: false,
  ...more,
});
const endOf = (name: string, more: Partial<Ending> = {}) => judge(heardOf(recorded(name)), ending(more));
const endOfResult = (result: Record<string, unknown>, more: Partial<Ending> = {}) =>
  judge(hear(NOTHING_HEARD, { type: "result", ...result }), ending(more));

describe("a recorded end", () => {
  test("finished: with the last message, the session, the cost and the model that answered", () => {
    expect(endOf("write")).toEqual({
      end: "finished",
      denials: [],
      output: "Done writing.",
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
      spent: { ms: 7, usd: 0.01, inputTokens: 2000, outputTokens: 100, model: "claude-opus-5-5" },
    });
  });
  test("finished, with what was refused as the rule that would allow it", () => {
    const denials = ["Write(/home/dev/project/hello.txt)", "Write(/home/dev/project/sneak.md)"];
    expect(endOf("refused")).toMatchObject({ end: "finished", denials });
  });
  test.each([
    ["max-turns", "turns", "Reached maximum number of turns (1)"],
    ["max-budget", "usd", "Reached maximum budget ($0.001)"],
  ])("%s is a limit", (name, limit, why) => {
    expect(endOf(name)).toMatchObject({ end: "limit", limit, why });
  });
  test.each([
    ["bad-request", "agent-model-error"],
    ["overloaded", "agent-overloaded"],
    ["refused-connection", "agent-overloaded"],
    ["rate", "agent-rate"],
    ["credit", "agent-quota"],
    ["auth", "agent-auth"],
    ["signed-out", "agent-auth"],
  ])("%s is the world's trouble: %s", (name, code) => {
    expect(endOf(name)).toMatchObject({ end: "fault", fault: { code, hint: expect.any(String) } });
  });
  test("an unknown session asks for a fresh one, and hands no id on", () => {
    const end = endOf("unknown-session", { resume: true });
    expect(end).toMatchObject({ end: "no-session" });
    expect(end.session).toBeUndefined();
  });
  test("cut off before its closing event it is interrupted, whatever the exit code", () => {
    const bytes = recorded("write");
    const withoutLast = bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1);
    const end = judge(heardOf(withoutLast), ending({ exit: { how: "exit code 0" }, stderr: "boom\n" }));
    expect(end).toMatchObject({ end: "fault", fault: { code: "agent-interrupted" }, output: "Done writing." });
    expect(end.end === "fault" && end.fault.message).toBe("Claude Code ended without a result (exit code 0): boom");
  });
});

describe("our own timers", () => {
  const busy = hear(NOTHING_HEARD, {
    type: "assistant",
    message: { content: [{ type: "text", text: "5-hour limit" }] },
  });
  test("time, though its text is full of limits", () => {
    const end = judge(busy, ending({ exit: { how: "SIGTERM", stop: "time" } }));
    expect(end).toMatchObject({ end: "limit", limit: "time", output: "5-hour limit" });
  });
  test("cancelled, though it had given its result", () => {
    expect(endOf("write", { exit: { how: "SIGTERM", stop: "cancelled" } })).toMatchObject({ end: "cancelled" });
  });
  test("a result that was there before the clock is the end; one that was reopened is not", () => {
    const exit = { how: "SIGTERM", stop: "time" } as const;
    expect(endOf("write", { exit })).toMatchObject({ end: "finished" });
    const reopened = hear(heardOf(recorded("write")), { type: "user" });
    expect(judge(reopened, ending({ exit }))).toMatchObject({ end: "limit", limit: "time" });
  });
  test("ended after its result, because it would not go: as if it had gone", () => {
    expect(endOf("write", { exit: { how: "SIGKILL", stop: "settled" } })).toMatchObject({ end: "finished" });
  });
  test("time, while the model's service refused call after call, is the service's trouble", () => {
    const event = { type: "system", subtype: "api_retry", error: "server_error", error_status: 529, attempt: 3 };
    const end = judge(hear(busy, event), ending({ exit: { how: "SIGTERM", stop: "time" } }));
    expect(end).toMatchObject({ end: "fault", fault: { code: "agent-overloaded", class: "overloaded" } });
  });
});

describe("words", () => {
  const failed = { subtype: "error_during_execution", is_error: true };
  test.each([
    ["usage limit reached|1760000000", "agent-rate"],
    ["You have hit your limit · resets 7pm (America/New_York)", "agent-rate"],
    ["You are out of extra usage · resets Oct 3 at 9am", "agent-rate"],
  ])("in the result of a failure: %s", (result, code) => {
    expect(endOfResult({ ...failed, result })).toMatchObject({ end: "fault", fault: { code } });
  });
  test.each([
    ["429 Too Many Requests, retry-after: 120", "agent-rate"],
    ["401 Unauthorized", "agent-auth"],
  ])("on stderr, without a result: %s", (stderr, code) => {
    expect(judge(NOTHING_HEARD, ending({ stderr }))).toMatchObject({ end: "fault", fault: { code } });
  });
  test("the second at which a limit ends is handed on, and is known for sure", () => {
    const inAnHour = Math.floor(Date.now() / 1000) + 3600;
    const end = endOfResult({ ...failed, result: `usage limit reached|${inAnHour}` });
    const until = new Date((inAnHour + 120) * 1000).toISOString();
    expect(end).toMatchObject({ end: "fault", fault: { class: "limit", until, certainty: "told" } });
  });
  test.each([
    "handle HTTP 429 Too Many Requests",
    "rate limiter added",
    "fixed the error handler",
    "usage limit reached",
  ])("of what finished count for nothing: %s", (result) => {
    const end = endOfResult({ subtype: "success", is_error: false, result });
    expect(end).toMatchObject({ end: "finished", output: result });
  });
  test("a failure without a class is the work's own", () => {
    expect(endOfResult({ ...failed, errors: ["it broke"] })).toMatchObject({ end: "failed", why: "it broke" });
  });
});

describe("a hostile stream", () => {
  test("fields of the wrong type are as if they were not there", () => {
    const end = endOfResult({ subtype: "success", is_error: "no", result: 7, total_cost_usd: -1, usage: "much" });
    expect(end).toMatchObject({ end: "finished", output: "", spent: { ms: 7 } });
    expect(end.spent.usd).toBeUndefined();
  });
  test.each(["--help", "../../etc/passwd", "a b c d e f g h", "x".repeat(500)])(
    "a session id like %s is refused",
    (id) => {
      expect(hear(NOTHING_HEARD, { type: "system", subtype: "init", session_id: id }).session).toBeUndefined();
    },
  );
  test("control characters of a final message reach nobody", () => {
    const result = "\u001b[31mred\u001b[0m\u0007 \u202eevil\r\n done";
    expect(endOfResult({ subtype: "success", is_error: false, result }).output).toBe("red evil\n done");
  });
  test("unreadable lines are counted by number, and the rest is read", () => {
    const seen: unknown[] = [];
    const events = new Events((event) => void seen.push(event));
    events.push(Buffer.from('{"a":1}\n{broken\n\0\0\0\n{"a"'));
    events.push(Buffer.from(":2}"));
    events.end();
    expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
    expect(events.unreadable).toEqual([2, 3]);
  });
});
