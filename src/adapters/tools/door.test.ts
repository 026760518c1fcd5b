import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Door, DoorWish } from "../../ports/door.js";
import { ANSWER_BYTES_MAX, CALL_BYTES_MAX, CALLS_MAX, openDoor } from "./door.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "door-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (answer: DoorWish["answer"]): Promise<Door> =>
  openDoor({ nonce: "n0", log: join(folder, "tools.jsonl"), mask: (text) => text.replaceAll("SECRET", "***"), answer });
/** What comes back for these bytes. */
const said = (door: Door, text: string): Promise<string> =>
  new Promise((done) => {
    let told = "";
    const socket = connect(join(door.folder, "s"), () => socket.end(text));
    socket.on("data", (part) => {
      told += part;
    });
    socket.on("error", () => undefined).on("close", () => done(told));
  });
const call = (name: string, args: unknown, nonce = "n0") => JSON.stringify({ nonce, name, args: JSON.stringify(args) });
const log = () => readFileSync(join(folder, "tools.jsonl"), "utf8");

test("a call is answered and written down, without the nonce and with secrets blotted out", async () => {
  await using door = await open(async (name, args) => `${name} ${JSON.stringify(args)}`);
  expect(await said(door, call("find", { text: "SECRET" }))).toBe('{"text":"find {\\"text\\":\\"SECRET\\"}"}');
  expect(log()).toContain('"name":"find"');
  expect(log()).not.toMatch(/SECRET|n0/);
});

test.each([
  ["another's nonce", call("find", {}, "n1"), "this is not the agent of this visit"],
  ["no JSON", "rm -rf /", "the call must be a JSON object"],
  ["nothing", "", "the call must be a JSON object"],
  ["a list for arguments", call("find", [1]), 'the arguments of \\"find\\" must be a JSON object'],
  ["no name", JSON.stringify({ nonce: "n0" }), "say which tool"],
])("%s is refused, and nothing is called", async (_what, text, why) => {
  let calls = 0;
  await using door = await open(async () => String(++calls));
  expect(await said(door, text)).toContain(why);
  expect(calls).toBe(0);
});

test("what a tool throws is told; one that ignores its signal does not hold the end of the visit up", async () => {
  const door = await open(async (name) => {
    if (name === "hang") return new Promise(() => undefined);
    throw new Error("no such page");
  });
  expect(await said(door, call("find", {}))).toBe('{"error":"no such page"}');
  const hangs = said(door, call("hang", {}));
  await new Promise((done) => setTimeout(done, 50));
  await door[Symbol.asyncDispose]();
  expect(await hangs).toBe("");
  expect(existsSync(door.folder)).toBe(false);
});

test("a call, an answer and the calls of a visit are bounded", async () => {
  await using door = await open(async () => "x".repeat(ANSWER_BYTES_MAX + 1));
  const { text } = JSON.parse(await said(door, call("a", {})));
  expect(text).toMatch(new RegExp(`x\\n\\(cut: ${ANSWER_BYTES_MAX + 1} bytes in all\\)$`));
  expect(await said(door, "x".repeat(CALL_BYTES_MAX + 1))).not.toContain("text");
  for (let i = 2; i < CALLS_MAX; i++) await said(door, "");
  expect(await said(door, call("a", {}))).toContain(`a visit may make ${CALLS_MAX} calls`);
});

test("the program beside the socket is all that somebody with Node needs", async () => {
  await using door = await open(async (_name, args) => `got ${JSON.stringify(args)}`);
  const child = spawn("sh", ["-c", `${door.call} find '{"a": 1}'`], { env: { ...process.env, PAWL_NONCE: "n0" } });
  let out = "";
  child.stdout.on("data", (part) => {
    out += part;
  });
  const code = await new Promise((done) => child.on("close", done));
  expect([code, out]).toEqual([0, 'got {"a":1}\n']);
});
