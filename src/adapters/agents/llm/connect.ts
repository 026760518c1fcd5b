// Asks a model's service without a time limit of its own: the built-in fetch cuts a call after 300 s of silence, and the library then
// silently asks again.
import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { Readable } from "node:stream";

/** `limitMs`: of one call, from its start to its last byte; absent: none. */
export function fetchFor(limitMs?: number): typeof fetch {
  return async (input, init) => {
    const { url, method = "POST", headers, body, signal } = asked(input, init);
    const limit = limitMs === undefined ? [] : [AbortSignal.timeout(limitMs)];
    const stop = AbortSignal.any([...limit, ...(signal ? [signal] : [])]);
    stop.throwIfAborted();
    return new Promise<Response>((answer, fail) => {
      const ask = url.protocol === "https:" ? secure : plain;
      const request = ask(url, { method, headers: { ...headers, "accept-encoding": "identity" }, signal: stop });
      request.once("response", (heard) => {
        const pairs = Object.entries(heard.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const stream = Readable.toWeb(heard) as ReadableStream; // Node's own type of the same thing
        answer(new Response(stream, { status: heard.statusCode ?? 500, headers: pairs }));
      });
      request.once("error", (error) => fail(stop.aborted ? stop.reason : error));
      request.end(body);
    });
  };
}

function asked(input: Parameters<typeof fetch>[0], init: RequestInit = {}) {
  const { method, headers, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new Error("unreachable: models are asked in text");
  return {
    url: new URL(String(input)),
    ...(method === undefined ? {} : { method }),
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? "",
    signal,
  };
}
