import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { appendMany, frozen, RUN, sha, tempFolder } from "../../../test/durability/fixture.js";
import type { Records } from "../../ports/store.js";
import { adoptPublished, refuseOtherHistory } from "./adopt.js";
import { openRecords } from "./records.js";
import { type FileStore, openStore } from "./store.js";

const base = tempFolder();
const at = { job: "feat/login", loop: "dev", run: RUN };
let workspace: string;
let store: FileStore;
let records: Records;
let jobsFolder: string;
beforeEach(() => {
  workspace = mkdtempSync(join(base, "ws-"));
  jobsFolder = join(workspace, ".pawl", "jobs");
  store = openStore({ home: join(workspace, "home") });
  records = openRecords({ workspace, runFolder: (run) => store.runFolder(run) });
});
const record = { status: "running", task_id: RUN, loop_name: "dev" };

describe("the published record", () => {
  it("is a file of the job, whose slashes are folders", async () => {
    expect(await records.publish(at, record)).toBeUndefined();
    expect(records.pathOf(at)).toBe(join(jobsFolder, "feat", "login", `dev-${RUN}.json`));
    expect(JSON.parse(readFileSync(records.pathOf(at), "utf8"))).toEqual(record);
  });

  it("is replaced, with LOOP.md where there is one, leaving nothing beside it", async () => {
    await records.publish(at, record, "# old");
    await records.publish(at, { ...record, status: "complete" }, "# new");
    expect(JSON.parse(readFileSync(records.pathOf(at), "utf8")).status).toBe("complete");
    expect(readdirSync(dirname(records.pathOf(at))).sort()).toEqual(["LOOP.md", `dev-${RUN}.json`]);
    expect(readFileSync(join(jobsFolder, "feat", "login", "LOOP.md"), "utf8")).toBe("# new");
  });

  it.each([
    "..",
    "../x",
    "a/../b",
    "/etc",
    "a//b",
    "",
    "a/",
    "a\nb",
    "a\u0000",
    "a\u202eb",
    "a\\b",
    ".git",
    "a/.GIT/b",
    "x".repeat(300),
    `${"a/".repeat(30)}a`,
  ])("is not written for a job that cannot name a folder: %j", async (job) => {
    expect(await records.publish({ ...at, job }, record)).toMatch(/cannot name a folder|more than 20 parts/);
    expect(await records.publishJournal({ ...at, job })).toBeTypeOf("string");
    expect(() => records.pathOf({ ...at, job })).toThrow();
    expect(existsSync(jobsFolder)).toBe(false);
  });

  it.each(["a/b", "../x", ""])("is not written for a loop that cannot name a file: %j", async (loop) => {
    const said = await records.publish({ ...at, loop }, record);
    if (loop !== "") expect(said).toMatch(/cannot name a file/);
  });

  it("takes any other name of a branch", async () => {
    for (const job of ["ünïcode", "with space", "#12", "-rf", "$(id)", "a;b", "CON", "_pending-x"])
      expect(await records.publish({ ...at, job }, record)).toBeUndefined();
  });

  it("follows no link, in its own place or above it, and says so", async () => {
    const outside = mkdtempSync(join(base, "outside-"));
    writeFileSync(join(outside, "precious"), "precious");
    mkdirSync(join(jobsFolder, "feat", "login"), { recursive: true });
    symlinkSync(join(outside, "precious"), records.pathOf(at));
    expect(await records.publish(at, record)).toMatch(/is a symbolic link; remove it/);
    rmSync(join(jobsFolder, "feat"), { recursive: true });
    symlinkSync(outside, join(jobsFolder, "feat"));
    expect(await records.publish(at, record)).toMatch(/feat is a link or a file where a folder must be/);
    rmSync(join(workspace, ".pawl"), { recursive: true });
    symlinkSync(outside, join(workspace, ".pawl"));
    expect(await records.publish(at, record)).toMatch(/\.pawl is a link or a file/);
    expect(readdirSync(outside)).toEqual(["precious"]);
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious");
  });

  it.each([["feat", "login"], ["feat"], []])(
    "follows no link that is put in the place of a folder it wrote to a moment ago: %s %s",
    async (...parts) => {
      expect(await records.publish(at, record)).toBeUndefined();
      const folder = join(jobsFolder, ...parts);
      const away = `${mkdtempSync(join(base, "away-"))}/moved`;
      renameSync(folder, away);
      symlinkSync(away, folder);
      const moved = join(away, ...["feat", "login"].slice(parts.length), `dev-${RUN}.json`);
      expect(await records.publish(at, { ...record, status: "complete" })).toMatch(/is a link or a file/);
      expect(JSON.parse(readFileSync(moved, "utf8")).status).toBe("running");
      rmSync(folder);
      expect(await records.publish(at, { ...record, status: "failed" })).toBeUndefined();
      expect(JSON.parse(readFileSync(records.pathOf(at), "utf8")).status).toBe("failed");
    },
  );

  it("says when a folder or a file stands in its way", async () => {
    mkdirSync(records.pathOf(at), { recursive: true });
    expect(await records.publish(at, record)).toMatch(/is a folder; remove it/);
    rmSync(join(jobsFolder, "feat"), { recursive: true });
    writeFileSync(join(jobsFolder, "feat"), "");
    expect(await records.publish(at, record)).toMatch(/is a link or a file where a folder must be/);
    expect(readdirSync(jobsFolder)).toEqual(["feat"]);
  });

  it("sweeps away what a killed process left half written, and not what a living one writes", async () => {
    const folder = join(jobsFolder, "feat", "login");
    mkdirSync(folder, { recursive: true });
    const [dead, alive] = [`dev-${RUN}.json.4194305-ab.tmp`, `dev-${RUN}.json.${process.pid}-ab.tmp`];
    for (const name of [dead, alive]) writeFileSync(join(folder, name), "{");
    await records.publish(at, record);
    expect(readdirSync(folder).sort()).toEqual([`dev-${RUN}.json`, alive]);
  });
});

