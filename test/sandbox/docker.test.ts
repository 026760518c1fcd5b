// The Docker engine: what a command comes to, images with and without a registry, and how its troubles are told.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { chooseEngine } from "../../src/adapters/sandbox/choose.js";
import { DockerEngine } from "../../src/adapters/sandbox/docker/engine.js";
import { openEgress } from "../../src/adapters/sandbox/egress/egress.js";
import { readSignposts } from "../../src/adapters/sandbox/signposts.js";
import { usualIsolation } from "../../src/config/schema/isolation.js";
import { Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";
import { Ground, never, run, SMALL } from "./ground.js";
import { DOCKER_ENV, isRoot, withBubblewrap, withDocker } from "./here.js";
import { api, importImage, registry, removeImage } from "./images.js";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground.remove());
const engine = new DockerEngine(DOCKER_ENV);
const inDocker = (...[plan, task, meanwhile]: Parameters<typeof run>) => run(plan, task, meanwhile, engine);
const containers = async () =>
  ((await api().call("GET", "/containers/json?all=1")) as { Labels: Record<string, string> }[]).filter(
    ({ Labels }) => Labels["dev.pawl.run"] === "run",
  );

withDocker("a command in a container", () => {
  it.each([0, 1, 125, 126, 127, 200])(
    "that exits with %i by itself is an exit, and leaves no container",
    async (code) => {
      expect((await inDocker(ground.plan(), ground.task(`exit ${code}`))).outcome).toEqual({ end: "exit", code });
      expect(await containers()).toEqual([]);
    },
  );
  it("that dies by a signal says which", async () => {
    const { outcome } = await inDocker(ground.plan(), ground.task("kill -SEGV $$"));
    expect(outcome).toEqual({ end: "signal", signal: "SIGSEGV" });
  });
  it("that hears TERM may say goodbye, and one that ignores it is killed", async () => {
    const polite = ground.task('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done', {
      graceMs: 20_000,
    });
    const stop = {
      stdout: (child: Parameters<Parameters<typeof run>[2] & object>[0]) =>
        child.stdout.once("data", () => child.stop("cancelled")),
    };
    const heard = await inDocker(ground.plan(), polite, stop.stdout);
    expect([heard.outcome, heard.out]).toEqual([{ end: "cancelled" }, "up\nbye\n"]);
    const deaf = ground.task('trap "" TERM; echo up; while :; do sleep 0.1; done', { graceMs: 300 });
    expect((await inDocker(ground.plan(), deaf, stop.stdout)).outcome).toEqual({ end: "cancelled" });
  });
  it("that outlives its time is a finding with the value of the limit", async () => {
    const { outcome } = await inDocker(ground.plan(), ground.task("sleep 60", { timeoutMs: 700 }));
    expect(outcome).toEqual({ end: "limit", limit: "time", value: 700 });
  });
  it("reads and writes much at the same time, on both streams", async () => {
    const session = await engine.open(ground.plan(), never);
    const child = await session.start(ground.task("cat; echo done >&2"));
    let bytes = 0;
    let err = "";
    child.stdout.on("data", (part: Buffer) => (bytes += part.length));
    child.stderr.on("data", (part: Buffer) => (err += part.toString()));
    child.stdin.end(Buffer.alloc(3_000_000, "y"));
    expect(await child.ended).toEqual({ end: "exit", code: 0 });
    await new Promise((done) => setTimeout(done, 100));
    expect([bytes, err]).toEqual([3_000_000, "done\n"]);
    await session[Symbol.asyncDispose]();
  });
  it("waits for a slow reader without keeping what it prints", async () => {
    const session = await engine.open(ground.plan(), never);
    const child = await session.start(ground.task("head -c 30000000 /dev/zero; echo over > over"));
    child.stderr.resume();
    await new Promise((done) => setTimeout(done, 1_500));
    expect(existsSync(join(ground.workspace, "over"))).toBe(false);
    let bytes = 0;
    child.stdout.on("data", (part: Buffer) => (bytes += part.length));
    expect(await child.ended).toEqual({ end: "exit", code: 0 });
    await new Promise((done) => setTimeout(done, 200));
    expect(bytes).toBe(30_000_000);
    await session[Symbol.asyncDispose]();
  });
  it("gets its variables and none of Pawl's, also in a folder with a name that splits elsewhere", async () => {
    process.env.PAWL_TEST_SECRET = "do not tell";
    const odd = join(ground.root, "we:ird, name ü");
    mkdirSync(odd);
    const task = { ...ground.task("env; pwd; touch made", { env: { GIVEN: "by name" } }), cwd: odd };
    const { out, err } = await inDocker(
      ground.plan({ workspace: odd, artifacts: odd, state: join(odd, "none") }),
      task,
    );
    delete process.env.PAWL_TEST_SECRET;
    expect(err).toBe("");
    expect(out).toContain("GIVEN=by name");
    expect(out).toContain(`${odd}\n`);
    expect(out).not.toContain("do not tell");
    expect(existsSync(join(odd, "made"))).toBe(true);
  });
  it("shows of the working home nothing but the artifact folders", async () => {
    const script = `cat ${ground.state}/journal; echo new > "$PAWL_ARTIFACTS/report"`;
    expect((await inDocker(ground.plan(), ground.task(script))).out).toBe("");
    expect(readFileSync(join(ground.artifacts, "report"), "utf8")).toBe("new\n");
  });
  it("reads the history and changes nothing of it", async () => {
    verifies("sandbox.isolation.git-mutation", "sandbox.state-outside");
    using repository = Repository.make({ "a.txt": "a\n" });
    const head = repository.git("rev-parse", "HEAD");
    const script = `git log --format=%s; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m second; git reset -q --hard; git push -q . HEAD:refs/heads/other; git status --short`;
    const plan = ground.plan({
      workspace: repository.folder,
      state: join(repository.folder, ".git/pawl"),
      signposts: readSignposts(repository.folder),
    });
    const { out, err } = await inDocker(plan, { ...ground.task(script), cwd: repository.folder });
    expect([out, repository.git("rev-parse", "HEAD"), repository.git("branch", "--format=%(refname:short)")]).toEqual([
      "start\n",
      head,
      "main\n",
    ]);
    expect(err).toMatch(/[Rr]ead-only file system/);
  });
  it("that takes too much memory or too many processes is named with the cap", async () => {
    const memory = await inDocker(
      ground.plan(),
      ground.task("head -c 200M /dev/zero | tail -c 200M >/dev/null; exit 3"),
    );
    expect(memory.outcome).toEqual({ end: "limit", limit: "memory", value: SMALL.memoryBytes });
    const forks = await inDocker(ground.plan(), ground.task("for i in $(seq 100); do sleep 20 & done"));
    expect(forks.outcome).toEqual({ end: "limit", limit: "processes", value: SMALL.processes });
  });
  it("that is not in the image fails with 127 and its name, as a shell has it", async () => {
    const { outcome, err } = await inDocker(ground.plan(), ground.task("", { argv: ["no-such-program"] }));
    expect(outcome).toEqual({ end: "exit", code: 127 });
    expect(err).toContain("no-such-program");
  });
  it("is ended with its session", async () => {
    const session = await engine.open(ground.plan(), never);
    const child = await session.start(ground.task("sleep 60"));
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    await session[Symbol.asyncDispose]();
    expect([await child.ended, await containers()]).toEqual([{ end: "cancelled" }, []]);
  });
  it("reaches a named host through the way out, and nobody else", async () => {
    await using way = await openEgress({
      allow: ["registry.npmjs.org:443"],
      workspace: ground.workspace,
      log: join(ground.root, "egress.log"),
    });
    const script = `curl -sS -m 20 -o /dev/null -w '%{http_code}\\n' https://registry.npmjs.org/isarray
curl -s -m 5 -o /dev/null -w '%{http_connect}\\n' https://example.com/
curl -s -m 5 --noproxy '*' -o /dev/null -w '%{http_code}\\n' https://registry.npmjs.org/; exit 7`;
    const plan = ground.plan({ readable: [way.folder] }, { memoryBytes: 512 << 20 });
    const { outcome, out } = await inDocker(plan, ground.task("", { argv: way.wrap(["sh", "-c", script]) }));
    expect([outcome, out]).toEqual([{ end: "exit", code: 7 }, "200\n403\n000\n"]);
  });
  it("is chosen where it keeps what is required by default, and refused where less is offered than required", async () => {
    verifies("sandbox.engine-missing");
    const usual = { ...usualIsolation(), engine: "docker" as const };
    expect((await chooseEngine([engine], usual, never)).report).toMatchObject({
      engine: "docker",
      ground: expect.stringMatching(/\(DOCKER_HOST\), image sha256:[0-9a-f]{64}$/),
      holds: { memory: "kernel", processes: "kernel", cpu: "kernel", orphans: "none" },
    });
    await expect(chooseEngine([engine], { ...usual, require: { orphans: "kernel" } }, never)).rejects.toMatchObject({
      record: { code: "sbx-weak", message: expect.stringContaining('orphans is kept by "none", required is "kernel"') },
    });
  });
});

