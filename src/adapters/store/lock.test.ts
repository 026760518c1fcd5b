import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { appendMany, frozen, RUN, remark, runAt, started, tempFolder } from "../../../test/durability/fixture.js";
import { Refusal } from "../../ports/errors.js";
import type { Machine } from "./machine.js";
import { openStore } from "./store.js";

const base = tempFolder();
let home: string;
let folder: string;
/** Process number to start time: who lives. */
let living: Map<number, string>;
const machine = (given: Partial<Machine>): Partial<Machine> => ({
  pid: 100,
  bootId: "boot-1",
  host: "here",
  pidSpace: "pid:[1]",
  startTimeOf: (pid) => living.get(pid),
  now: () => "2026-01-01T00:00:00.000Z",
  ...given,
});
const storeOf = (given: Partial<Machine>) => openStore({ home, ...machine(given) });
const locks = () => readdirSync(folder).filter((name) => /^lock|^fence/.test(name));

beforeEach(async () => {
  living = new Map([100, 200, 300].map((pid) => [pid, `start-${pid}`]));
  home = mkdtempSync(join(base, "home-"));
  const store = storeOf({});
  await store.create(frozen());
  folder = store.runFolder(RUN);
});
async function refusalOf(asked: Promise<unknown>): Promise<Refusal> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw new Error(`not refused: ${error}`);
}

