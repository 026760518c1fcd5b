// The image of a container: one without a registry that borrows the machine's own programs, or one by name, fetched as the loop says.
import { createHash } from "node:crypto";
import type { Isolation } from "../../../core/model.js";
import { fault } from "../faults.js";
import type { Toolchain } from "../toolchain.js";
import { type DockerApi, messageOf } from "./api.js";
import { type Entry, tarOf } from "./tar.js";

/** Fetching an image may take its time, but not for ever. */
const PULL_MS_MAX = 1_800_000;
const HOST_REPOSITORY = "pawl-host";

export interface Image {
  /** What containers are made of: the id, so that nobody can put another in its place. */
  id: string;
  /** For evidence: the name with the digest the registry knows, else the id. */
  digest: string;
  /** It has no programs: the machine's own are mounted. */
  borrows: boolean;
  path?: string;
  /** Names of variables it sets. */
  variables: string[];
  /** Folders it declares to be writable for ever: they become scratch. */
  volumes: string[];
}
type Wish = Pick<Isolation, "image" | "pull">;
interface Found {
  Id: string;
  Architecture?: string;
  RepoDigests?: string[] | null;
  Config?: { Env?: string[] | null; Volumes?: Record<string, unknown> | null } | null;
}

/** Throws a FaultError `sbx-image-…`. */
export async function imageFor(
  api: DockerApi,
  wish: Wish,
  toolchain: () => Toolchain,
  signal: AbortSignal,
): Promise<Image> {
  const { image: name = "host", pull = "missing" } = wish;
  if (name === "host") return hostImage(api, toolchain(), signal);
  if (pull === "always") await fetch(api, name, signal);
  let found = await inspect(api, name, signal);
  if (!found && pull === "missing") {
    await fetch(api, name, signal);
    found = await inspect(api, name, signal);
  }
  if (!found)
    throw fault(
      "sbx-image-missing",
      `the image "${name}" is not on this machine, and \`isolation: {pull: ${pull}}\` does not fetch it`,
      `\`docker pull ${name}\`; without a network: \`docker load < FILE\`, or \`image: host\``,
    );
  mustFit(name, found);
  return imageOf(found, false);
}

/** Names and folders only; everything that could be run comes from the machine, read-only. */
async function hostImage(api: DockerApi, toolchain: Toolchain, signal: AbortSignal): Promise<Image> {
  const tar = tarOf(entriesOf(toolchain));
  const tag = createHash("sha256").update(tar).digest("hex").slice(0, 16);
  const name = `${HOST_REPOSITORY}:${tag}`;
  let found = await inspect(api, name, signal);
  if (!found) {
    const query = `fromSrc=-&repo=${HOST_REPOSITORY}&tag=${tag}`;
    await api.call("POST", `/images/create?${query}`, { raw: tar, signal });
    found = await inspect(api, name, signal);
  }
  if (!found) throw fault("sbx-engine", `the image "${name}" was made and is not there`, "`pawl doctor`");
  return imageOf(found, true);
}
function entriesOf({ links }: Toolchain): Entry[] {
  const folders = "usr etc etc/ssl etc/alternatives proc dev sys run var var/tmp home".split(" ");
  return [
    ...folders.map((path): Entry => ({ kind: "folder", path, mode: 0o755 })),
    { kind: "folder", path: "sbin", mode: 0o755 }, // a real folder: Docker's init is mounted into it
    { kind: "folder", path: "tmp", mode: 0o1777 }, // its mode wins over the one of the scratch
    { kind: "folder", path: "root", mode: 0o700 },
    ...links
      .filter(({ path }) => path !== "/sbin")
      .map(({ path, to }): Entry => ({ kind: "link", path: path.slice(1), to })),
    { kind: "file", path: "etc/passwd", text: "root:x:0:0::/tmp/home:/bin/sh\nagent:x:1000:1000::/tmp/home:/bin/sh\n" },
    { kind: "file", path: "etc/group", text: "root:x:0:\nagent:x:1000:\n" },
    { kind: "file", path: "etc/nsswitch.conf", text: "passwd: files\ngroup: files\nhosts: files dns\n" },
  ];
}

async function inspect(api: DockerApi, name: string, signal: AbortSignal): Promise<Found | undefined> {
  const answer = await api.ask("GET", `/images/${name}/json`, { signal });
  if (answer.status === 404) return undefined;
  const found = Object(answer.json) as Partial<Found>; // looked at below
  if (answer.status < 400 && typeof found.Id === "string") return found as Found; // looked at just now
  throw fault("sbx-engine", `the Docker engine cannot say what "${name}" is: ${messageOf(answer)}`, "`pawl doctor`");
}

async function fetch(api: DockerApi, name: string, signal: AbortSignal): Promise<void> {
  const query = `fromImage=${encodeURIComponent(name)}${/[:@][^/]*$/.test(name) ? "" : "&tag=latest"}`;
  const answer = await api.ask("POST", `/images/create?${query}`, { timeoutMs: PULL_MS_MAX, signal });
  const said = answer.status >= 400 ? messageOf(answer) : /"error":\s*"((?:[^"\\]|\\.)*)"/.exec(answer.text)?.[1];
  if (said === undefined) return;
  throw fault(
    "sbx-image-pull",
    `the image "${name}" could not be fetched: ${said.slice(0, 500)}`,
    `\`docker pull ${name}\` shows more; without a network: \`docker load < FILE\`, or \`image: host\``,
  );
}

const ARCHITECTURES: Record<string, string> = { x64: "amd64", arm64: "arm64" };
function mustFit(name: string, { Architecture }: Found) {
  const own = ARCHITECTURES[process.arch];
  if (!Architecture || !own || Architecture === own) return;
  throw fault(
    "sbx-image-platform",
    `the image "${name}" is for ${Architecture}, and this machine is ${own}`,
    "name the digest of the image for several processors, or the one for this machine",
  );
}

function imageOf({ Id, RepoDigests, Config }: Found, borrows: boolean): Image {
  const env = (Config?.Env ?? []).map((line) => /^([^=]+)=(.*)$/s.exec(line) ?? []);
  const path = env.find(([, name]) => name === "PATH")?.[2];
  return {
    id: Id,
    digest: RepoDigests?.[0] ?? Id,
    borrows,
    ...(path && { path }),
    variables: env.flatMap(([, name]) => (name ? [name] : [])),
    volumes: Object.keys(Config?.Volumes ?? {}),
  };
}
