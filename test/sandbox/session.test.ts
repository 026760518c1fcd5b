// What a command comes to, what it can see, and that nothing of it is left.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Bubblewrap } from "../../src/adapters/sandbox/bubblewrap/engine.js";
import { readCapped } from "../../src/adapters/sandbox/capped.js";
import { chooseEngine } from "../../src/adapters/sandbox/choose.js";
import { verifies } from "../harness/verifies.js";
import { Ground, never, run, SMALL } from "./ground.js";
import { isRoot, withBubblewrap } from "./here.js";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground.remove());

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
/** A bubblewrap of our own making, to see how its troubles are told. */
function pretend(script: string): Bubblewrap {
  const program = join(ground.root, "bwrap");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return new Bubblewrap({ program });
}

withBubblewrap("a command in the sandbox", () => {
  it("finds itself by the name localhost, and no machine of the host's", async () => {
    const { out } = await run(ground.plan(), ground.task("getent hosts localhost; grep -c . /etc/hosts"));
    expect(out).toMatch(/^127\.0\.0\.1\s+localhost.*\n1\n$/);
  });
  it.each([0, 1, 125, 126, 127, 129, 200])("that exits with %i by itself is an exit", async (code) => {
    const { outcome } = await run(ground.plan(), ground.task(`exit ${code}`));
    expect(outcome).toEqual({ end: "exit", code });
  });
  it("that dies by a signal says which", async () => {
    expect((await run(ground.plan(), ground.task("kill -SEGV $$"))).outcome).toEqual({
      end: "signal",
      signal: "SIGSEGV",
    });
  });
  it("that is cancelled and ignores TERM is killed after the grace", async () => {
    const task = ground.task('trap "" TERM; echo up; while :; do sleep 0.1; done', { graceMs: 200 });
    const begun = performance.now();
    const { outcome } = await run(ground.plan(), task, (child) =>
      child.stdout.once("data", () => child.stop("cancelled")),
    );
    expect(outcome).toEqual({ end: "cancelled" });
    expect(performance.now() - begun).toBeGreaterThan(190);
  });
  it("that hears TERM may say goodbye, and is cancelled all the same", async () => {
    const task = ground.task('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done', { graceMs: 20_000 });
    const { outcome, out } = await run(ground.plan(), task, (child) =>
      child.stdout.once("data", () => child.stop("cancelled")),
    );
    expect({ outcome, out }).toEqual({ outcome: { end: "cancelled" }, out: "up\nbye\n" });
  });
  it("that outlives its time is a finding with the value of the limit", async () => {
    const { outcome } = await run(ground.plan(), ground.task("sleep 60", { timeoutMs: 300 }));
    expect(outcome).toEqual({ end: "limit", limit: "time", value: 300 });
  });
  it("may be given more time than a timer can hold", async () => {
    const { outcome } = await run(ground.plan(), ground.task("sleep 0.1", { timeoutMs: 2 ** 40 }));
    expect(outcome).toEqual({ end: "exit", code: 0 });
  });
  it("that is stopped in the turn it was started is cancelled", async () => {
    expect((await run(ground.plan(), ground.task("sleep 60"), (child) => child.stop("cancelled"))).outcome).toEqual({
      end: "cancelled",
    });
  });
  it("that prints without end is drained, and its beginning kept", async () => {
    const session = await new Bubblewrap().open(ground.plan(), never);
    const child = await session.start(ground.task("head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2"));
    const [out, err] = await Promise.all([readCapped(child.stdout, 1_000), readCapped(child.stderr)]);
    expect(out).toEqual({ text: `${"x".repeat(1_000)}\n[cut: 4999000 more bytes]\n`, droppedBytes: 4_999_000 });
    expect([await child.ended, err.text]).toEqual([{ end: "exit", code: 0 }, "done\n"]);
    await session[Symbol.asyncDispose]();
  });
  it("reads and writes much at the same time", async () => {
    const session = await new Bubblewrap().open(ground.plan(), never);
    const child = await session.start(ground.task("cat"));
    child.stdin.end(Buffer.alloc(5_000_000, "y"));
    expect((await readCapped(child.stdout)).text.length).toBe(5_000_000);
    expect(await child.ended).toEqual({ end: "exit", code: 0 });
    await session[Symbol.asyncDispose]();
  });
  it("gets its variables and none of Pawl's", async () => {
    process.env.PAWL_TEST_SECRET = "do not tell";
    const { out } = await run(ground.plan(), ground.task("env; cat /proc/*/environ", { env: { GIVEN: "by name" } }));
    delete process.env.PAWL_TEST_SECRET;
    expect(out).toContain("GIVEN=by name");
    expect(out).not.toContain("do not tell");
  });
  it("cannot smuggle an option in with a variable", async () => {
    const task = ground.task("true", { env: { X: "a\0--bind\0/\0/" } });
    await expect(run(ground.plan(), task)).rejects.toMatchObject({ record: { code: "sbx-guard" } });
  });
});