describe("the lock of a run", () => {
  it("is refused while its holder lives, naming the holder, and says who it is to readers", async () => {
    await using _open = await storeOf({}).open(RUN);
    const refusal = await refusalOf(storeOf({ pid: 200 }).open(RUN));
    expect(refusal.code).toBe("locked");
    expect(refusal.message).toBe(`run "${RUN}" is held by process 100 since 2026-01-01T00:00:00.000Z`);
    expect(refusal.hint).toBe(`wait for it, or stop it: pawl stop ${RUN}`);
    expect(await storeOf({ pid: 200 }).holder(RUN)).toEqual({ pid: 100, since: "2026-01-01T00:00:00.000Z", fence: 1 });
  });

  it("is refused to the same process twice", async () => {
    const store = storeOf({});
    await using _open = await store.open(RUN);
    expect((await refusalOf(store.open(RUN))).code).toBe("locked");
  });

  it("is free after its holder let go, without a remark, under a higher number", async () => {
    await (await storeOf({}).open(RUN))[Symbol.asyncDispose]();
    expect(await storeOf({}).holder(RUN)).toBeUndefined();
    await using open = await storeOf({ pid: 200 }).open(RUN);
    expect(open.fence).toBe(2);
    expect(open.remarks).toEqual([]);
    expect(locks()).toEqual(["fence", "lock-2"]);
  });

  const deaths: [string, Partial<Machine>, RegExp][] = [
    ["its process is gone", { startTimeOf: () => undefined }, /process 100 .*: that process is gone/],
    [
      "its number belongs to another program",
      { startTimeOf: () => "later" },
      /its number belongs to another program now/,
    ],
    ["the machine was started anew", { bootId: "boot-2" }, /the machine was started anew since/],
  ];
  it.each(deaths)("is taken over when %s, and the takeover is told", async (_, given, why) => {
    await storeOf({}).open(RUN);
    expect(await storeOf({ pid: 200, ...given }).holder(RUN)).toBeUndefined();
    await using open = await storeOf({ pid: 200, ...given }).open(RUN);
    expect(open.remarks).toEqual([{ about: "lock", text: expect.stringMatching(why) }]);
    expect(open.fence).toBe(2);
  });

  const doubts: [string, Partial<Machine>][] = [
    ["in a container", { pidSpace: "pid:[2]", startTimeOf: () => undefined }],
    ["on another machine", { host: "there", bootId: "boot-9", startTimeOf: () => undefined }],
  ];
  it.each(doubts)("stays with a holder who cannot be seen from here: %s", async (_, given) => {
    await storeOf({}).open(RUN);
    const refusal = await refusalOf(storeOf({ pid: 200, ...given }).open(RUN));
    expect(refusal.hint).toBe(`it cannot be seen from here; when it is surely gone, remove ${join(folder, "lock-1")}`);
    rmSync(join(folder, "lock-1"));
    await using open = await storeOf({ pid: 200, ...given }).open(RUN);
    expect(open.fence).toBe(2);
  });

  it("goes by the number alone where start times cannot be told", async () => {
    await storeOf({ startTimeOf: () => "" }).open(RUN);
    expect((await refusalOf(storeOf({ pid: 200, startTimeOf: () => "" }).open(RUN))).code).toBe("locked");
    await using open = await storeOf({ pid: 200, startTimeOf: () => undefined }).open(RUN);
    expect(open.fence).toBe(2);
  });

  it("fences the old holder: it writes nothing after a takeover", async () => {
    const old = await storeOf({}).open(RUN);
    await appendMany(old, 1, 2);
    living.delete(100);
    await using open = await storeOf({ pid: 200 }).open(RUN);
    await open.append(remark(3), "x");
    const before = readFileSync(join(folder, "journal.jsonl"));
    const refusal = await refusalOf(old.append(remark(3, "late"), "x"));
    expect(refusal.code).toBe("fenced");
    expect(refusal.message).toMatch(/another process took the run over; nothing was written/);
    await old.snapshot(runAt(2));
    await old[Symbol.asyncDispose]();
    expect(readFileSync(join(folder, "journal.jsonl"))).toEqual(before);
    expect(existsSync(join(folder, "run.json"))).toBe(false);
    living.set(100, "start-100");
    expect((await refusalOf(storeOf({}).open(RUN))).message).toContain("process 200");
  });

  it("fences a holder whose lock file, or whole folder, was removed", async () => {
    const open = await storeOf({}).open(RUN);
    await open.append(started(), "x");
    rmSync(join(folder, "lock-1"));
    expect((await refusalOf(open.append(remark(2), "x"))).message).toMatch(
      /its lock file is gone; nothing was written/,
    );
    rmSync(folder, { recursive: true });
    expect((await refusalOf(open.append(remark(2), "x"))).code).toBe("fenced");
    await open[Symbol.asyncDispose]();
  });

  it("never gives a number twice, also when all lock files were removed", async () => {
    for (let fence = 1; fence <= 11; fence++) {
      await using open = await storeOf({}).open(RUN);
      expect(open.fence).toBe(fence);
      rmSync(join(folder, `lock-${fence}`));
    }
  });

  it("orders numbers as numbers", async () => {
    writeFileSync(join(folder, "lock-9"), "{}");
    writeFileSync(join(folder, "fence"), "1000000\n");
    await using open = await storeOf({}).open(RUN);
    expect(open.fence).toBe(1_000_001);
  });

  it("takes over a lock file that a crash left half written, after waiting a little", async () => {
    writeFileSync(join(folder, "lock-3"), '{"state":"he');
    const since = performance.now();
    await using open = await storeOf({}).open(RUN);
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(open.fence).toBe(4);
    expect(open.remarks[0]?.text).toMatch(/could not be read/);
  });

  it("works where the file system has no links", async () => {
    const link = () => {
      throw Object.assign(new Error("no links here"), { code: "EPERM" });
    };
    await using _open = await storeOf({ link }).open(RUN);
    expect((await refusalOf(storeOf({ pid: 200, link }).open(RUN))).code).toBe("locked");
    expect(locks()).toEqual(["fence", "lock-1"]);
  });

  it("backs off when it is late: a number that was given and gone is not held again", async () => {
    const store = storeOf({});
    const overtaken: Machine["link"] = (_, to) => {
      // Between the look and the link two others came and went.
      if (!to.endsWith("lock-1")) throw Object.assign(new Error("there"), { code: "EEXIST" });
      writeFileSync(join(folder, "fence"), "2\n");
      writeFileSync(
        join(folder, "lock-2"),
        JSON.stringify({
          state: "held",
          pid: 300,
          start: "start-300",
          boot: "boot-1",
          host: "here",
          pidSpace: "pid:[1]",
          since: "then",
          token: "t",
        }),
      );
      writeFileSync(to, readFileSync(_));
    };
    expect((await refusalOf(storeOf({ link: overtaken }).open(RUN))).message).toContain("process 300");
    expect(locks()).toEqual(["fence", "lock-2"]);
    expect((await store.holder(RUN))?.pid).toBe(300);
  });

  it("is let go when the journal turns out to be broken", async () => {
    writeFileSync(join(folder, "journal.jsonl"), "nonsense\n");
    await expect(storeOf({}).open(RUN)).rejects.toThrow(/is no JSON object/);
    expect(await storeOf({}).holder(RUN)).toBeUndefined();
  });

  it("sweeps what a killed process was making, and nothing of who is making the next one", async () => {
    for (const name of ["lock-1.a.tmp", "fence.b.tmp", "lock-2.c.tmp"]) writeFileSync(join(folder, name), "{}");
    await using _open = await storeOf({}).open(RUN);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual(["lock-2.c.tmp"]);
  });

  it("looks again when what it was making was swept by who came first", async () => {
    let isSwept = false;
    const swept: Machine["link"] = (from, to) => {
      if (!isSwept) rmSync(from);
      isSwept = true;
      linkSync(from, to);
    };
    await using open = await storeOf({ link: swept }).open(RUN);
    expect([isSwept, open.fence]).toEqual([true, 1]);
  });

  it("leaves no temporary file", async () => {
    await using _open = await storeOf({}).open(RUN);
    await storeOf({ pid: 200 })
      .open(RUN)
      .catch(() => undefined);
    expect(readdirSync(folder).filter((name) => name.includes("tmp"))).toEqual([]);
  });
});