const IMAGE = "pawl-test-image:1";
withDocker("an image by name", () => {
  beforeAll(() => importImage(IMAGE, "imported"));
  afterAll(() => removeImage(IMAGE));

  it("is what steps run in, with their caps, and a step's variables are its own", async () => {
    verifies("sandbox.isolation.profile", "sandbox.always-on");
    using repository = Repository.make({
      "loop.yaml": `name: loop
isolation: {image: "${IMAGE}", pull: never, memory: 96 MiB, processes: 40, cpus: 0.5, scratch: 4 MiB}
steps:
  - {name: one, env: {COLOUR: green}, command: "cat /etc/mark /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us > seen; echo $COLOUR >> seen; test ! -e /usr/bin"}
  - {name: two, command: "test -z \\"$COLOUR\\" && test -f seen"}
`,
    });
    const result = await repository.json(["run", "loop.yaml"], { env: DOCKER_ENV });
    expect([result.exit, repository.read("seen")]).toEqual([0, `imported\n${96 << 20}\n40\n50000\ngreen\n`]);
    const verdicts = repository.events(result).filter(({ type }) => type === "verdict");
    expect(verdicts.map(({ verdict }) => verdict.evidence.sandbox)).toEqual([
      expect.stringMatching(/^docker \S+, image sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^docker /),
    ]);
  });
  it("that is absent and not to be fetched stops the run before any step, with the line to type", async () => {
    verifies("sandbox.engine-missing");
    using repository = Repository.make({
      "loop.yaml":
        'name: loop\nisolation: {image: "no-such-image:1", pull: never}\nsteps: [{name: a, command: "touch ran"}]\n',
    });
    const end = await repository.pawl(["run", "loop.yaml"], { env: DOCKER_ENV });
    expect([end.code, repository.has("ran"), repository.has(".git/pawl/runs")]).toEqual([4, false, false]);
    expect(end.err).toMatch(/SBX-IMAGE-MISSING: the image "no-such-image:1" is not on this machine/);
    expect(end.err).toContain("docker pull no-such-image:1");
  });
  it("is fetched when it is missing, known by the registry's digest, and its own words do not come in between", async () => {
    using served = await registry("served");
    const image = `${served.host}/team/tools:1`;
    const own = new DockerEngine(DOCKER_ENV);
    try {
      const plan = ground.plan({}, { image, pull: "missing" });
      const { out, outcome } = await run(
        plan,
        ground.task("cat /etc/mark; echo $OF_THE_IMAGE; touch /data/x"),
        undefined,
        own,
      );
      expect([outcome, out]).toEqual([{ end: "exit", code: 0 }, "served\nyes\n"]);
      const session = await own.open(plan, never);
      expect(session.profile).toMatch(new RegExp(`image ${served.host}/team/tools@${served.digest}$`));
      expect((await own.probe(never, { image })).evidence.filter((line) => line.endsWith("BAD"))).toEqual([]);
      const before = served.asked.length;
      await run(plan, ground.task("true"), undefined, new DockerEngine(DOCKER_ENV));
      expect(served.asked.length).toBe(before);
      await run(
        ground.plan({}, { image, pull: "always" }),
        ground.task("true"),
        undefined,
        new DockerEngine(DOCKER_ENV),
      );
      expect(served.asked.length).toBeGreaterThan(before);
    } finally {
      await removeImage(image);
    }
  });
  it("that cannot be fetched is told in the registry's words", async () => {
    using served = await registry("served");
    const plan = ground.plan({}, { image: `${served.host}/team/tools:2` });
    await expect(inDocker(plan, ground.task("true"))).rejects.toMatchObject({
      record: { code: "sbx-image-pull", message: expect.stringMatching(/manifest unknown|not found/) },
    });
  });
  it("for another processor is refused", async () => {
    using served = await registry("served", process.arch === "arm64" ? "amd64" : "arm64");
    const image = `${served.host}/team/tools:1`;
    await expect(inDocker(ground.plan({}, { image }), ground.task("true"))).rejects.toMatchObject({
      record: { code: "sbx-image-platform" },
    });
    await removeImage(image);
  });
});

