// Readers beside writers: nobody ever sees half a file. And how long a long journal takes.
import { fork } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestOf, NO_LINE, textOfLine } from "../../src/adapters/store/chain.js";
import { readJournal } from "../../src/adapters/store/journal.js";
import { scanRecords } from "../../src/adapters/store/scan.js";
import { readSnapshot } from "../../src/adapters/store/snapshot.js";
import { openStore } from "../../src/adapters/store/store.js";
import { bundle, child, frozen, RUN, remark, started, tempFolder } from "./fixture.js";

it("1,000 reads see whole files only while two processes rewrite them, and none is left behind", async () => {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const store = openStore({ home });
  await store.create(frozen());
  const bundles = [await bundle("store.ts"), await bundle("records.ts")];
  const writers = [1, 2].map(() => fork(child("rewrite"), [...bundles, home, workspace, RUN]));
  const said = (word: string) =>
    Promise.all(writers.map((one) => new Promise((done) => one.on("message", (m) => m === word && done(m)))));
  await said("going");
  const jobFolder = join(workspace, ".pawl", "jobs", "main");
  let snapshots = 0;
  for (let reads = 0; reads < 1_000; reads++) {
    const { records, unreadable } = scanRecords(jobFolder);
    expect(unreadable).toEqual([]);
    expect(records).toHaveLength(1);
    const { text, length } = records[0]!.record as { text: string; length: number };
    expect(text).toHaveLength(length);
    if (readSnapshot(store.runFolder(RUN)) !== undefined) snapshots++;
    if (reads % 10 === 0) await store.read(RUN);
  }
  expect(snapshots).toBe(1_000);
  const over = said("done");
  for (const one of writers) one.send("stop");
  await over;
  expect(readdirSync(jobFolder)).toEqual([`dev-${RUN}.json`]);
  expect(readdirSync(store.runFolder(RUN)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

it("10,000 events are read and verified in a moment", async () => {
  const home = tempFolder();
  // Made as the journal makes it, without 10,000 waits for the disk.
  const store = openStore({ home });
  await store.create(frozen());
  const path = join(store.runFolder(RUN), "journal.jsonl");
  const texts: string[] = [];
  let prev = NO_LINE;
  for (let seq = 1; seq <= 10_000; seq++) {
    const event =
      seq === 1 ? started() : remark(seq, `what happened in ${seq}, told in a sentence of ordinary length. `.repeat(4));
    const text = textOfLine({ ...event, place: "work plan", prev });
    prev = digestOf(text);
    texts.push(text);
  }
  writeFileSync(path, `${texts.join("\n")}\n`);
  const cpuMs = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const times = [1, 2, 3, 4, 5].map(() => cpuMs(() => expect(readJournal(path).lines).toHaveLength(10_000)));
  const follow = cpuMs(() => expect(readJournal(path, 9_999).lines).toHaveLength(1));
  const shown = times.map((ms) => ms.toFixed(0)).join(", ");
  console.log(
    `10,000 events, ${statSync(path).size} bytes: ${shown} ms of processor time; following the last: ${follow.toFixed(1)} ms`,
  );
  // Processor time: other work on the machine is not ours to pay.
  expect(Math.min(...times)).toBeLessThan(120);
  expect(follow).toBeLessThan(60);
});

it("an append costs about one sync of the disk", async () => {
  const store = openStore({ home: tempFolder() });
  await store.create(frozen());
  await using open = await store.open(RUN);
  await open.append(started(), "x");
  const since = performance.now();
  for (let seq = 2; seq <= 201; seq++) await open.append(remark(seq), "x");
  console.log(`an append: ${((performance.now() - since) / 200).toFixed(2)} ms`);
  expect(open.head).toHaveLength(64);
});
