// Pushes one commit of ours to the upstream of its branch, and only it. Git works in a folder of ours that borrows the objects: of the
// repository's configuration it knows the remote's address and nothing else, so that no hook, helper, filter or rewriting planted
// there runs. The user's own configuration counts, for it holds their keys.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { FaultError } from "../../ports/errors.js";
import type { PushEnd } from "../../ports/git.js";
import type { PullRequests } from "../../ports/pull-requests.js";
import { cleanLine } from "../files/text.js";
import { quote } from "./by-hand.js";
import type { Facts } from "./facts.js";
import { type Place, readHead } from "./place.js";
import { runProgram } from "./program.js";
import { findGit, type HostEnv, outsidePath, type QuietGit } from "./quiet.js";
import { NETWORK_ENV, passed } from "./remote-env.js";

/** Time of the push itself. */
const PUSH_TIMEOUT_MS = 60_000;

export interface Pushing {
  git: QuietGit;
  place: Required<Place>;
  facts: Facts;
  host: HostEnv;
  pullRequests: PullRequests;
}
interface Upstream {
  branch: string;
  /** Where this clone remembers the remote's branch. */
  tracking: string;
  remote: string;
  url: string;
  /** The remote's name of the branch, whole. */
  ref: string;
}

/** `folder` is ours. */
export async function push(pushing: Pushing, commit: string, folder: string): Promise<PushEnd> {
  const { place } = pushing;
  const branch = readHead(place).branch ?? "";
  const git = `git -C ${quote(place.workspace)} push`;
  const left = (why: string, more = ""): PushEnd => ({ end: "left", why, byHand: `${git}${more}` });
  try {
    const to = await upstreamOf(pushing, branch);
    if (typeof to === "string") return left(to, ` -u origin ${quote(branch)}`);
    const byHand = ` ${quote(to.remote)} ${quote(branch)}:${quote(to.ref)}`;
    const why = (await notSole(pushing, commit, to)) ?? refused(to.url, place.workspace);
    if (why !== undefined) return left(why, byHand);
    const gitDir = borrow(pushing, to, folder);
    try {
      const asked = await pushing.pullRequests.isOpen({ branch: to.ref.slice("refs/heads/".length), gitDir });
      if ("unknown" in asked) return left(asked.unknown, byHand);
      if (!asked.open) return left(`"${branch}" has no open pull request`, byHand);
      const trouble = await send(pushing, commit, to, gitDir);
      if (trouble !== undefined) return left(trouble, byHand);
    } finally {
      rmSync(gitDir, { recursive: true, force: true });
    }
    await pushing.git.ask(["update-ref", "-m", "pawl: push", to.tracking, commit], { codes: [0, 1, 128] }); // the remote has it either way
    return { end: "pushed", to: `${to.remote} ${to.ref}` };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return left(error.record.message);
  }
}

/** A text says why there is none to push to. */
async function upstreamOf({ git, place }: Pushing, branch: string): Promise<Upstream | string> {
  const { code, stdout } = await git.ask(["rev-parse", "--symbolic-full-name", "@{upstream}"], { codes: [0, 128] });
  const none = `"${branch}" has no upstream`;
  const file = join(place.commonDir, "config");
  const keys = ["config", "--file", file, "--null", "--get-regexp", "^(branch|remote)\\."];
  const listed = (await git.list(keys, { codes: [0, 1] })).map((pair) => {
    const cut = pair.indexOf("\n");
    return [pair.slice(0, cut), pair.slice(cut + 1)] as const;
  });
  const all = (key: string) => listed.filter(([name]) => name === key).map(([, value]) => value);
  const [remote = ""] = all(`branch.${branch}.remote`);
  const [ref = ""] = all(`branch.${branch}.merge`);
  if (code !== 0 || remote === "" || remote === "." || !ref.startsWith("refs/heads/")) return none;
  if (all(`branch.${branch}.pushremote`).length || all("remote.pushdefault").length)
    return `"${branch}" is pushed elsewhere than it is pulled from`;
  const urls = all(`remote.${remote}.pushurl`);
  const [url, more] = urls.length ? urls : all(`remote.${remote}.url`);
  if (url === undefined || more !== undefined) return `the remote "${cleanLine(remote)}" has not one address`;
  return { branch, tracking: stdout.toString("utf8").trim(), remote, url, ref };
}