withDocker("a setup in a container", () => {
  beforeAll(() => importImage("pawl-test-setup:1", "setup"));
  afterAll(() => removeImage("pawl-test-setup:1"));

  it("fetches from the registry, where the step's command reaches nobody, and is stamped for that image", async () => {
    verifies("sandbox.setup.network-on", "sandbox.setup.stamp");
    using repository = Repository.make({
      "package.json": '{"name": "x", "version": "1.0.0", "dependencies": {"isarray": "2.0.5"}}',
      "loop.yaml": `name: loop
isolation: {engine: docker}
steps: [{name: it, setup: "npm install --no-audit --no-fund && echo x >> ran", command: "test -d node_modules/isarray && ! curl -sm 5 https://registry.npmjs.org/"}]
`,
    });
    for (let i = 0; i < 2; i += 1)
      expect((await repository.json(["run", "loop.yaml"], { env: DOCKER_ENV })).exit).toBe(0);
    expect(repository.read("ran")).toBe("x\n");
    repository.write({ "loop.yaml": repository.read("loop.yaml").replace("docker}", "bubblewrap}") });
    expect((await repository.json(["run", "loop.yaml"])).exit).toBe(0);
    expect(repository.read("ran")).toBe("x\nx\n");
  });
  it("of an image without node fails, and says what the image lacks", async () => {
    using repository = Repository.make({
      "loop.yaml": `name: loop
isolation: {image: "pawl-test-setup:1"}
steps: [{name: it, setup: "true", command: "touch never"}]
`,
    });
    const result = await repository.json(["run", "loop.yaml"], { env: DOCKER_ENV });
    expect([result.exit, repository.has("never")]).toEqual([1, false]);
    expect(JSON.stringify(result.steps[0].findings)).toContain("needs node, and this image has none");
  });
});

