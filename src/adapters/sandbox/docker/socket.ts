// Where an engine listens that speaks the Docker API: what the user's own client would use, else the usual places.
import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fault } from "../faults.js";

export type Env = Record<string, string | undefined>;
export interface Place {
  path: string;
  /** Who says so, for messages. */
  from: string;
}

/** Throws a FaultError for an engine on another machine: it would mount that machine's folders. */
export function placeOf(env: Env): Place {
  const named = namedBy(env);
  if (named) {
    const path = /^unix:\/\/(\/.+)$/.exec(named.host)?.[1];
    if (path) return { path, from: named.from };
    throw fault(
      "sbx-mount",
      `${named.from} names "${named.host}", an engine that is reached over a network; it cannot see this workspace`,
      "unset DOCKER_HOST, or `docker context use default`: the engine must listen on a unix socket of this machine",
    );
  }
  const places = usual(env);
  const found = places.find(({ path }) => isSocket(path));
  return found ?? { path: "/var/run/docker.sock", from: "the usual place" };
}

function usual(env: Env): Place[] {
  const home = env.HOME ?? homedir();
  const runtime = env.XDG_RUNTIME_DIR;
  return [
    { path: "/var/run/docker.sock", from: "the usual place" },
    ...(runtime ? [{ path: join(runtime, "docker.sock"), from: "rootless Docker" }] : []),
    { path: join(home, ".docker/run/docker.sock"), from: "Docker Desktop" },
    { path: join(home, ".orbstack/run/docker.sock"), from: "OrbStack" },
    { path: join(home, ".colima/default/docker.sock"), from: "Colima" },
    ...(runtime ? [{ path: join(runtime, "podman/podman.sock"), from: "Podman" }] : []),
    { path: "/run/podman/podman.sock", from: "Podman" },
  ];
}

function namedBy(env: Env): { host: string; from: string } | undefined {
  if (env.DOCKER_HOST) return { host: env.DOCKER_HOST, from: "DOCKER_HOST" };
  const folder = env.DOCKER_CONFIG ?? join(env.HOME ?? homedir(), ".docker");
  const context = env.DOCKER_CONTEXT ?? wordAt(join(folder, "config.json"), ["currentContext"]);
  if (!context || context === "default") return undefined;
  const id = createHash("sha256").update(context).digest("hex");
  const host = wordAt(join(folder, "contexts/meta", id, "meta.json"), ["Endpoints", "docker", "Host"]);
  return host ? { host, from: `the Docker context "${context}"` } : undefined;
}

/** A text in a JSON file of the user's; undefined when there is none. */
function wordAt(path: string, keys: string[]): string | undefined {
  try {
    let value: unknown = JSON.parse(readFileSync(path, "utf8"));
    for (const key of keys) value = Object(value)[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}
