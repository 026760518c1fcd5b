// The way out, seen from its socket: what is named gets through, and what comes from inside is hostile.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Egress, EgressRoute } from "../../../ports/egress.js";
import { LOG_LINES_MAX, logger, openEgress } from "./egress.js";
import { LIMITS, type ProxyLimits } from "./proxy.js";
import type { Outside } from "./way.js";

let root = "";
let far: Server;
let port = 0;
let looked: string[] = [];
let asked: IncomingMessage[] = [];
/** Names as the world knows them; every public address is our own server. */
let names: Record<string, string[]> = {};
const outside: Outside = {
  lookup: async (name) => {
    looked.push(name);
    const found = names[name];
    if (!found) throw Object.assign(new Error("no"), { code: "ENOTFOUND" });
    return found;
  },
  connect: (address) => (address === "203.0.113.66" ? connect(1, "127.0.0.1") : connect(port, "127.0.0.1")),
};
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-way-")));
  [looked, asked] = [[], []];
  names = { "packages.example.com": ["203.0.113.5"] };
  far = createServer((heard, answer) => {
    asked.push(heard);
    answer.end(`far ${heard.method} ${heard.url}`);
  });
  await new Promise<void>((done) => far.listen(0, "127.0.0.1", done));
  port = (far.address() as AddressInfo).port;
});
afterEach(() => {
  far.closeAllConnections();
  far.close();
  rmSync(root, { recursive: true, force: true });
});

const log = () => join(root, "egress.log");
const logged = () =>
  readFileSync(log(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
async function opened(
  allow: string[],
  body: (way: Egress) => Promise<void>,
  how: { routes?: EgressRoute[]; limits?: Partial<ProxyLimits> } = {},
) {
  await using way = await openEgress(
    { allow, workspace: root, log: log(), ...(how.routes && { routes: how.routes }) },
    { outside, limits: { ...LIMITS, ...how.limits } },
  );
  await body(way);
}
/** What the proxy answers to CONNECT, and then what the far end does to a GET. */
function tunnel(way: Egress, target: string): Promise<string> {
  return raw(way, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`, "GET /secret-path HTTP/1.0\r\n\r\n");
}
function raw(way: Egress, first: string, then?: string): Promise<string> {
  return new Promise((done) => {
    let said = "";
    const socket = connect(join(way.folder, "proxy.sock"), () => socket.write(first));
    socket.on("data", (chunk) => {
      if (said === "" && then) socket.write(then);
      said += chunk.toString();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => done(said));
  });
}
function get(
  way: Egress,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const sent = request({ socketPath: join(way.folder, "proxy.sock"), path, headers, agent: false }, (heard) => {
      let text = "";
      heard.on("data", (chunk: Buffer) => (text += chunk.toString()));
      heard.on("end", () => done({ status: heard.statusCode ?? 0, text }));
    });
    sent.on("error", fail).end();
  });
}

it("carries to a host that is named, and logs the host and nothing of what was said", async () => {
  await opened(["packages.example.com:443"], async (way) => {
    expect(await tunnel(way, "Packages.Example.com:443")).toMatch(/^HTTP\/1.1 200 [\s\S]*far GET \/secret-path$/);
    expect(way.refused()).toEqual([]);
  });
  expect(logged()).toEqual([
    { host: "packages.example.com:443", verdict: "allowed", sent: expect.any(Number), received: expect.any(Number) },
  ]);
  expect(readFileSync(log(), "utf8")).not.toContain("secret-path");
  expect(statSync(log()).mode & 0o777).toBe(0o600);
});
it.each([
  "packages.example.com:8443",
  "example.com:443",
  "sub.packages.example.com:443",
  "packages.example.com.:443",
  "127.0.0.1:443",
  "[::1]:443",
  "packages.example.com:443@evil.com:443",
  "packages.example.com",
  "x".repeat(500),
])("refuses what is not named to the letter: %s", async (target) => {
  await opened(["packages.example.com:443"], async (way) => {
    expect(await tunnel(way, target)).toMatch(/^HTTP\/1.1 403 [\s\S]*pawl: /);
  });
  expect([looked, asked]).toEqual([[], []]);
});
it("keeps the first few refused hosts, for the message", async () => {
  await opened([], async (way) => {
    for (let i = 0; i < 12; i += 1) await tunnel(way, `host-${i}.example.com:443`);
    expect(way.refused()).toHaveLength(10);
    expect(way.refused()[0]).toBe("host-0.example.com:443");
  });
});
it.each(["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"])(
  "refuses a name that leads to the private address %s, also beside a public one",
  async (address) => {
    names["packages.example.com"] = ["203.0.113.5", address];
    await opened(["packages.example.com:443"], async (way) => {
      expect(await tunnel(way, "packages.example.com:443")).toContain(`leads to "${address}", a private address`);
    });
    expect(asked).toEqual([]);
  },
);
it("looks a name up once, and takes the next address when one does not answer", async () => {
  names["packages.example.com"] = ["203.0.113.66", "203.0.113.5"];
  await opened(["packages.example.com:443"], async (way) => {
    expect(await tunnel(way, "packages.example.com:443")).toContain("far GET");
  });
  expect(looked).toEqual(["packages.example.com"]);
});
it("takes an address of a private network when that very address is named, and this machine never", async () => {
  await opened(["10.0.0.7:443", "127.0.0.1:443"], async (way) => {
    expect(await tunnel(way, "10.0.0.7:443")).toContain("far GET");
    expect(await tunnel(way, "127.0.0.1:443")).toContain("is this machine itself");
  });
});
it("says which host cannot be found and which cannot be reached, which is no refusal", async () => {
  names["down.example.com"] = ["203.0.113.66"];
  await opened(["nowhere.example.com:443", "down.example.com:443"], async (way) => {
    expect(await tunnel(way, "nowhere.example.com:443")).toMatch(/502[\s\S]*cannot be found \(ENOTFOUND\)/);
    expect(await tunnel(way, "down.example.com:443")).toMatch(/502[\s\S]*cannot be reached \(ECONNREFUSED\)/);
    expect(way.refused()).toEqual([]);
  });
});
it("carries plain HTTP as proxies are asked, without the words meant for the proxy", async () => {
  await opened(["packages.example.com:80"], async (way) => {
    const heard = await get(way, "http://packages.example.com/a?b=c", { "proxy-authorization": "x" });
    expect(heard).toEqual({ status: 200, text: "far GET /a?b=c" });
    expect(asked[0]?.headers).toMatchObject({ host: "packages.example.com" });
    expect(asked[0]?.headers["proxy-authorization"]).toBeUndefined();
    expect(await get(way, "http://example.com/")).toMatchObject({ status: 403 });
    expect(await get(way, "/etc/passwd")).toMatchObject({ status: 403 });
  });
});
it("carries no more bytes than it may, all connections together", async () => {
  await opened(
    ["packages.example.com:443"],
    async (way) => {
      far.removeAllListeners("request");
      far.on("request", (_, answer) => {
        const more = () => {
          while (!answer.destroyed && answer.write("x".repeat(65_536)));
          if (!answer.destroyed) answer.once("drain", more);
        };
        more();
      });
      expect((await tunnel(way, "packages.example.com:443")).length).toBeGreaterThan(1_000); // and it ends
      expect(await tunnel(way, "packages.example.com:443")).toContain("has carried all it may carry");
    },
    { limits: { bytes: 100_000 } },
  );
});
it("cuts who says nothing, and who is one too many", async () => {
  const silent = createPlainServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  port = (silent.address() as AddressInfo).port;
  await opened(
    ["packages.example.com:443"],
    async (way) => {
      const first = tunnel(way, "packages.example.com:443");
      await new Promise((done) => setTimeout(done, 50));
      expect(await tunnel(way, "packages.example.com:443")).toBe("");
      expect(await first).toMatch(/^HTTP\/1.1 200/);
    },
    { limits: { idleMs: 300, connections: 1 } },
  );
  silent.close();
});
it("is not upset by noise", async () => {
  await opened(["packages.example.com:443"], async (way) => {
    expect(await raw(way, "\0\xff\r\n\r\n")).toBe("");
    await raw(way, `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
    expect(await tunnel(way, "packages.example.com:443")).toContain("far GET");
  });
});
it("ends its log at a bound, and says so in its last line", () => {
  const tell = logger(log());
  for (let i = 0; i < LOG_LINES_MAX + 5; i += 1) tell({ host: "a:443", verdict: "refused", sent: 0, received: 0 });
  expect(logged()).toHaveLength(LOG_LINES_MAX);
  expect(logged().at(-1)).toMatchObject({ verdict: "cut", why: "the log is full" });
});
it("leaves nothing when it is closed, and ends who is still connected", async () => {
  let folder = "";
  let living: Promise<string> | undefined;
  await opened(["packages.example.com:443"], async (way) => {
    folder = way.folder;
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "proxy.sock")).mode & 0o777).toBe(0o600);
    living = raw(way, "CONNECT packages.example.com:443 HTTP/1.1\r\n\r\n");
    await new Promise((done) => setTimeout(done, 100));
  });
  expect(await living).toContain("200");
  expect(existsSync(folder)).toBe(false);
});

