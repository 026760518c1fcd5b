// Two programs at one run: one drives it, the other is told; who lost it writes nothing any more.
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ended } from "../harness/repository.js";
import { BODIES, type Body } from "./bodies.js";
import { buildThatDies, THAT_DIES } from "./build.js";
import { Journey } from "./journey.js";
import { storyOf } from "./traces.js";

buildThatDies();
const WAIT_MS = 60_000;
const slow: Body = {
  ...BODIES.steps,
  files: { ...BODIES.steps.files, "agents/review.sh": `sleep 2\n${BODIES.steps.files["agents/review.sh"]}` },
};
const STORY = [
  "dev: pass",
  'test: block, "sh agents/test.sh" failed with exit code 1',
  "dev: pass",
  "test: pass",
  "review: pass, pass",
  "commit: pass, pass",
  "ended:success",
];

async function killedOnce(): Promise<Journey> {
  const journey = new Journey(slow);
  await journey.goOn({ at: "append:after#3" });
  return journey;
}
const lockOf = (journey: Journey): string => {
  const folder = join(journey.runs, journey.run ?? "");
  const [last] = readdirSync(folder)
    .filter((name) => /^lock-\d+$/.test(name))
    .sort()
    .slice(-1);
  return join(folder, last ?? "");
};
const edit = (path: string, change: object): void => {
  writeFileSync(path, `${JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change })}\n`);
};
const begin = (journey: Journey, args: string[], env = {}): ChildProcess =>
  journey.repository.start(args, { program: THAT_DIES, env });

it("is driven by one of two that resume it at once, and the other is told by whom", { timeout: 300_000 }, async () => {
  for (let round = 0; round < 3; round++) {
    using journey = await killedOnce();
    const rivals = [begin(journey, ["resume"]), begin(journey, ["resume"])];
    const ends = await Promise.all(rivals.map((child) => ended(child)));
    const winner = ends.findIndex(({ code }) => code === 0);
    const loser = ends[1 - winner];
    expect([ends[winner]?.code, [2, 3].includes(loser?.code ?? 0)], loser?.err).toEqual([0, true]);
    expect(loser?.err).toContain(`is held by process ${rivals[winner]?.pid}`);
    expect(storyOf(journey.lines)).toEqual(STORY);
    await journey.judge(STORY);
  }
});

it("is not started a second time while it is driven", { timeout: 300_000 }, async () => {
  using journey = new Journey(slow);
  const first = begin(journey, ["run", slow.loop]);
  const over = ended(first);
  for (let ms = 0; journey.lines.length < 2 && ms < WAIT_MS; ms += 20) await sleep(20);
  const second = await journey.repository.pawl(["run", slow.loop], { program: THAT_DIES });
  expect([second.code, second.err]).toEqual([3, expect.stringContaining(`has an open run: ${journey.run}`)]);
  expect((await over).code).toBe(0);
  await journey.judge(STORY);
});

it("that was killed before its first record is not started a second time either", async () => {
  using journey = new Journey(slow);
  await journey.goOn({ at: "create:after#1" });
  const second = await journey.repository.pawl(["run", slow.loop], { program: THAT_DIES });
  expect([second.code, second.err]).toEqual([3, expect.stringContaining(`has an open run: ${journey.run}`)]);
  await journey.goOn();
  await journey.judge(STORY);
});

it("is taken over when the number of its dead owner belongs to another program", { timeout: 120_000 }, async () => {
  using journey = await killedOnce();
  edit(lockOf(journey), { pid: process.pid });
  await journey.goOn();
  const { text } = journey.lines.find(({ type, about }) => type === "remark" && about === "lock");
  expect(text).toContain("its number belongs to another program now");
  await journey.judge(STORY);
});

it.each(["append:before#8", "append:after#8", "child:after#5", "commit:before#1", "commit:intent#1", "commit:moved#1"])(
  "stopped at %s and taken over after a start of the machine, the old owner writes nothing when it goes on",
  { timeout: 300_000 },
  async (at) => {
    using journey = new Journey(slow);
    const old = begin(journey, ["run", slow.loop], { PAWL_DIES_AT: at, PAWL_DIES_OF: "SIGSTOP" });
    const over = ended(old);
    await stopped(old);
    edit(lockOf(journey), { boot: "another boot" });
    await journey.goOn();
    expect(journey.isOver).toBe(true);
    const before = traces(journey);
    old.kill("SIGCONT");
    const end = await over;
    expect([end.code === 0, end.err]).toEqual([false, expect.stringContaining("is no longer ours")]);
    expect(end.err).not.toContain("bug in Pawl");
    expect(traces(journey)).toEqual(before);
    await journey.judge(STORY);
  },
);

async function stopped(child: ChildProcess): Promise<void> {
  for (let ms = 0; ms < WAIT_MS; ms += 20) {
    const stat = existsSync(`/proc/${child.pid}/stat`) ? readFileSync(`/proc/${child.pid}/stat`, "utf8") : "";
    if (stat.slice(stat.lastIndexOf(")") + 2).startsWith("T")) return;
    await sleep(20);
  }
  throw new Error("it never came by");
}

/** Journal, snapshot, record and branch as they are. */
function traces(journey: Journey): string[] {
  const { repository, runs, run = "", body } = journey;
  const jobs = join(repository.folder, ".pawl", "jobs", "main");
  const files = [join(runs, run, "journal.jsonl"), join(runs, run, "run.json"), join(jobs, `${body.loop}-${run}.json`)];
  return [...files.map((file) => readFileSync(file, "utf8")), repository.git("rev-parse", "HEAD")];
}