withBubblewrap("the disk, seen from the sandbox", () => {
  it("shows of the working home nothing but the artifact folders", async () => {
    verifies("sandbox.state-outside");
    const earlier = ["one", "two"].map((name) => join(ground.state, "earlier", name));
    for (const folder of earlier) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "report"), "old\n");
    }
    const script = `cat ${ground.state}/journal; cat ${earlier.map((folder) => `${folder}/report`).join(" ")}; echo x > ${earlier[0]}/report; echo new > "$PAWL_ARTIFACTS/report"`;
    const { out } = await run(ground.plan({ earlier }), ground.task(script));
    expect(out).toBe("old\nold\n");
    expect(readFileSync(join(earlier[0]!, "report"), "utf8")).toBe("old\n");
    expect(readFileSync(join(ground.artifacts, "report"), "utf8")).toBe("new\n");
  });
  it("takes three hundred earlier folders", async () => {
    const earlier = Array.from({ length: 300 }, (_, i) => join(ground.state, `earlier/${i}`));
    for (const folder of earlier) mkdirSync(folder, { recursive: true });
    const { out } = await run(ground.plan({ earlier }), ground.task(`ls ${ground.state}/earlier | wc -l`));
    expect(out.trim()).toBe("300");
  });
  it("lets git be read and not changed", async () => {
    verifies("sandbox.isolation.git-mutation");
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", ground.workspace, "-c", "user.name=a", "-c", "user.email=a@b.invalid", ...words]);
    for (const words of [
      ["init", "-q"],
      ["commit", "-q", "--allow-empty", "-m", "first"],
    ])
      git(...words);
    const head = git("rev-parse", "HEAD").stdout.toString();
    const script =
      "git log --format=%s; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m second; git reset -q --hard; git push -q . HEAD:refs/heads/other";
    const { out, err } = await run(ground.plan(), ground.task(script));
    expect(out).toBe("first\n");
    expect(err).toMatch(/[Rr]ead-only file system/);
    expect(git("rev-parse", "HEAD").stdout.toString()).toBe(head);
  });
  it("keeps the guard of an absent repository until the last sandbox is gone, and leaves none", async () => {
    const session = await new Bubblewrap().open(ground.plan(), never);
    const dotGit = join(ground.workspace, ".git");
    const long = await session.start(ground.task("read line"));
    const short = await session.start(ground.task("mkdir -p .git/hooks"));
    for (const { stdout, stderr } of [long, short]) for (const stream of [stdout, stderr]) stream.resume();
    expect(await short.ended).toMatchObject({ end: "exit", code: 1 });
    expect(readdirSync(dotGit)).toEqual([]);
    long.stdin.end("\n");
    await long.ended;
    expect(existsSync(dotGit)).toBe(false);
    await session[Symbol.asyncDispose]();
  });
  it.runIf(isRoot)("gives what root lets a step write to the owner of the workspace", async () => {
    for (const path of [ground.root, ground.workspace, join(ground.workspace, ".pawl")]) chmodSync(path, 0o755);
    chownSync(ground.workspace, 12_345, 12_345);
    const { outcome, err } = await run(ground.plan(), ground.task('id -u; touch new "$PAWL_ARTIFACTS/report"'));
    expect([outcome, err]).toEqual([{ end: "exit", code: 0 }, ""]);
    expect([statSync(join(ground.workspace, "new")).uid, statSync(join(ground.artifacts, "report")).uid]).toEqual([
      12_345, 12_345,
    ]);
  });
});

