// The commit of the record is pushed when it is the only one that is missing at the remote and a pull request waits for it; else a person does it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { skillsGround } from "./skills-ground.js";

const OPEN = `echo '{"state":"OPEN","headRefName":"feature/x"}'`;
/** A feature branch with an upstream in a bare repository; `gh` says what the script says, and is not there without one. */
function ground(gh?: string): { repository: Repository; remote: string; env: Record<string, string> } {
  const repository = skillsGround({ release: "skills: [a]\nhuman_gate: false\n" }, { branch: "feature/x" });
  const remote = join(repository.root, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", remote]);
  repository.git("remote", "add", "origin", remote);
  repository.git("push", "-q", "-u", "origin", "feature/x");
  const bin = join(repository.root, "bin");
  mkdirSync(bin);
  if (gh !== undefined)
    writeFileSync(join(bin, "gh"), `#!/bin/sh\necho "$@" >> ${join(repository.root, "asked")}\n${gh}\n`, {
      mode: 0o755,
    });
  const path = (process.env.PATH ?? "").split(":").filter((folder) => !existsSync(join(folder, "gh")));
  return { repository, remote, env: { PATH: [bin, ...path].join(":") } };
}
const there = (remote: string): string =>
  execFileSync("git", ["--git-dir", remote, "log", "--format=%s", "feature/x"], { encoding: "utf8" }).trim();
const SYNC = "chore: sync loop state for release (job feature/x)";

describe("the commit of the record", () => {
  it("is pushed where it is the single unpushed one and a pull request is open, and nothing is said", async () => {
    verifies("statepush.only-when-sole-commit");
    const { repository, remote, env } = ground(OPEN);
    using _ = repository;
    const run = await repository.json(["run", "release"], { env });
    expect([run.exit, run.warnings]).toEqual([0, []]);
    expect(there(remote)).toBe(`${SYNC}\nstart`);
    expect(repository.git("rev-list", "--count", "@{upstream}..HEAD").trim()).toBe("0");
    expect(readFileSync(join(repository.root, "asked"), "utf8")).toBe("pr view feature/x --json state,headRefName\n");
    await repository.json(["run", "release"], { env });
    expect(there(remote)).toBe(`${SYNC}\n${SYNC}\nstart`);
  });

  it.each([
    ["no pull request is there", 'echo "no pull requests found for branch" >&2; exit 1', "has no open pull request"],
    ["it is closed", `echo '{"state":"MERGED"}'`, "has no open pull request"],
    ["it is another branch's", `echo '{"state":"OPEN","headRefName":"other"}'`, "has no open pull request"],
    ["gh is not signed in", "echo 'gh auth login' >&2; exit 4", '"gh pr view" ended with 4: gh auth login'],
    ["gh says nonsense", "echo hello", "did not answer in JSON"],
    ["gh is not there", undefined, '"gh" is not installed'],
  ])("is left to the user where %s", async (_, gh, why) => {
    verifies("statepush.only-when-sole-commit");
    const { repository, remote, env } = ground(gh);
    using _r = repository;
    const run = await repository.json(["run", "release"], { env });
    expect([run.exit, run.outcome, repository.commits()[0]]).toEqual([0, "success", SYNC]);
    expect(run.warnings).toEqual([expect.stringContaining(why)]);
    expect(there(remote)).toBe("start");
    const [, byHand = ""] = /push it yourself: (.*)$/.exec(run.warnings[0]) ?? [];
    repository.sh(byHand);
    expect(there(remote)).toBe(`${SYNC}\nstart`);
  });

  it("is left to the user where other commits are not pushed, the branch has no upstream, or the remote has moved on", async () => {
    verifies("statepush.only-when-sole-commit");
    const { repository, remote, env } = ground(OPEN);
    using _ = repository;
    repository.commit("work");
    const [first] = (await repository.json(["run", "release"], { env })).warnings;
    expect(first).toContain('2 commits of "feature/x" are not pushed');
    repository.git("push", "-q");
    repository.git("clone", "-q", remote, "../other", "-b", "feature/x");
    const other = ["-C", "../other", "-c", "user.name=o", "-c", "user.email=o@o"];
    repository.git(...other, "commit", "-q", "--allow-empty", "-m", "theirs");
    repository.git(...other, "push", "-q");
    const [second] = (await repository.json(["run", "release"], { env })).warnings;
    expect(second).toMatch(/not pushed: the push ended with 1: .*rejected/);
    expect(there(remote)).toMatch(/^theirs\n/);
    repository.git("branch", "--unset-upstream");
    const [third] = (await repository.json(["run", "release"], { env })).warnings;
    expect(third).toMatch(/"feature\/x" has no upstream; push it yourself: git -C \S+ push -u origin feature\/x$/);
  });
});

describe("a push", () => {
  it("runs no hook and nothing that the repository's configuration names", async () => {
    const { repository, remote, env } = ground(OPEN);
    using _ = repository;
    const owned = join(repository.root, "owned");
    repository.write({ ".git/hooks/pre-push": `#!/bin/sh\ntouch ${owned}\nexit 1\n` });
    repository.git("config", "core.sshCommand", `touch ${owned}`);
    repository.git("config", "credential.helper", `!touch ${owned}`);
    repository.git("config", "url.ext::touch.insteadOf", repository.root);
    repository.git("config", "remote.origin.receivepack", `touch ${owned}; git-receive-pack`);
    repository.git("config", "core.fsmonitor", `touch ${owned}`);
    const run = await repository.json(["run", "release"], { env });
    expect([run.warnings, existsSync(owned)]).toEqual([[], false]);
    expect(there(remote)).toBe(`${SYNC}\nstart`);
  });

  it.each([
    ["a program", "ext::sh -c touch% owned", /not pushed: the push ended with \d+: .*transport 'ext' not allowed/],
    ["a folder of the workspace", "./inside.git", /not pushed: the remote lies inside the workspace/],
  ])("to %s is not made", async (_, url, why) => {
    const { repository, env } = ground(OPEN);
    using _r = repository;
    repository.git("config", "remote.origin.url", url);
    const [warning] = (await repository.json(["run", "release"], { env })).warnings;
    expect(warning).toMatch(why);
    expect(repository.has("owned")).toBe(false);
  });
});
