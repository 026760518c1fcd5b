// Times whole processes in turn, A B A B …, so that a machine whose speed drifts drifts for both.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Wall time in milliseconds; throws when the command does not end with one of `codes`. */
export function timeOf(argv, { cwd, env, codes = [0] } = {}) {
  const began = performance.now();
  const { status, stderr, error } = spawnSync(argv[0], argv.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  const ms = performance.now() - began;
  if (error || !codes.includes(status)) throw new Error(`${argv.join(" ")} ended with ${status}: ${error ?? stderr}`);
  return ms;
}

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The median of each, and of the ratio pair by pair. */
export function inTurn(rounds, a, b) {
  a();
  b();
  const pairs = Array.from({ length: rounds }, () => [a(), b()]);
  return {
    a: median(pairs.map(([x]) => x)),
    b: median(pairs.map(([, y]) => y)),
    ratio: median(pairs.map(([x, y]) => x / y)),
  };
}

/** Peak memory of a process in MiB, from /proc while it lives is too late: /usr/bin/time knows; undefined without it. */
export function peakMiB(argv) {
  const { stderr, error } = spawnSync("/usr/bin/time", ["-f", "peak %M", ...argv], { encoding: "utf8" });
  const found = error ? undefined : /peak (\d+)/.exec(stderr)?.[1];
  return found === undefined ? undefined : Number(found) / 1024;
}

/** A repository of these files with one commit, and git in it. */
export function repository(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  const git = (...args) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@example.invalid", ...args], {
      stdio: "ignore",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "start");
  return { folder, git };
}