withBubblewrap("a cap that is hit", () => {
  it.runIf(isRoot)("of memory is named with its value", async () => {
    const { outcome } = await run(
      ground.plan(),
      ground.task("head -c 200M /dev/zero | tail -c 200M >/dev/null; exit 3"),
    );
    expect(outcome).toEqual({ end: "limit", limit: "memory", value: SMALL.memoryBytes });
  });
  it.runIf(isRoot)("of processes is named with its value", async () => {
    const { outcome } = await run(ground.plan(), ground.task("for i in $(seq 100); do sleep 20 & done"));
    expect(outcome).toEqual({ end: "limit", limit: "processes", value: SMALL.processes });
  });
  it.runIf(isRoot)("and got over is no finding", async () => {
    const { outcome } = await run(
      ground.plan(),
      ground.task("sh -c 'for i in $(seq 100); do sleep 20 & done'; exit 0"),
    );
    expect(outcome).toEqual({ end: "exit", code: 0 });
  });
  it("of free disk space keeps a command from being started", async () => {
    await expect(run(ground.plan({}, { diskFloorBytes: 2 ** 60 }), ground.task("true"))).rejects.toMatchObject({
      record: { code: "sbx-disk", message: expect.stringContaining("MiB are free") },
    });
  });
  it.runIf(isRoot)("of free disk space stops the command that fills the disk", async () => {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "none", ground.workspace]);
    expect(mounted.status).toBe(0);
    try {
      mkdirSync(ground.artifacts, { recursive: true });
      const floor = 16 << 20;
      const { outcome } = await run(
        ground.plan({}, { diskFloorBytes: floor }),
        ground.task("head -c 24M /dev/zero > big; sleep 30"),
      );
      expect(outcome).toEqual({ end: "limit", limit: "disk", value: floor });
    } finally {
      spawnSync("umount", ["-l", ground.workspace]);
    }
  });
});

