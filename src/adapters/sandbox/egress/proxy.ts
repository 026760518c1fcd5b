// The proxy itself: CONNECT and plain HTTP to hosts that are named, routes with a key of ours, and nothing else. What comes from
// the sandbox is hostile: everything is bounded, and the log gets hosts only.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { EgressRoute } from "../../../ports/egress.js";
import { serveRoute } from "./route.js";
import { NoWay, type Outside, open, type Target } from "./way.js";

export interface ProxyLimits {
  /** At once. */
  connections: number;
  /** All connections together, both ways. */
  bytes: number;
  /** Without a byte. */
  idleMs: number;
}
export const LIMITS: ProxyLimits = { connections: 128, bytes: 16 * 2 ** 30, idleMs: 120_000 };
const HEADER_MS_MAX = 30_000;
const HEADER_BYTES_MAX = 16_384;
const WEIGH_EVERY_MS = 200;
const REFUSED_KEPT_MAX = 10;
const HOST_CHARS_MAX = 260;

export interface Told {
  /** `host:port`, or the name of a route. */
  host: string;
  verdict: "allowed" | "refused" | "failed";
  why?: string;
  sent: number;
  received: number;
}
export interface ProxyWish {
  allow: string[];
  routes: EgressRoute[];
  outside: Outside;
  limits: ProxyLimits;
  tell(told: Told): void;
}

export class EgressProxy {
  readonly refused = new Set<string>();
  private readonly server: Server;
  private readonly sockets = new Set<Duplex>();
  private readonly allowed: ReadonlySet<string>;
  private readonly fars = new Set<Socket>();
  /** Bytes of connections that are over. */
  private gone = 0;
  private isSpent = false;
  private readonly scales = setInterval(() => this.weigh(), WEIGH_EVERY_MS);

  constructor(private readonly wish: ProxyWish) {
    this.allowed = new Set(wish.allow);
    this.scales.unref();
    this.server = createServer({ maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HEADER_MS_MAX, requestTimeout: 0 });
    this.server.maxConnections = wish.limits.connections;
    this.server.on("connection", (socket) => this.hold(socket));
    this.server.on("connect", (asked, near, head) => void this.tunnel(asked.url ?? "", near, head));
    this.server.on("request", (asked, answer) => void this.carry(asked, answer));
    this.server.on("clientError", (_, socket) => socket.destroy());
  }
  listen(path: string): Promise<void> {
    return new Promise((done, fail) => this.server.once("error", fail).listen(path, done));
  }
  async close(): Promise<void> {
    clearInterval(this.scales);
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((done) => this.server.close(() => done()));
  }

  private hold(socket: Duplex) {
    this.sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.sockets.delete(socket));
    if ("setTimeout" in socket) (socket as Socket).setTimeout(this.wish.limits.idleMs, () => socket.destroy()); // as just asked
  }
  /** Every byte of both ways counts against one bound, which ends all of them. */
  private weigh() {
    let bytes = this.gone;
    for (const far of this.fars) bytes += far.bytesRead + far.bytesWritten;
    this.isSpent = bytes > this.wish.limits.bytes;
    if (this.isSpent) for (const far of this.fars) far.destroy();
  }
  private async open(target: Target): Promise<Socket> {
    this.weigh();
    if (this.isSpent) throw new NoWay(503, "is refused: the way out has carried all it may carry");
    const far = await open(target, this.allowed, this.wish.outside);
    this.hold(far);
    this.fars.add(far);
    far.once("close", () => {
      this.fars.delete(far);
      this.gone += far.bytesRead + far.bytesWritten;
    });
    return far;
  }
  private told(host: string, far: Socket) {
    far.once("close", () =>
      this.wish.tell({ host, verdict: "allowed", sent: far.bytesWritten, received: far.bytesRead }),
    );
  }
  private no(host: string, error: unknown): NoWay {
    const why = error instanceof NoWay ? error : new NoWay(502, "cannot be reached");
    if (why.status === 403 && this.refused.size < REFUSED_KEPT_MAX) this.refused.add(host);
    this.wish.tell({
      host,
      verdict: why.status === 403 ? "refused" : "failed",
      why: why.message,
      sent: 0,
      received: 0,
    });
    return why;
  }

  private async tunnel(url: string, near: Duplex, head: Buffer): Promise<void> {
    const target = targetOf(url);
    const host = shown(target);
    try {
      if (!target) throw new NoWay(403, "is no host and port");
      const far = await this.open(target);
      if (near.destroyed) return void far.destroy();
      this.told(host, far);
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.write(head);
      near.once("close", () => far.destroy());
      far.once("close", () => near.destroy());
      near.pipe(far);
      far.pipe(near);
    } catch (error) {
      const { status, message } = this.no(host, error);
      near.end(`HTTP/1.1 ${status} ${WORDS[status]}\r\n${PLAIN}\r\n\r\npawl: "${host}" ${message}\n`);
    }
  }

  /** `GET http://host/…` as proxies are asked, or `GET /route/…`. */
  private async carry(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const route = this.wish.routes.find(({ name }) => asked.url?.startsWith(`/${name}/`));
    if (route) return serveRoute(route, asked, answer, (told) => this.wish.tell({ host: route.name, ...told }));
    const target = plainTargetOf(asked.url ?? "");
    const host = shown(target);
    try {
      if (!target) throw new NoWay(403, "is no host and port");
      const far = await this.open(target);
      this.told(host, far);
      forward(asked, answer, target, far);
    } catch (error) {
      const { status, message } = this.no(host, error);
      answer.writeHead(status, { "content-type": "text/plain", connection: "close" });
      answer.end(`pawl: "${host}" ${message}\n`);
      asked.resume();
    }
  }
}

const WORDS = { 403: "Forbidden", 502: "Bad Gateway", 503: "Service Unavailable" } as const;
const PLAIN = "content-type: text/plain\r\nconnection: close";

function targetOf(text: string): Target | undefined {
  const [, host = "", port] =
    /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(text.slice(0, HOST_CHARS_MAX + 6)) ?? [];
  return host && Number(port) <= 65_535 ? { host: host.toLowerCase(), port: Number(port) } : undefined;
}
function plainTargetOf(url: string): (Target & { path: string }) | undefined {
  const [, host = "", port = "80", path = ""] =
    /^http:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?(\/[^\s]*)?$/i.exec(url) ?? [];
  const target = targetOf(`${host}:${port}`);
  return target && { ...target, path: path || "/" };
}
const shown = (target: Target | undefined): string => (target ? `${target.host}:${target.port}` : "what was asked for");

/** Headers that are between a client and its proxy. */
const HOP = /^(?:proxy-.*|connection|keep-alive|te|trailer|upgrade)$/i;
function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  { path, host, port }: Target & { path: string },
  far: Socket,
) {
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !HOP.test(name)));
  const sent = request({
    createConnection: () => far,
    method: asked.method ?? "GET",
    path,
    headers: { ...headers, host: port === 80 ? host : `${host}:${port}`, connection: "close" },
  });
  sent.on("response", (heard) => {
    answer.writeHead(heard.statusCode ?? 502, heard.headers);
    heard.pipe(answer);
  });
  sent.on("error", () => answer.destroy());
  answer.once("close", () => far.destroy());
  asked.pipe(sent);
}
