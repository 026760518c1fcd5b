// A socket of the file system: it reaches into a sandbox without a network, through the one folder that is laid open there. Beside it
// lies a small program, so that whoever has a shell and Node can call. What comes in is an agent's: bounded, and never a path or a command.
import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../core/model.js";
import type { DoorWish, OpenDoor } from "../../ports/door.js";

/** Bytes of one call and of one answer, calls of one visit, and time of one call. */
export const CALL_BYTES_MAX = 1 << 20;
export const ANSWER_BYTES_MAX = 256 << 10;
export const CALLS_MAX = 500;
export const CALL_MS = 120_000;

export const openDoor: OpenDoor = async (wish) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-tools-"))); // short: the path of a socket has 107 bytes
  const over = new AbortController();
  const open = new Set<Socket>();
  let calls = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => undefined);
    void serve(socket, wish, { count: ++calls, over: over.signal });
  });
  await listening(server, join(folder, "s"));
  writeFileSync(join(folder, "call.cjs"), CALL, { mode: 0o644 });
  return {
    folder,
    call: `node ${folder}/call.cjs`,
    async [Symbol.asyncDispose]() {
      over.abort();
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

function listening(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(path, () => done());
  });
}

async function serve(
  socket: Socket,
  wish: DoorWish,
  { count, over }: { count: number; over: AbortSignal },
): Promise<void> {
  const given = await heard(socket);
  const told = await answerTo(given, wish, count, over).then(
    (text) => ({ text: cut(text) }),
    (error: unknown) => ({ error: cut(error instanceof Error ? error.message : String(error)) }),
  );
  try {
    appendFileSync(wish.log, `${wish.mask(JSON.stringify({ ...nameIn(given), ...told }))}\n`, { mode: 0o600 });
  } catch {
    // the log is for people; a full disk stops the step elsewhere
  }
  if (!socket.destroyed) socket.end(JSON.stringify(told));
}

/** Undefined when it is too long, or ends in the middle of nothing. */
async function heard(socket: Socket): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > CALL_BYTES_MAX) return undefined;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString("utf8");
}

async function answerTo(given: string | undefined, wish: DoorWish, count: number, over: AbortSignal): Promise<string> {
  if (given === undefined) throw new Error(`a call may have ${CALL_BYTES_MAX} bytes`);
  if (count > CALLS_MAX) throw new Error(`a visit may make ${CALLS_MAX} calls`);
  const { nonce, name, args } = parsed(given, "the call") as { nonce?: unknown; name?: unknown; args?: unknown }; // looked at next
  if (nonce !== wish.nonce) throw new Error("this is not the agent of this visit (PAWL_NONCE)");
  if (typeof name !== "string") throw new Error("say which tool: NAME, and its arguments as JSON");
  const read = typeof args === "string" ? parsed(args, `the arguments of "${name.slice(0, 100)}"`) : {};
  return Promise.race([
    wish.answer(name, read as Json, AbortSignal.any([over, AbortSignal.timeout(CALL_MS)])),
    late(over),
  ]); // JSON
}

function parsed(text: string, what: string): object {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
  } catch {
    // told below
  }
  throw new Error(`${what} must be a JSON object`);
}

/** A tool that ignores its signal is not waited for. */
function late(over: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const timer = setTimeout(() => fail(new Error(`the tool has not answered after ${CALL_MS / 1000} s`)), CALL_MS);
    over.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(new Error("the visit is over"));
    });
    timer.unref();
  });
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= ANSWER_BYTES_MAX) return text;
  return `${bytes.subarray(0, ANSWER_BYTES_MAX).toString("utf8")}\n(cut: ${bytes.length} bytes in all)`;
}

/** For the log: never the nonce. */
function nameIn(given: string | undefined): { name?: string; args?: string } {
  try {
    const { name, args } = JSON.parse(given ?? "") as { name?: unknown; args?: unknown }; // looked at here
    return { name: String(name).slice(0, 200), args: String(args).slice(0, 4_000) };
  } catch {
    return {};
  }
}

/** Runs inside the sandbox, on Node alone. */
const CALL = `const [name, args = "{}"] = process.argv.slice(2);
let told = "";
const socket = require("node:net").connect(require("node:path").join(__dirname, "s"));
socket.setEncoding("utf8");
const fail = (why) => { console.error(why); process.exitCode = 1; };
socket.on("error", (error) => fail("the tools of this run cannot be reached: " + error.message));
socket.on("data", (part) => { told += part; });
socket.on("end", () => {
  if (told === "") return fail("the tools of this run gave no answer");
  const { text, error } = JSON.parse(told);
  if (error !== undefined) return fail(error);
  process.stdout.write(text + "\\n");
});
socket.end(JSON.stringify({ nonce: process.env.PAWL_NONCE, name, args }));
`;