describe("the published journal", () => {
  const check = () => join(workspace, "check.sh");
  beforeEach(async () => {
    writeFileSync(check(), "exit 0\n");
    await store.create(
      frozen(RUN, {
        start: { ...frozen().start, workspace },
        files: { check: { path: check(), digest: sha("exit 0\n") } },
      }),
    );
    await using open = await store.open(RUN);
    await appendMany(open, 1, 3);
  });
  const published = (end: string) => join(jobsFolder, "feat", "login", `dev-${RUN}${end}`);
  const journalOf = (from: FileStore) => readFileSync(join(from.runFolder(RUN), "journal.jsonl"), "utf8");
  const clone = () => mkdtempSync(join(base, "clone-"));

  it("is the whole lines of the journal and the frozen flow, without paths of this machine", async () => {
    const whole = journalOf(store);
    appendFileSync(join(store.runFolder(RUN), "journal.jsonl"), '{"seq":4');
    expect(await records.publishJournal(at)).toBeUndefined();
    expect(readFileSync(published(".jsonl"), "utf8")).toBe(whole);
    expect(readFileSync(published(".flow.json"), "utf8")).not.toContain(workspace);
    expect(readdirSync(dirname(published(""))).sort()).toEqual([`dev-${RUN}.flow.json`, `dev-${RUN}.jsonl`]);
  });

  it("says what is wrong when the run is not there", async () => {
    expect(await records.publishJournal({ ...at, run: "gone-1" })).toMatch(/no such file/);
  });

  it("is adopted by another clone, which carries the run on", async () => {
    await records.publishJournal(at);
    const home = clone();
    expect(adoptPublished({ home, jobsFolder, workspace: "/ws" }, RUN)).toEqual({
      did: "adopted",
      run: RUN,
      loop: "dev",
      events: 3,
      from: published(".jsonl"),
    });
    const there = openStore({ home });
    expect((await there.frozen(RUN)).start.workspace).toBe("/ws");
    expect(journalOf(there)).toBe(journalOf(store));
    expect(readFileSync((await there.frozen(RUN)).files.check!.path, "utf8")).toBe("exit 0\n");
    expect((await there.frozen(RUN)).files.check?.from).toBe("/ws/check.sh");
    await using open = await there.open(RUN);
    await appendMany(open, 4, 4);
    expect(adoptPublished({ home, jobsFolder, workspace: "/ws" }, RUN)).toEqual({
      did: "nothing",
      run: RUN,
      why: "known-here",
    });
  });

  it("is adopted by nobody where nothing is published", () => {
    expect(adoptPublished({ home: clone(), jobsFolder, workspace: "/ws" }, "dev-other")).toMatchObject({
      did: "nothing",
      why: "not-published",
    });
    expect(adoptPublished({ home: clone(), jobsFolder, workspace: "/ws" }, "../x")).toMatchObject({
      did: "nothing",
      why: "not-published",
    });
  });

  it("is not mixed with another history of the same run", async () => {
    await records.publishJournal(at);
    const home = clone();
    const other = openStore({ home });
    await other.create(frozen());
    {
      await using open = await other.open(RUN);
      await appendMany(open, 1, 1);
    }
    expect(() => adoptPublished({ home, jobsFolder, workspace: "/ws" }, RUN)).toThrow(
      /goes on where the run here stops/,
    );
    await using open = await other.open(RUN);
    await open.append({ seq: 2, at: "", by: "", type: "resumed" }, "x");
    expect(() => adoptPublished({ home, jobsFolder, workspace: "/ws" }, RUN)).toThrow(/tells another history/);
  });

  it("is looked for where the run's job is, and everywhere only of a run that was published from here", async () => {
    await records.publishJournal(at);
    const other = openStore({ home: clone() });
    await other.create(frozen());
    const here = { jobsFolder, runFolder: other.runFolder(RUN), run: RUN, loop: "dev" };
    const look = (job: string, isPublished: boolean) => () => refuseOtherHistory({ ...here, job, isPublished });
    expect(look(at.job, false)).toThrow(/goes on where the run here stops/);
    expect(look("renamed", true)).toThrow(/goes on where the run here stops/);
    expect(look("renamed", false)).not.toThrow();
    expect(look(`${at.job}/dev-${RUN}.jsonl`, false)).not.toThrow(); // a file where a folder would be
  });

  it.each([
    ["edited", (text: string) => text.replace("remark 2", "remark Z"), /:2 has the digest/],
    ["cut off", (text: string) => text.slice(0, -5), /is cut off/],
    [
      "of another run",
      (text: string) => `${text.replaceAll(RUN, "dev-zzzzzz").split("\n")[0]}\n`,
      /does not begin with the start/,
    ],
    ["empty", () => "", /does not begin with the start/],
  ])("is not adopted when it is %s", async (_, change, what) => {
    await records.publishJournal(at);
    writeFileSync(published(".jsonl"), change(readFileSync(published(".jsonl"), "utf8")));
    const home = clone();
    expect(() => adoptPublished({ home, jobsFolder, workspace: "/ws" }, RUN)).toThrow(what);
    expect(await openStore({ home }).list()).toEqual([]);
  });

  it("is not adopted with a frozen file that was changed, without its flow, or when there are two", async () => {
    await records.publishJournal(at);
    const flow = readFileSync(published(".flow.json"), "utf8");
    const adopt = () => adoptPublished({ home: clone(), jobsFolder, workspace: "/ws" }, RUN);
    writeFileSync(published(".flow.json"), flow.replace("exit 0", "exit 1"));
    expect(adopt).toThrow(/has another digest/);
    writeFileSync(published(".flow.json"), flow.replace("frozen/check", "../../check"));
    expect(adopt).toThrow(/is not the frozen flow/);
    rmSync(published(".flow.json"));
    expect(adopt).toThrow(/is missing/);
    await records.publishJournal(at);
    await records.publishJournal({ ...at, job: "main" });
    expect(adopt).toThrow(/published more than once/);
  });
});
