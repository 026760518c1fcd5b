// Speaks the Docker API over its unix socket. No client program: killing one kills nothing.
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { FaultError } from "../../../ports/errors.js";
import { fault } from "../faults.js";
import type { Place } from "./socket.js";

const CALL_MS_MAX = 60_000;
const ANSWER_BYTES_MAX = 8 << 20;
/** The oldest that has all we ask for: Docker 20.10. */
export const API_OLDEST = "1.41";

export interface Asked {
  body?: unknown;
  /** Sent as it is, instead of a body of JSON. */
  raw?: Buffer;
  /** Without one the answer may take for ever: the end of a container, the pull of an image. */
  timeoutMs?: number;
  signal?: AbortSignal;
}
export interface Answered {
  status: number;
  text: string;
  /** Undefined when the text is none. */
  json: unknown;
}

export class DockerApi {
  private version = API_OLDEST;
  constructor(readonly place: Place) {}

  /** As the engine says it must be spoken to. */
  speak(version: string) {
    this.version = version;
  }
  /** The answer, whatever its status. Throws a FaultError when the engine cannot be talked to. */
  ask(method: string, path: string, { body, raw, timeoutMs = CALL_MS_MAX, signal }: Asked = {}): Promise<Answered> {
    const bytes = raw ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const type = raw ? "application/x-tar" : "application/json";
    return new Promise((done, fail) => {
      const sent = this.request(method, path, bytes ? { "content-type": type, "content-length": bytes.length } : {});
      if (Number.isFinite(timeoutMs)) sent.setTimeout(timeoutMs, () => sent.destroy(new Error("no answer in time")));
      const stop = () => sent.destroy(new Error("stopped"));
      signal?.addEventListener("abort", stop, { once: true });
      sent.on("error", (error) => fail(this.unreachable(error)));
      sent.on("close", () => signal?.removeEventListener("abort", stop));
      sent.on("response", (heard) => void read(heard).then(done, (error) => fail(this.unreachable(error))));
      sent.end(bytes);
    });
  }
  /** The answer of a call that must succeed. Throws a FaultError with the engine's own words. */
  async call(method: string, path: string, asked: Asked = {}): Promise<unknown> {
    const answer = await this.ask(method, path, asked);
    if (answer.status < 400) return answer.json;
    throw this.refused(`${method} ${path.replace(/\?.*$/, "")}`, answer);
  }
  /** A stream both ways. Throws a FaultError. */
  attach(id: string): Promise<{ socket: Socket; head: Buffer }> {
    return new Promise((done, fail) => {
      const query = "stream=1&stdin=1&stdout=1&stderr=1";
      const headers = { connection: "Upgrade", upgrade: "tcp" };
      const sent = this.request("POST", `/containers/${id}/attach?${query}`, headers);
      sent.on("error", (error) => fail(this.unreachable(error)));
      sent.on("upgrade", (_, socket, head) => done({ socket: socket as Socket, head })); // of a request over a socket
      sent.on("response", (heard) => void read(heard).then((answer) => fail(this.refused("attach", answer)), fail));
      sent.end();
    });
  }

  private request(method: string, path: string, headers: Record<string, string | number>): ClientRequest {
    const unversioned = path === "/version" || path === "/_ping";
    return request({
      socketPath: this.place.path,
      method,
      path: unversioned ? path : `/v${this.version}${path}`,
      headers: { host: "docker", ...headers },
      agent: false,
    });
  }
  private unreachable(error: NodeJS.ErrnoException): FaultError {
    const { path, from } = this.place;
    const where = `"${path}" (${from})`;
    if (error.code === "EACCES")
      return fault(
        "sbx-docker-denied",
        `the Docker engine at ${where} may not be used by this user`,
        "`sudo usermod -aG docker $USER` and sign in again (that group is as mighty as root), or use bubblewrap or rootless Docker",
      );
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTSOCK")
      return fault(
        "sbx-docker-down",
        `no Docker engine answers at ${where}: ${error.code}`,
        "start Docker Desktop, or `sudo systemctl start docker`; then `pawl doctor`",
      );
    return fault(
      "sbx-engine",
      `the Docker engine at ${where} broke off: ${error.message}`,
      "`pawl doctor`; look at the engine's log",
    );
  }
  private refused(what: string, answer: Answered): FaultError {
    return fault(
      "sbx-engine",
      `the Docker engine refuses "${what}": ${messageOf(answer)}`,
      "`pawl doctor`; look at the engine's log",
    );
  }
}

/** The engine's own words, printable and bounded. */
export function messageOf({ status, json, text }: Answered): string {
  const said = typeof Object(json).message === "string" ? (Object(json).message as string) : text; // as just asked
  return (
    said
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, 1_000) || `status ${status}`
  );
}

async function read(heard: IncomingMessage): Promise<Answered> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of heard as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error("the answer is too long");
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString("utf8");
  return { status: heard.statusCode ?? 500, text, json: parsed(text) };
}
function parsed(text: string): unknown {
  try {
    return text.trim() ? JSON.parse(text) : undefined;
  } catch {
    return undefined; // a stream of JSON lines: whoever asked for it reads the text
  }
}