/** Something that answers like an engine. */
async function pretend(answers: Record<string, object>, body: (env: { DOCKER_HOST: string }) => Promise<void>) {
  const path = join(ground.root, "docker.sock");
  const server = createServer(({ url = "" }, answer) =>
    answer.end(JSON.stringify(answers[url.replace(/^\/v[\d.]+/, "")] ?? {})),
  );
  await new Promise<void>((done) => server.listen(path, done));
  await body({ DOCKER_HOST: `unix://${path}` });
  server.close();
  rmSync(path, { force: true });
}
const why = async (env: Record<string, string>) => (await new DockerEngine(env).probe(never)).why;

it("a Docker engine that is not there is told with the socket, where it came from, and what to type", async () => {
  expect(await why({ DOCKER_HOST: "unix:///nowhere/docker.sock" })).toMatchObject({
    code: "sbx-docker-down",
    message: expect.stringContaining('"/nowhere/docker.sock" (DOCKER_HOST)'),
    hint: expect.stringContaining("sudo systemctl start docker"),
  });
  writeFileSync(join(ground.root, "docker.sock"), "");
  expect(await why({ DOCKER_HOST: `unix://${ground.root}/docker.sock` })).toMatchObject({ code: "sbx-docker-down" });
});
it("a Docker engine on another machine, of another time or of Windows is refused", async () => {
  expect(await why({ DOCKER_HOST: "tcp://10.0.0.5:2375" })).toMatchObject({
    code: "sbx-mount",
    message: expect.stringContaining("tcp://10.0.0.5:2375"),
    hint: expect.stringContaining("unset DOCKER_HOST"),
  });
  await pretend({ "/version": { Version: "19.03.1", ApiVersion: "1.40" } }, async (env) =>
    expect(await why(env)).toMatchObject({ code: "sbx-docker-old", message: expect.stringContaining("19.03.1") }),
  );
  await pretend({ "/version": { Version: "24", ApiVersion: "1.43", Os: "windows" } }, async (env) =>
    expect(await why(env)).toMatchObject({ code: "sbx-windows-containers" }),
  );
});
it("an engine that warns of a cap it does not keep, or mounts another machine's folder, is refused", async () => {
  const version = { Version: "4.3.1", ApiVersion: "1.41" };
  const image = { Id: "sha256:1" };
  const name = "tools:1";
  const created = (more: object) => ({
    "/version": version,
    [`/images/${name}/json`]: image,
    "/containers/create": more,
  });
  await pretend(
    created({ Id: "1", Warnings: ["Your kernel does not support memory limit capabilities"] }),
    async (env) => {
      const open = run(ground.plan({}, { image: name }), ground.task("true"), undefined, new DockerEngine(env));
      await expect(open).rejects.toMatchObject({ record: { code: "sbx-no-limits" } });
    },
  );
  await pretend(
    created({ message: "invalid mount config for type bind: bind source path does not exist: /x" }),
    async (env) => {
      const open = run(ground.plan({}, { image: name }), ground.task("true"), undefined, new DockerEngine(env));
      await expect(open).rejects.toMatchObject({ record: { code: "sbx-mount" } });
    },
  );
});
it("the socket of the user's Docker context is taken", async () => {
  const folder = join(ground.root, ".docker");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), '{"currentContext": "colima"}');
  expect(await why({ HOME: ground.root })).toMatchObject({ code: "sbx-docker-down" });
  const colima = join(folder, "contexts/meta", createHash("sha256").update("colima").digest("hex"));
  mkdirSync(colima, { recursive: true });
  writeFileSync(join(colima, "meta.json"), '{"Endpoints": {"docker": {"Host": "unix:///nowhere/colima.sock"}}}');
  expect(await why({ HOME: ground.root })).toMatchObject({
    message: expect.stringContaining('"/nowhere/colima.sock" (the Docker context "colima")'),
  });
});

