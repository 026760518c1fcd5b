// A real repository in a folder of its own, and the real program run in it. Everything a journey needs, nothing it asserts.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(PACKAGE, "dist", "pawl.js");

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
  /** stdout as JSON; throws when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  json(): any;
}
export interface Options {
  env?: Record<string, string | undefined>;
  cwd?: string;
  stdin?: string;
  /** Another program instead of dist/pawl.js: the one that dies at fail points. */
  program?: string;
}

export class Repository implements Disposable {
  readonly home: string;
  private constructor(
    readonly root: string,
    /** The work tree. */
    readonly folder: string,
  ) {
    this.home = join(root, "home");
  }

  /** Files go into the first commit; `git: false` leaves the folder without a repository, "init" without a commit. */
  static make(
    files: Record<string, string> = {},
    how: { git?: boolean | "init"; name?: string; branch?: string } = {},
  ): Repository {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-test-")));
    const repository = new Repository(root, join(root, how.name ?? "repo"));
    mkdirSync(repository.folder, { recursive: true });
    mkdirSync(repository.home);
    repository.write(files);
    if (how.git === false) return repository;
    repository.git("init", "-q", "-b", how.branch ?? "main");
    repository.git("config", "user.name", "Test Person");
    repository.git("config", "user.email", "person@example.invalid");
    if (how.git !== "init") repository.commit("start");
    return repository;
  }

  /** Text that begins with `#!` becomes executable. */
  write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      if (text.startsWith("#!")) chmodSync(path, 0o755);
    }
  }
  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }
  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }
  git(...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: this.home, GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", args, { cwd: this.folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }
  /** A command line as a person pastes it. */
  sh(line: string): void {
    const env = { PATH: process.env.PATH, HOME: this.home, GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("bash", ["-c", line], { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  }
  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", message);
  }
  commits(): string[] {
    return this.git("log", "--format=%s").trim().split("\n");
  }

  /** Nothing of the tester's own environment but PATH reaches the program. */
  start(args: string[], { env = {}, cwd = this.folder, program = PROGRAM }: Options = {}): ChildProcess {
    const own = { PATH: process.env.PATH, HOME: this.home, LANG: "C.UTF-8", USER: "tester", ...env };
    return spawn(process.execPath, [program, ...args], {
      cwd,
      env: own as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
  async pawl(args: string[], options: Options = {}): Promise<Ended> {
    return ended(this.start(args, options), options.stdin);
  }
  /** The JSON answer; the exit code stands in it as `exit`, and `code` is what the process said. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async json(args: string[], options: Options = {}): Promise<any> {
    const end = await this.pawl([...args, "--json"], options);
    return { ...end.json(), code: end.code };
  }
  /** The published record of a run. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  record(run: { record: string }): any {
    return JSON.parse(readFileSync(run.record, "utf8"));
  }
  /** The events of a run. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  events(run: { journal: string }): any[] {
    return readFileSync(run.journal, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function ended(child: ChildProcess, stdin = ""): Promise<Ended> {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  child.stdin?.on("error", () => undefined).end(stdin);
  return new Promise((done) =>
    child.on("close", (code, signal) =>
      done({ code, signal, out, err, json: () => parsed(out, `${code ?? signal}: ${err}`) }),
    ),
  );
}

function parsed(out: string, otherwise: string): unknown {
  if (!out.trim()) throw new Error(`no answer; ${otherwise}`);
  return JSON.parse(out);
}

/** An agent of shell lines, as `use: command` runs it: `agent("dev", 'echo hi > a.txt')`. */
export const agents = (scripts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`agents/${name}.sh`, `${text}\n`]));
export const mapped = (...names: string[]): string =>
  `agents:\n${names.map((name) => `  ${name}: {use: command, run: "sh agents/${name}.sh"}\n`).join("")}`;
