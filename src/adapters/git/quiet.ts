// Git that runs nobody's code: no system or global configuration, no hooks, filters of nobody's, monitors, signers, helpers or transports,
// and its folders named by us instead of looked for. Only plumbing is asked through it.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { cleanText } from "../files/text.js";
import type { Place } from "./place.js";
import { type Ended, fault, runProgram } from "./program.js";

export type HostEnv = Record<string, string | undefined>;

export interface Question {
  stdin?: string | Buffer;
  /** Another index than the user's. */
  index?: string;
  identity?: { name: string; email: string };
  /** Further `key=value` settings, stronger than our own. */
  settings?: string[];
  /** Exit codes that are answers; others are faults. */
  codes?: number[];
}

export class QuietGit {
  private readonly file: string;
  private readonly env: Record<string, string>;
  /** `guard` is called before every process and throws when the repository is no longer what it was. */
  constructor(
    private readonly place: Required<Place>,
    host: HostEnv,
    private readonly guard: () => void,
  ) {
    this.file = findGit(host, place.workspace);
    this.env = {
      ...QUIET_ENV,
      PATH: outsidePath(host, place.workspace).join(delimiter),
      GIT_DIR: place.gitDir,
      GIT_COMMON_DIR: place.commonDir,
      GIT_WORK_TREE: place.workspace,
    };
  }

  async ask(args: string[], question: Question = {}): Promise<Ended> {
    this.guard();
    const { stdin, index, identity, settings = [], codes = [0] } = question;
    const ended = await runProgram({
      file: this.file,
      args: [...QUIET_FLAGS, ...settings.flatMap((setting) => ["-c", setting]), ...args],
      cwd: this.place.workspace,
      env: {
        ...this.env,
        ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
        ...(identity === undefined ? {} : named(identity)),
      },
      ...(stdin === undefined ? {} : { stdin }),
    });
    if (codes.includes(ended.code)) return ended;
    throw fault(
      "git-failed",
      `"git ${args[0]}" ended with ${ended.code}: ${cleanText(ended.stderr).trim().slice(0, 500)}`,
    );
  }

  /** The answer as lines of text without the last newline. */
  async text(args: string[], question?: Question): Promise<string> {
    return (await this.ask(args, question)).stdout.toString("utf8").trimEnd();
  }

  /** The answer of a `-z` form. */
  async list(args: string[], question?: Question): Promise<string[]> {
    return splitZero((await this.ask(args, question)).stdout);
  }
}

export function splitZero(bytes: Buffer): string[] {
  const parts = bytes.toString("utf8").split("\0");
  parts.pop();
  return parts;
}

/** The absolute path of git, never one inside the workspace: `npx` puts `node_modules/.bin` first, and a step can write there. */
export function findGit(host: HostEnv, workspace: string): string {
  for (const folder of outsidePath(host, workspace)) {
    const file = join(folder, "git");
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // not here
    }
  }
  throw fault("git-missing", "no git is found in PATH outside the workspace", "install git, or put it in PATH");
}

export function outsidePath(host: HostEnv, workspace: string): string[] {
  return (host.PATH ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const way = relative(workspace, folder);
    return way.startsWith("..") || isAbsolute(way);
  });
}

export const QUIET_ENV: Record<string, string> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "false",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  ...named({ name: "pawl", email: "pawl@example.invalid" }),
};

// `protocol.allow`: a planted promisor remote would be fetched from, by a program of its choice, when an object is missing.
const QUIET_FLAGS = [
  "--no-pager",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "core.splitIndex=false",
    "core.fsync=committed,reference",
    "diff.external=",
    "commit.gpgsign=false",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "credential.helper=",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=UTF-8",
  ].flatMap((setting) => ["-c", setting]),
];

function named(who: { name: string; email: string }): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}
