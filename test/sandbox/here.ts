// May the sandbox tests run on this machine? With PAWL_SANDBOX_REQUIRE=bubblewrap,docker what is missing fails, else it skips and says why.
import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { describe, it } from "vitest";

type Engine = "bubblewrap" | "docker";
function lacking(engine: Engine): string | undefined {
  if (process.platform !== "linux") return `this is ${process.platform}; the attacks are for Linux`;
  const programs = engine === "bubblewrap" ? ["bwrap", "cc", "git"] : ["cc", "git"];
  for (const program of programs) if (spawnSync(program, ["--version"]).error) return `"${program}" is not installed`;
  return engine === "docker" && !isThere(DOCKER_SOCKET) ? `no Docker engine listens at "${DOCKER_SOCKET}"` : undefined;
}
const DOCKER_SOCKET = (process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//, "");
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;

function withEngine(engine: Engine, title: string, body: () => void) {
  const reason = lacking(engine);
  if (reason === undefined) describe(title, body);
  else if ((process.env.PAWL_SANDBOX_REQUIRE ?? "").split(",").includes(engine))
    it(title, () => {
      throw new Error(`PAWL_SANDBOX_REQUIRE names ${engine}, and ${reason}`);
    });
  else {
    console.warn(`skipped: ${title}: ${reason}`);
    describe.skip(title, body);
  }
}
/** A `describe` for tests that need bubblewrap. */
export const withBubblewrap = (title: string, body: () => void) => withEngine("bubblewrap", title, body);
/** A `describe` for tests that need a Docker engine (scripts/with-docker.sh). */
export const withDocker = (title: string, body: () => void) => withEngine("docker", title, body);
/** What a program of ours needs to find the engine of these tests. */
export const DOCKER_ENV = { DOCKER_HOST: `unix://${DOCKER_SOCKET}` };
export const isRoot = process.getuid?.() === 0;
