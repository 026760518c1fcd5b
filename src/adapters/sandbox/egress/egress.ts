// Opens the way out of one sandbox: a folder with the proxy's socket and the bridge, for the owner of the workspace alone.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  lstatSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Egress, EgressWish } from "../../../ports/egress.js";
import { BRIDGE, FIND_NODE } from "./bridge.js";
import { EgressProxy, LIMITS, type ProxyLimits, type Told } from "./proxy.js";
import { type Outside, realOutside } from "./way.js";

/** The kernel takes no longer path for a socket. */
const SOCKET_PATH_CHARS_MAX = 107;
export const LOG_LINES_MAX = 5_000;

export async function openEgress(
  wish: EgressWish,
  { outside = realOutside, limits = LIMITS }: { outside?: Outside; limits?: ProxyLimits } = {},
): Promise<Egress> {
  const folder = makeFolder();
  const socketPath = join(folder, "proxy.sock");
  const bridge = join(folder, "bridge.cjs");
  const { allow, routes = [], workspace } = wish;
  const proxy = new EgressProxy({ allow, routes, outside, limits, tell: logger(wish.log) });
  const close = async () => {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileSync(bridge, BRIDGE);
    await proxy.listen(socketPath);
    chmodSync(socketPath, 0o600);
    giveTo(workspace, [folder, bridge, socketPath]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    folder,
    wrap: (argv) => ["sh", "-c", FIND_NODE, "sh", realpathSync(process.execPath), bridge, socketPath, ...argv],
    refused: () => [...proxy.refused],
    [Symbol.asyncDispose]: close,
  };
}

function makeFolder(): string {
  const base = realpathSync(tmpdir());
  const fits = join(base, "pawl-egress-XXXXXX", "proxy.sock").length <= SOCKET_PATH_CHARS_MAX;
  return realpathSync(mkdtempSync(join(fits ? base : "/tmp", "pawl-egress-")));
}

/** Root works as the workspace's owner inside, and nobody else is to find an open door. mkdtemp has made the folder 0700. */
function giveTo(workspace: string, paths: string[]) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = lstatSync(workspace);
  for (const path of paths) chownSync(path, uid, gid);
}

export function logger(path: string): (told: Told) => void {
  let lines = 0;
  return (told) => {
    lines += 1;
    if (lines > LOG_LINES_MAX) return;
    const text = lines === LOG_LINES_MAX ? { host: "…", verdict: "cut", why: "the log is full" } : told;
    try {
      appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
    } catch {
      // a full disk: the watch of the sandbox says so
    }
  };
}
