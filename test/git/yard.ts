// A real git repository in a folder of its own, with a HOME of its own: the user's configuration is neither read nor written.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openGit } from "../../src/adapters/git/repository.js";
import type { FailPoint } from "../../src/ports/fail-points.js";
import type { CommitEnd, CommitWish, Git } from "../../src/ports/git.js";

export class Yard implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-git-")));
  readonly home = join(this.base, "home");
  readonly ran = join(this.base, "ran");
  readonly top: string;
  readonly env: Record<string, string>;

  /** `start`: how the folder begins. */
  constructor(
    start: "one-commit" | "no-commit" | "no-git" = "one-commit",
    readonly name = "tree with ünïcode",
  ) {
    this.top = join(this.base, name);
    for (const folder of [this.home, this.ran, this.top, join(this.base, "visit")])
      mkdirSync(folder, { recursive: true });
    this.env = { PATH: process.env.PATH ?? "", HOME: this.home, GIT_CONFIG_NOSYSTEM: "1" };
    writeFileSync(
      join(this.home, ".gitconfig"),
      "[user]\n\tname = Ann\n\temail = ann@example.invalid\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n",
    );
    if (start === "no-git") return;
    this.git("init", "-q");
    if (start === "no-commit") return;
    this.write("a.txt", "hello\n");
    this.save("start");
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.top,
      env: this.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
  sh(script: string): void {
    execFileSync("bash", ["-c", script], { cwd: this.top, env: { ...this.env, RAN: this.ran }, stdio: "ignore" });
  }
  save(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-qm", message);
  }
  write(path: string, text: string | Buffer, mode = 0o644): void {
    const whole = join(this.top, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    chmodSync(whole, mode);
  }
  read(path: string): string {
    return readFileSync(join(this.top, path), "utf8");
  }
  open(at?: FailPoint, folder = this.top): Promise<Git> {
    return openGit({ folder, env: this.env, ...(at ? { at } : {}) });
  }
  async wish(git: Git, paths: string[], more: Partial<CommitWish> = {}): Promise<CommitWish> {
    return {
      paths,
      message: "feat: work",
      intent: join(this.base, "visit", "commit.json"),
      signposts: await git.signposts(),
      hook: async () => ({ code: 0, output: "" }),
      ...more,
    };
  }
  async commit(paths: string[], more: Partial<CommitWish> = {}): Promise<CommitEnd> {
    const git = await this.open();
    return git.commit(await this.wish(git, paths, more));
  }
  head(): string {
    return this.git("rev-parse", "HEAD").trim();
  }
  count(): number {
    return Number(this.git("rev-list", "--count", "HEAD"));
  }
  /** What ran on the host although nobody asked. */
  ranOnHost(): string[] {
    return existsSync(this.ran) ? readdirSync(this.ran) : [];
  }
  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
