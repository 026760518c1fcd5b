// What the user's own configuration says, read once before anything else runs. Asking executes nothing.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Place } from "./place.js";
import { runProgram } from "./program.js";
import { findGit, type HostEnv, outsidePath, QUIET_ENV, splitZero } from "./quiet.js";

export interface Facts {
  user?: { name: string; email: string };
  /** The user's own excludes file; it need not exist. */
  excludesFile: string;
  /** "true" or "input": git turns CRLF into LF without being told by an attribute. */
  convertsCrlf: boolean;
  /** False: the executable bit on disk says nothing. */
  fileMode: boolean;
  algorithm: "sha1" | "sha256";
  hooksPath?: string;
}

export const NO_FACTS: Facts = { excludesFile: "/dev/null", convertsCrlf: false, fileMode: true, algorithm: "sha1" };

export async function readFacts(place: Required<Place>, host: HostEnv): Promise<Facts> {
  const ask = (...from: string[]) => readSettings(place, host, from);
  const asked = [
    host.GIT_CONFIG_NOSYSTEM ? [] : ask("--system", "--includes"),
    ask("--global", "--includes"),
    ask("--file", join(place.commonDir, "config")), // without its includes: the repository is not the user's
  ];
  const settings = new Map((await Promise.all(asked)).flat()); // later ones win, as in git
  const name = host.GIT_AUTHOR_NAME || settings.get("author.name") || settings.get("user.name");
  const email = host.GIT_AUTHOR_EMAIL || settings.get("author.email") || settings.get("user.email");
  const hooksPath = settings.get("core.hookspath");
  return {
    ...(name && email ? { user: { name, email } } : {}),
    excludesFile: excludesFile(settings.get("core.excludesfile"), host, place.workspace),
    convertsCrlf: /^(true|yes|on|1|input)$/i.test(settings.get("core.autocrlf") ?? ""),
    fileMode: !/^(false|no|off|0)$/i.test(settings.get("core.filemode") ?? ""),
    algorithm: settings.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1",
    ...(hooksPath ? { hooksPath: resolve(place.workspace, atHome(hooksPath, host)) } : {}),
  };
}

const KEYS =
  "^(user|author)\\.(name|email)$|^core\\.(excludesfile|autocrlf|filemode|hookspath)$|^extensions\\.objectformat$";

async function readSettings(place: Required<Place>, host: HostEnv, from: string[]): Promise<[string, string][]> {
  const own = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
  const env: Record<string, string> = { ...QUIET_ENV, PATH: outsidePath(host, place.workspace).join(":") };
  delete env.GIT_CONFIG_NOSYSTEM;
  delete env.GIT_CONFIG_GLOBAL;
  for (const key of own) if (host[key] !== undefined) env[key] = host[key];
  const ended = await runProgram({
    file: findGit(host, place.workspace),
    args: ["--no-pager", "config", ...from, "--null", "--get-regexp", KEYS],
    cwd: "/",
    // named, so that "includeIf gitdir:" is answered
    env: { ...env, GIT_DIR: place.gitDir, GIT_COMMON_DIR: place.commonDir },
  });
  if (ended.code !== 0) return []; // no such file, or nothing in it
  return splitZero(ended.stdout).map((pair) => {
    const cut = pair.indexOf("\n");
    return cut < 0 ? [pair, "true"] : [pair.slice(0, cut), pair.slice(cut + 1)];
  });
}

function excludesFile(named: string | undefined, host: HostEnv, workspace: string): string {
  if (named) return resolve(workspace, atHome(named, host));
  return join(host.XDG_CONFIG_HOME || join(host.HOME || homedir(), ".config"), "git", "ignore");
}

function atHome(path: string, host: HostEnv): string {
  return path.startsWith("~/") ? join(host.HOME || homedir(), path.slice(2)) : path;
}
