// What disks, people and programs do to the files of a run between two starts: it goes on, or says what to do and touches nothing.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Ended } from "../harness/repository.js";
import { BODIES } from "./bodies.js";
import { buildThatDies, THAT_DIES } from "./build.js";
import { Journey } from "./journey.js";
import { leftovers } from "./traces.js";

buildThatDies();
const STORY = [
  "plan: pass",
  "gate-after:plan: pass, continue",
  "build: pass",
  "gate-after:build: pass, continue",
  ":validators/whole: pass, pass",
  "ended:success",
];
let journey: Journey;
const mounts: string[] = [];
afterEach(() => {
  for (const path of mounts.splice(0)) execFileSync("umount", ["-l", path]);
  journey?.[Symbol.dispose]();
});

/** A run that waits at its first gate. */
async function atGate(): Promise<Journey> {
  journey = new Journey(BODIES.skills);
  await journey.goOn();
  return journey;
}
async function toTheEnd(): Promise<void> {
  while (!journey.isOver) await journey.goOn();
  await journey.judge(STORY);
}
const inRun = (name: string): string => join(journey.runs, journey.run ?? "", name);
const asked = (...args: string[]): Promise<Ended> => journey.repository.pawl(args, { program: THAT_DIES });
const journal = (): string => readFileSync(inRun("journal.jsonl"), "utf8");

it("a torn tail is cut and told, and the run goes on", async () => {
  await atGate();
  writeFileSync(inRun("journal.jsonl"), `${journal()}{"seq":4,"at":"2026-`);
  expect((await asked("status")).code).toBe(0);
  await journey.goOn();
  expect(journey.lines.find(({ about }) => about === "journal").text).toMatch(/^cut \d+ bytes of a line/);
  await toTheEnd();
});

it("an edited line is named by everybody who reads it, and nothing is written", async () => {
  await atGate();
  const edited = journal().replace('"type":"begun"', '"type":"begin"');
  writeFileSync(inRun("journal.jsonl"), edited);
  const record = (): string =>
    readFileSync(join(journey.repository.folder, `.pawl/jobs/main/skilled-${journey.run}.json`), "utf8");
  const before = record();
  const run = journey.run ?? "";
  for (const args of [["status"], ["verify", run], ["explain", run], ["resume", run], ["answer", run, "continue"]]) {
    const end = await asked(...args);
    expect([args[0], end.code, end.err]).toEqual([args[0], 4, expect.stringContaining("journal.jsonl:2 ")]);
    expect(end.err).toContain("bring it back from a copy");
  }
  expect([journal(), record()]).toEqual([edited, before]);
  const list = await journey.repository.json(["list"], { program: THAT_DIES });
  expect([list.code, list.broken]).toEqual([0, [expect.stringContaining(run)]]);
});

it.each([
  ["a deleted snapshot", () => rmSync(inRun("run.json"))],
  ["half a snapshot", () => writeFileSync(inRun("run.json"), '{"seq": 3, "he')],
  ["a deleted picture of the rest", () => rmSync(inRun("rest.json"))],
  ["half a picture of the rest", () => writeFileSync(inRun("rest.json"), '{"seq": 3, "fi')],
  ["a picture of the rest that is none", () => writeFileSync(inRun("rest.json"), '{"seq": 3, "files": null}')],
  ["an order that is none", () => writeFileSync(inRun("order.json"), "[1")],
])("%s costs nothing", async (_, damage) => {
  await atGate();
  damage();
  expect((await asked("status")).code).toBe(0);
  await toTheEnd();
});

it("an order that nobody took is not obeyed by who drives next", async () => {
  await atGate();
  const order = { code: "paused", reason: "old", by: "ada", abandon: true, fence: 1 };
  writeFileSync(inRun("order.json"), JSON.stringify(order));
  const end = await journey.goOn({ at: "child:after#1" }, { PAWL_DIES_OF: "SIGINT" });
  expect([end.code, journey.lines.at(-1)?.place]).toEqual([130, "parked:interrupted"]);
  await toTheEnd();
});

describe("a record that was replaced", () => {
  const secret = (): string => join(journey.repository.root, "outside");
  const record = (): string => join(journey.repository.folder, `.pawl/jobs/main/skilled-${journey.run}.json`);
  it.each([
    ["by a folder", () => mkdirSync(record())],
    ["by a link", () => symlinkSync(secret(), record())],
    ["with its folder, by a link", () => symlinkSync(dirname(secret()), dirname(record()))],
  ])("%s stops no run; it is told, and nothing outside is written", async (how, replace) => {
    await atGate();
    writeFileSync(secret(), "ours");
    rmSync(how.startsWith("with") ? dirname(record()) : record(), { recursive: true });
    replace();
    while (!journey.isOver) {
      const { length } = journey.lines;
      const { run = "" } = journey;
      const end = await asked("answer", run, "continue");
      expect([end.code === 0 || end.code === 3, end.err]).toEqual([
        true,
        expect.stringMatching(/warning: the record .* is not written/),
      ]);
      expect(journey.lines.length).toBeGreaterThan(length);
    }
    expect(readFileSync(secret(), "utf8")).toBe("ours");
    expect(leftovers(journey.repository.root)).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0 && canMount();
if (!isRoot) console.warn("skipped: full and read-only disks: only root can mount a small file system here");
describe.skipIf(!isRoot)("a disk", () => {
  it.each([0, 4, 8, 12, 16, 24, 32])(
    "that is full but for %i KiB stops the run with what to do, and it goes on when there is room",
    async (left) => {
      journey = new Journey(BODIES.skills);
      mountHome();
      await journey.goOn();
      fill(left);
      const before = journal();
      const end = await asked("answer", journey.run ?? "", "continue");
      expect([0, 3, 4]).toContain(end.code);
      if (end.code === 4) expect(end.err).toMatch(/no space|full|nearly|free some/i);
      expect(journal().startsWith(before)).toBe(true);
      expect((await asked("status")).code).toBe(0);
      rmSync(join(home(), "filler"));
      while (!journey.isOver) await journey.goOn();
      const faults = journey.lines.filter(({ type }) => type === "fault").length;
      await journey.judge([...STORY.slice(0, 2), ...Array(faults).fill("build: fault disk"), ...STORY.slice(2)]);
    },
  );

  it("that is read-only is told with what to do, and the run goes on when it can be written", async () => {
    journey = new Journey(BODIES.skills);
    mountHome();
    await journey.goOn();
    const before = journal();
    execFileSync("mount", ["-o", "remount,ro", home()]);
    const end = await asked("answer", journey.run ?? "", "continue");
    expect([end.code, end.err]).toEqual([4, expect.stringMatching(/read-only/)]);
    expect((await asked("status")).code).toBe(0);
    execFileSync("mount", ["-o", "remount,rw", home()]);
    expect(journal()).toBe(before);
    await toTheEnd();
  });
});

const home = (): string => dirname(journey.runs);
function mountHome(): void {
  const folder = home();
  mkdirSync(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]);
  mounts.push(folder);
}
function fill(leftKiB: number): void {
  const { bavail, bsize } = statfsSync(home());
  writeFileSync(join(home(), "filler"), Buffer.alloc(Math.max(0, bavail * bsize - leftKiB * 1024)));
}
function canMount(): boolean {
  try {
    const probe = join("/tmp", `pawl-mount-${process.pid}`);
    mkdirSync(probe);
    try {
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", probe], { stdio: "ignore" });
      execFileSync("umount", [probe]);
    } finally {
      rmSync(probe, { recursive: true });
    }
    return true;
  } catch {
    return false;
  }
}