withBubblewrap("the engine's own troubles", () => {
  it("are faults, also when bubblewrap ends with 0", async () => {
    for (const [script, code] of [
      ["exit 0", "sbx-engine"],
      ["echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "sbx-bwrap-userns"],
      ["echo 'bwrap: Unknown option --disable-userns' >&2; exit 1", "sbx-bwrap-old"],
      ["kill -KILL $$", "sbx-engine"],
    ] as const) {
      const { outcome } = await run(ground.plan(), ground.task("true"), undefined, pretend(script));
      expect(outcome).toMatchObject({ end: "fault", fault: { code, hint: expect.any(String) } });
    }
  });
  it("are a fault when a program is not in the sandbox", async () => {
    if (!isRoot) return; // there prlimit starts the command, and 127 is its answer
    const { outcome } = await run(ground.plan(), ground.task("", { argv: ["no-such-program"] }));
    expect(outcome).toMatchObject({
      end: "fault",
      fault: { code: "sbx-image-unfit", message: expect.stringContaining("no-such-program") },
    });
  });
  it("are a fault when bubblewrap is missing, and the probe says so before", async () => {
    const engine = new Bubblewrap({ program: "bwrap-that-is-not-there" });
    const report = await engine.probe(never);
    expect(report).toMatchObject({
      usable: false,
      why: { code: "sbx-bwrap-missing", hint: expect.stringContaining("apt install") },
    });
    const { outcome } = await run(ground.plan(), ground.task("true"), undefined, engine);
    expect(outcome).toMatchObject({ end: "fault", fault: { code: "sbx-bwrap-missing" } });
    await expect(chooseEngine([engine], SMALL, never)).rejects.toMatchObject({ record: { code: "sbx-no-engine" } });
  });
  it("are told by the probe when bubblewrap is too old", async () => {
    expect(await pretend("echo bubblewrap 0.4.1").probe(never)).toMatchObject({
      usable: false,
      why: { code: "sbx-bwrap-old" },
    });
  });
});

withBubblewrap("the probe", () => {
  it("finds by attack what holds here, and leaves nothing behind", async () => {
    const own = mkdtempSync(join(tmpdir(), "pawl-probes-")); // others probe at this moment too
    vi.stubEnv("TMPDIR", own);
    const report = await new Bubblewrap().probe(never);
    vi.unstubAllEnvs();
    expect(report.why).toBeUndefined();
    expect(report).toMatchObject({
      usable: true,
      holds: { writes: "kernel", reads: "kernel", network: "kernel", processes: "kernel", disk: "none" },
    });
    expect(readdirSync(own)).toEqual([]);
    rmdirSync(own);
  });
  it("clears away the ground of a probe that was killed an hour ago, and leaves a younger one", async () => {
    const own = mkdtempSync(join(tmpdir(), "pawl-probes-"));
    vi.stubEnv("TMPDIR", own);
    for (const name of ["pawl-probe-old", "pawl-probe-young", "others"])
      mkdirSync(join(own, name, "workspace"), { recursive: true });
    const twoHoursAgo = Date.now() / 1000 - 7_200;
    for (const name of ["pawl-probe-old", "others"]) utimesSync(join(own, name), twoHoursAgo, twoHoursAgo);
    expect(await new Bubblewrap().probe(never)).toMatchObject({ usable: true });
    vi.unstubAllEnvs();
    expect(readdirSync(own).sort()).toEqual(["others", "pawl-probe-young"]);
    rmSync(own, { recursive: true });
  });
  it.runIf(isRoot)("says that root without cgroups cannot cap processes, and so the engine is refused", async () => {
    const engine = new Bubblewrap({ cgroupRoot: "/nowhere" });
    expect((await engine.probe(never)).holds).toMatchObject({ processes: "none", memory: "process" });
    await expect(chooseEngine([engine], SMALL, never)).rejects.toMatchObject({
      record: {
        code: "sbx-weak",
        message: expect.stringContaining('processes is kept by "none", required is "kernel"'),
      },
    });
  });
});

withBubblewrap("the end of a session", () => {
  it("is the end of everything in it", async () => {
    const session = await new Bubblewrap().open(ground.plan(), never);
    const child = await session.start(ground.task("while :; do echo $((i=i+1)) > beat; sleep 0.02; done"));
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    for (let i = 0; i < 200 && !existsSync(join(ground.workspace, "beat")); i++) await sleep(20);
    await session[Symbol.asyncDispose]();
    const last = readFileSync(join(ground.workspace, "beat"), "utf8");
    await sleep(200);
    expect(readFileSync(join(ground.workspace, "beat"), "utf8")).toBe(last);
    expect(await child.ended).toEqual({ end: "cancelled" });
  });
  it.runIf(isRoot)("of a Pawl that was killed is swept, and the living are left alone", async () => {
    const [dead, living] = ["1-1-1", `${process.pid}-${startTime()}-999`].map((id) => `/sys/fs/cgroup/pids/pawl/${id}`);
    for (const folder of [dead!, living!]) mkdirSync(folder, { recursive: true });
    await new Bubblewrap().sweep();
    expect([existsSync(dead!), existsSync(living!)]).toEqual([false, true]);
    spawnSync("rmdir", [living!, "/sys/fs/cgroup/pids/pawl"]);
  });
});
function startTime(): string | undefined {
  return readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ")[19];
}