const route = (more: Partial<EgressRoute> = {}): EgressRoute => ({
  ...{ name: "model", to: `http://127.0.0.1:${port}/base`, headers: { "x-api-key": "the real one" } },
  ...more,
});
it("adds the key of a route outside, in the place of whatever the client has", async () => {
  await opened(
    [],
    async (way) => {
      const stand = { authorization: "Bearer stand-in", "X-Api-Key": "stand-in", cookie: "a=b", "x-other": "kept" };
      expect(await get(way, "/model/v1/messages?beta=true", stand)).toEqual({
        status: 200,
        text: "far GET /base/v1/messages?beta=true",
      });
      expect(asked[0]?.headers).toMatchObject({ "x-api-key": "the real one", "x-other": "kept" });
      expect(asked[0]?.headers.authorization ?? asked[0]?.headers.cookie).toBeUndefined();
      expect(asked[0]?.headers.host).toBe(`127.0.0.1:${port}`);
    },
    { routes: [route()] },
  );
  expect(logged()).toMatchObject([{ host: "model", verdict: "allowed" }]);
  expect(readFileSync(log(), "utf8")).not.toContain("real one");
});
it.each([
  "/model/../admin",
  "/model/%2e%2e/admin",
  "/model/..%2fadmin/../../admin",
  "/model//evil.com/../../../x",
  "/models/x",
])("lets nobody out of the path of a route: %s", async (path) => {
  await opened([], async (way) => expect(await get(way, path)).toMatchObject({ status: 403 }), { routes: [route()] });
  expect(asked).toEqual([]);
});
it("says when the end of a route cannot be reached", async () => {
  await opened([], async (way) => expect(await get(way, "/model/x")).toMatchObject({ status: 502 }), {
    routes: [route({ to: "http://127.0.0.1:1" })],
  });
});