withBubblewrap("a run", () => {
  it("without any engine stops before any step, says what was tried, and never falls back to the host", async () => {
    verifies("sandbox.engine-missing", "sandbox.always-on");
    using repository = Repository.make({
      "loop.yaml": 'name: loop\nsteps: [{name: a, command: "touch ran"}]\n',
      "docker.yaml": 'name: docker\nisolation: {engine: docker}\nsteps: [{name: a, command: "touch ran"}]\n',
    });
    const bare = join(repository.root, "bin");
    mkdirSync(bare);
    repository.sh(`ln -s "$(command -v git)" "${bare}/git"`);
    const env = { PATH: bare, DOCKER_HOST: "unix:///nowhere/docker.sock" };
    for (const [file, code] of [
      ["loop.yaml", "SBX-NO-ENGINE"],
      ["docker.yaml", "SBX-DOCKER-DOWN"],
    ] as const) {
      const end = await repository.pawl(["run", file], { env });
      expect([end.code, repository.has("ran"), repository.has(".git/pawl/runs")]).toEqual([4, false, false]);
      expect(end.err).toContain(code);
      expect(end.err).toContain('no Docker engine answers at "/nowhere/docker.sock" (DOCKER_HOST)');
      expect(end.err).toMatch(/apt install bubblewrap|systemctl start docker/);
    }
    expect((await repository.pawl(["plan", "loop.yaml"], { env })).code).toBe(0);
    const doctor = await repository.pawl(["doctor"], { env });
    expect(doctor.code).toBe(4);
    expect(doctor.out).toMatch(/NO {2}bubblewrap: SBX-BWRAP-MISSING[\s\S]*NO {2}docker: SBX-DOCKER-DOWN/);
  });
  it.each([
    ["isolation: false", "isolation"],
    ["isolation: {engine: none}", "engine"],
    ["isolation: {enabled: false}", "enabled"],
    ["sandbox: false", "sandbox"],
    ["isolation: {require: {network: none}}", "network"],
    ["isolation: {git: free}", "git"],
  ])("is not started by a loop that says %s, and the error names the key", async (line, key) => {
    verifies("sandbox.always-on");
    using repository = Repository.make({
      "loop.yaml": `name: loop\n${line}\nsteps: [{name: a, command: "touch ran"}]\n`,
    });
    const end = await repository.pawl(["run", "loop.yaml"]);
    expect([end.code, repository.has("ran")]).toEqual([2, false]);
    expect(end.err).toContain(`"${key}"`);
  });
  it.each(["--no-sandbox", "--isolation=none", "--unsafe"])("has no flag %s", async (flag) => {
    verifies("sandbox.always-on");
    using repository = Repository.make({ "loop.yaml": 'name: loop\nsteps: [{name: a, command: "touch ran"}]\n' });
    const end = await repository.pawl(["run", "loop.yaml", flag]);
    expect([end.code, end.err.includes(flag.replace(/=.*/, ""))]).toEqual([2, true]);
  });
  it("is shown by the doctor with the engine that holds, and one that is missing is then no trouble", async () => {
    using repository = Repository.make({});
    const end = await repository.pawl(["doctor"], { env: { DOCKER_HOST: "unix:///nowhere/docker.sock" } });
    expect(end.out).toMatch(/ok {2}bubblewrap: \d+\.\d+\.\d+; kernel: writes, reads/);
    expect(end.out).toMatch(/-- {2}docker: SBX-DOCKER-DOWN/);
    expect(end.code).toBe(0);
  });
});
withDocker("the doctor", () => {
  it.runIf(isRoot)("shows the Docker engine, where it listens, its image and what it keeps", async () => {
    using repository = Repository.make({});
    const end = await repository.pawl(["doctor"], { env: DOCKER_ENV });
    expect(end.out).toMatch(
      /ok {2}docker: \d+\S*; at \S+ \(DOCKER_HOST\), image sha256:[0-9a-f]+; kernel: .*memory.*none: orphans/,
    );
  });
});
