// A route: plain HTTP from inside becomes a request to one address outside, with a key that the sandbox never holds.
import { type IncomingMessage, request as plain, type ServerResponse } from "node:http";
import { request as secure } from "node:https";
import type { EgressRoute } from "../../../ports/egress.js";

export interface RouteTold {
  verdict: "allowed" | "failed";
  why?: string;
  sent: number;
  received: number;
}
/** A model may think this long without a byte. */
const SILENT_MS_MAX = 600_000;
/** What a client inside has to prove who it is: a stand-in, which must not travel on. */
const CREDENTIALS = /^(?:authorization|x-api-key|api-key|x-goog-api-key|cookie|proxy-.*)$/i;
const HOP = /^(?:connection|keep-alive|te|trailer|upgrade|host)$/i;

/** `to` is ours, so it may be any address: a model that runs on this machine too. */
export function serveRoute(
  route: EgressRoute,
  asked: IncomingMessage,
  answer: ServerResponse,
  tell: (told: RouteTold) => void,
): void {
  const url = targetOf(route, asked.url ?? "");
  let received = 0;
  const over = (why?: string) =>
    tell({ verdict: why ? "failed" : "allowed", ...(why && { why }), sent: asked.socket.bytesRead, received });
  const fail = (status: number, why: string) => {
    over(why);
    if (answer.headersSent) {
      answer.destroy();
      return;
    }
    answer.writeHead(status, { "content-type": "text/plain", connection: "close" });
    answer.end(`pawl: "${route.name}" ${why}\n`);
  };
  if (!url) {
    fail(403, "leads outside its address");
    return;
  }
  const names = Object.keys(route.headers).map((name) => name.toLowerCase());
  const own = Object.entries(asked.headers).filter(
    ([name]) => !HOP.test(name) && !CREDENTIALS.test(name) && !names.includes(name),
  );
  const sent = (url.protocol === "https:" ? secure : plain)(url, {
    method: asked.method ?? "GET",
    headers: { ...Object.fromEntries(own), ...route.headers, host: url.host },
    timeout: SILENT_MS_MAX,
  });
  sent.on("response", (heard) => {
    answer.writeHead(heard.statusCode ?? 502, heard.headers);
    heard.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    heard.once("close", () => over());
    heard.pipe(answer);
  });
  sent.once("timeout", () => sent.destroy());
  sent.once("error", (error: NodeJS.ErrnoException) => fail(502, `cannot be reached (${error.code ?? "no answer"})`));
  answer.once("close", () => sent.destroy());
  asked.pipe(sent);
}

/** Undefined where `..` would leave the path of the route. */
function targetOf({ name, to }: EgressRoute, asked: string): URL | undefined {
  const base = new URL(to);
  const root = base.pathname.replace(/\/$/, "");
  const url = new URL(`${base.origin}${root}${asked.slice(name.length + 1)}`);
  return url.origin === base.origin && url.pathname.startsWith(`${root}/`) ? url : undefined;
}