async function notSole(
  { git, place }: Pushing,
  commit: string,
  { tracking, branch }: Upstream,
): Promise<string | undefined> {
  if (readHead(place).head !== commit) return `"${branch}" has moved on`;
  const count = await git.text(["rev-list", "--count", `${tracking}..${commit}`, "--"]);
  if (count === "1" || count === "0") return undefined; // none: it was pushed before a crash
  return `${count} commits of "${branch}" are not pushed, not only this one`;
}

/** What lies in the work tree may have been made by a step, with hooks of its own. */
function refused(url: string, workspace: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(url) || url.startsWith("-")) return "the remote's address is none";
  const isLocal = url.startsWith("file://") || !/^[^/]+:/.test(url);
  const way = isLocal ? relative(workspace, resolve(workspace, url.replace(/^file:\/\//, ""))) : "..";
  return way.startsWith("..") || isAbsolute(way) ? undefined : "the remote lies inside the workspace";
}

/** A git folder with the remote's address, and no more. */
function borrow({ facts }: Pushing, { remote, url, branch }: Upstream, folder: string): string {
  const gitDir = join(folder, "push.git");
  rmSync(gitDir, { recursive: true, force: true });
  for (const part of ["objects", "refs"]) mkdirSync(join(gitDir, part), { recursive: true, mode: 0o700 });
  const format =
    facts.algorithm === "sha256"
      ? "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
      : "\trepositoryformatversion = 0\n";
  const text = (word: string) => `"${word.replace(/[\\"]/g, "\\$&")}"`;
  writeFileSync(
    join(gitDir, "config"),
    `[core]\n\tbare = true\n${format}[remote ${text(remote)}]\n\turl = ${text(url)}\n`,
  );
  writeFileSync(join(gitDir, "HEAD"), `ref: refs/heads/${branch}\n`);
  return gitDir;
}

const SETTINGS = [
  "protocol.allow=never",
  ...["https", "http", "ssh", "file"].map((name) => `protocol.${name}.allow=always`),
  ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "push.gpgSign=false", "push.recurseSubmodules=no"],
  ...["push.followTags=false", "credential.interactive=false", "gc.auto=0", "maintenance.auto=false"],
];

/** What went wrong; undefined when it is there. Never forced. */
async function send(
  { place, host }: Pushing,
  commit: string,
  { url, ref }: Upstream,
  gitDir: string,
): Promise<string | undefined> {
  const shallow = join(place.commonDir, "shallow");
  const env = {
    ...passed(host, NETWORK_ENV),
    ...{ PATH: outsidePath(host, place.workspace).join(delimiter), LC_ALL: "C", GIT_DIR: gitDir },
    GIT_OBJECT_DIRECTORY: join(place.commonDir, "objects"),
    ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
    ...{ GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "never", GCM_INTERACTIVE: "never" },
    ...{ GIT_NO_LAZY_FETCH: "1", GIT_NO_REPLACE_OBJECTS: "1", GIT_OPTIONAL_LOCKS: "0", GIT_ATTR_NOSYSTEM: "1" },
  };
  const address = isAbsolute(url) || /^[^/]+:/.test(url) ? url : resolve(place.workspace, url);
  const { code, stdout, stderr } = await runProgram({
    file: findGit(host, place.workspace),
    args: [
      ...["--no-pager", ...SETTINGS.flatMap((setting) => ["-c", setting])],
      ...["push", "--porcelain", "--no-verify", "--", address, `${commit}:${ref}`],
    ],
    cwd: gitDir,
    env,
    timeoutMs: PUSH_TIMEOUT_MS,
  });
  if (code === 0) return undefined;
  const said = cleanLine(`${stdout.toString("utf8")} ${stderr}`).slice(0, 500);
  return `the push ended with ${code}: ${said}`;
}
