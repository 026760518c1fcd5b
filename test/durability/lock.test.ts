// Real processes at one run: who gets it, who lives, what a kill leaves behind.
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type FileStore, openStore } from "../../src/adapters/store/store.js";
import { bundle, child, frozen, RUN, remark, started, tempFolder } from "./fixture.js";

interface Answer {
  held?: number;
  remarks?: { text: string }[];
  appended?: number;
  refused?: string;
  message?: string;
  ready?: true;
}
const base = tempFolder();
let store: FileStore;
let home: string;
let adapter: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  adapter = await bundle("store.ts");
});
beforeEach(async () => {
  home = mkdtempSync(join(base, "home-"));
  store = openStore({ home });
  await store.create(frozen());
});
afterEach(() => {
  for (const one of children.splice(0)) one.kill("SIGKILL");
});

async function start(...dies: string[]): Promise<ChildProcess> {
  const one = fork(child("hold"), [adapter, home, RUN, ...dies]);
  one.setMaxListeners(0);
  children.push(one);
  await heard(one);
  return one;
}
const heard = (one: ChildProcess) =>
  new Promise<Answer>((resolve) => one.once("message", (answer) => resolve(answer as Answer)));
/** A child that dies on the way answers nothing. */
function tell(one: ChildProcess, order: object): Promise<Answer> {
  const answer = Promise.race([heard(one), gone(one).then((): Answer => ({ refused: "dead" }))]);
  one.send(order, () => undefined);
  return answer;
}
const gone = (one: ChildProcess) => new Promise((resolve) => one.once("exit", resolve));
async function killed(one: ChildProcess): Promise<void> {
  const exit = gone(one);
  one.kill("SIGKILL");
  await exit;
}

it("goes to exactly one of two processes in each of 200 races, and the other is told who holds it", async () => {
  const racers = [await start(), await start()] as const;
  const wins = [0, 0];
  for (let round = 1; round <= 200; round++) {
    const take = Date.now() + 4;
    const answers = await Promise.all(racers.map((one) => tell(one, { take })));
    const winner = answers.findIndex(({ held }) => held !== undefined);
    const loser = answers[1 - winner];
    expect(answers.filter(({ held }) => held !== undefined)).toHaveLength(1);
    expect(loser?.refused).toBe("locked");
    expect(loser?.message).toContain(`is held by process ${racers[winner as 0 | 1].pid} since`);
    expect(answers[winner]?.held).toBeGreaterThanOrEqual(round);
    wins[winner]! += 1;
    await tell(racers[winner as 0 | 1], { release: true });
  }
  console.log(`races won: ${wins.join(" and ")}`);
});

it("goes to exactly one of three when its holder was killed, 8 times", async () => {
  const racers = [await start(), await start(), await start()];
  for (let round = 0; round < 8; round++) {
    const holder = await start();
    await tell(holder, { take: 0 });
    await killed(holder);
    const take = Date.now() + 4;
    const answers = await Promise.all(racers.map((one) => tell(one, { take })));
    const winner = answers.findIndex(({ held }) => held !== undefined);
    expect(answers.filter(({ refused }) => refused === "locked")).toHaveLength(2);
    expect(answers[winner]?.remarks?.[0]?.text).toMatch(/that process is gone/);
    await tell(racers[winner]!, { release: true });
  }
});

it("is not taken from a holder that was stopped", async () => {
  const one = await start();
  await tell(one, { take: 0 });
  one.kill("SIGSTOP");
  await expect(store.open(RUN)).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(`process ${one.pid}`),
  });
  expect((await store.holder(RUN))?.pid).toBe(one.pid);
  one.kill("SIGCONT");
  expect((await tell(one, { append: true })).appended).toBe(1);
});

it("is taken from a holder that was killed, also while nobody has buried it", async () => {
  const one = await start();
  await tell(one, { take: 0 });
  await tell(one, { append: true });
  one.kill("SIGKILL");
  for (let tries = 0; (await store.holder(RUN)) !== undefined && tries < 1_000_000; tries++); // no turn of the loop: it stays a zombie
  await using open = await store.open(RUN);
  expect(open.remarks[0]?.text).toMatch(new RegExp(`took the run over from process ${one.pid} .*that process is gone`));
  await open.append(remark(2), "x");
});

it("fences a holder that lives on after others believed it dead: it writes nothing", async () => {
  const one = await start();
  await tell(one, { take: 0 });
  await tell(one, { append: true });
  const believing = openStore({ home, bootId: "another boot" });
  await using open = await believing.open(RUN);
  expect(await tell(one, { append: true })).toMatchObject({ refused: "fenced" });
  await open.append(remark(2), "x");
  expect(await tell(one, { append: true })).toMatchObject({ refused: "fenced" });
  expect((await store.read(RUN)).map(({ seq, by }) => [seq, by])).toEqual([
    [1, "child"],
    [2, "pawl"],
  ]);
});

it.each(["append:before", "append:after", "snapshot:before", "snapshot:after", "lock:after"])(
  "loses nothing that was acknowledged when it is killed at %s",
  async (moment) => {
    const one = await start(moment, moment.startsWith("append") ? "2" : "0");
    const exit = gone(one);
    let acknowledged = 0;
    await tell(one, { take: 0 });
    for (let seq = 1; seq <= 5 && one.exitCode === null && one.signalCode === null; seq++) {
      acknowledged = (await tell(one, { append: true, snapshot: true })).appended ?? acknowledged;
    }
    if (one.signalCode === null) await tell(one, { release: true });
    await exit;
    await using open = await store.open(RUN);
    expect(open.lines.length).toBeGreaterThanOrEqual(acknowledged);
    expect(open.lines.length).toBeLessThanOrEqual(acknowledged + 1);
    const seq = open.lines.length + 1;
    await open.append(seq === 1 ? started() : remark(seq), "x");
    expect(readdirSync(store.runFolder(RUN)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  },
);
