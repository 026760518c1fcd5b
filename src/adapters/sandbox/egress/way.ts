// One way to one host: may it be taken, and to which address. A name is looked up once, here, and that very address is used.
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { kindOf } from "./addresses.js";

export const CONNECT_MS_MAX = 10_000;
const ADDRESSES_TRIED_MAX = 4;

/** The world outside; tests hand in another. */
export interface Outside {
  lookup(name: string): Promise<string[]>;
  connect(address: string, port: number): Socket;
}
export const realOutside: Outside = {
  lookup: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect: (address, port) => connect({ host: address, port }),
};
export interface Target {
  host: string;
  port: number;
}
/** `status` is what the client is told; 403 is our own no. */
export class NoWay extends Error {
  constructor(
    readonly status: 403 | 502 | 503,
    message: string,
  ) {
    super(message);
  }
}

/** Throws NoWay. */
export async function open(target: Target, allowed: ReadonlySet<string>, outside: Outside): Promise<Socket> {
  const { host, port } = target;
  if (!allowed.has(`${host}:${port}`)) throw new NoWay(403, "is not named in `isolation: {egress: […]}`");
  const addresses = await addressesOf(host, outside);
  let trouble = "no address";
  for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    const socket = await connected(outside.connect(address, port));
    if (typeof socket !== "string") return socket;
    trouble = socket;
  }
  throw new NoWay(502, `cannot be reached (${trouble})`);
}

async function addressesOf(host: string, outside: Outside): Promise<string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal)) {
    if (kindOf(literal) === "own") throw new NoWay(403, "is this machine itself");
    return [literal]; // named as an address by the author: a private network is meant
  }
  const found = await outside.lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw new NoWay(502, `cannot be found (${error.code ?? "no answer"})`);
  });
  const bad = found.find((address) => kindOf(address) !== "public");
  if (bad !== undefined)
    throw new NoWay(403, `leads to "${bad}", a private address; name the address itself if that is meant`);
  return found.sort((a, b) => isIP(a) - isIP(b));
}

/** The socket, or why not. */
function connected(socket: Socket): Promise<Socket | string> {
  return new Promise((done) => {
    const timer = setTimeout(() => {
      socket.destroy();
      done("no answer in time");
    }, CONNECT_MS_MAX);
    socket.once("connect", () => {
      clearTimeout(timer);
      done(socket);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      done(error.code ?? "refused");
    });
  });
}
