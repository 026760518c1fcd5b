// The program at a real terminal: a tmux server of its own, keys typed, the screen read. Everything ends with it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { PACKAGE, type Repository } from "./repository.js";
import { until } from "./until.js";

let made = 0;

export class Terminal implements Disposable {
  private constructor(
    private readonly server: string,
    private readonly home: string,
  ) {}

  /** Runs `pawl ARGS` in the repository; when it has ended, the screen says `exit N`. */
  static open(repository: Repository, args: string[]): Terminal {
    return Terminal.run(repository, [process.execPath, join(PACKAGE, "dist", "pawl.js"), ...args]);
  }
  /** The same with any program; its words, and the values it is given, hold no single quotes. */
  static run(repository: Repository, words: string[], env: Record<string, string> = {}): Terminal {
    made += 1;
    const terminal = new Terminal(`pawl-test-${process.pid}-${made}`, repository.home);
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const quoted = ["env", ...given, ...words].map((word) => `'${word}'`).join(" ");
    const line = `${quoted}; echo "exit $?"; sleep 600`;
    terminal.tmux("-f", "/dev/null", "new-session", "-d", "-x", "130", "-y", "45", "-c", repository.folder, line);
    return terminal;
  }
  screen(): string {
    return this.tmux("capture-pane", "-p", "-S", "-200");
  }
  /** Names as tmux knows them: `Enter`, `Down`, `C-c`; other words are typed as they are. */
  keys(...keys: string[]): void {
    this.tmux("send-keys", ...keys);
  }
  async shows(text: string): Promise<string> {
    await until(() => this.screen().includes(text), `"${text}" on the screen`, 30_000).catch((error) => {
      throw new Error(`${error.message}; it shows:\n${this.screen()}`);
    });
    return this.screen();
  }
  [Symbol.dispose](): void {
    this.tmux("kill-server");
  }
  private tmux(...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: this.home, USER: "tester", LANG: "C.UTF-8", TERM: "xterm-256color" };
    return execFileSync("tmux", ["-L", this.server, ...args], { env, encoding: "utf8" });
  }
}
