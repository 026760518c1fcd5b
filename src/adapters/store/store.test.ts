import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { appendMany, frozen, RUN, runAt, sha, tempFolder } from "../../../test/durability/fixture.js";
import { SNAPSHOT_EVERY } from "../../core/limits.js";
import { FROZEN_FILE_BYTES_MAX } from "./frozen.js";
import { readSnapshot } from "./snapshot.js";
import { type FileStore, openStore } from "./store.js";

const base = tempFolder();
let home: string;
let store: FileStore;
beforeEach(() => {
  home = mkdtempSync(join(base, "home-"));
  store = openStore({ home });
});

describe("a new run", () => {
  it("has its frozen flow, an empty journal, and nothing half made beside it", async () => {
    await store.create(frozen());
    expect(await store.frozen(RUN)).toEqual(frozen());
    expect(await store.read(RUN)).toEqual([]);
    expect(readdirSync(home)).toEqual(["runs"]);
    expect(store.runFolder(RUN)).toBe(join(home, "runs", RUN));
  });

  it("is refused where its id exists, which stays as it was", async () => {
    await store.create(frozen());
    await expect(store.create(frozen(RUN, { parent: "other" }))).rejects.toMatchObject({ code: "run-exists" });
    expect(await store.frozen(RUN)).toEqual(frozen());
    expect(readdirSync(home)).toEqual(["runs"]);
  });

  it("exists once, whoever makes it at the same time", async () => {
    const makers = Array.from({ length: 8 }, () => openStore({ home }).create(frozen()));
    const done = await Promise.allSettled(makers);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is there whole or not at all when the process dies on the way", async () => {
    const dies = (moment: string) =>
      openStore({
        home,
        at: (name) => {
          if (name === moment) throw new Error("killed");
        },
      }).create(frozen());
    await expect(dies("create:before")).rejects.toThrow("killed");
    expect(await store.list()).toEqual([]);
    await expect(dies("create:after")).rejects.toThrow("killed");
    expect(await store.list()).toEqual([RUN]);
  });

  it("sweeps away what a crash left half made, an hour later", async () => {
    const [old, young] = [join(home, ".making-a-1"), join(home, ".making-b-2")];
    mkdirSync(old);
    mkdirSync(young);
    utimesSync(old, 0, 0);
    await store.create(frozen());
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });

  it("keeps copies of files as they were, with their digests, still runnable", async () => {
    const source = join(base, "check.sh");
    writeFileSync(source, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const digest = sha("#!/bin/sh\nexit 0\n");
    await store.create(frozen(RUN, { files: { "../check": { path: source, digest } } }));
    writeFileSync(source, "changed");
    const copy = (await store.frozen(RUN)).files["../check"]!;
    expect(copy.path.startsWith(join(home, "runs", RUN, "frozen"))).toBe(true);
    expect(sha(readFileSync(copy.path))).toBe(copy.digest);
    expect(copy.from).toBe(source);
    expect(statSync(copy.path).mode & 0o100).toBe(0o100);
  });

  it("is not made of files that were changed, are missing or are too long", async () => {
    const source = join(base, "doc.md");
    writeFileSync(source, Buffer.alloc(FROZEN_FILE_BYTES_MAX + 1));
    const make = (path: string) => store.create(frozen(RUN, { files: { doc: { path, digest: sha("x") } } }));
    await expect(make(source)).rejects.toMatchObject({ code: "file-too-long" });
    writeFileSync(source, "y");
    await expect(make(source)).rejects.toMatchObject({ code: "file-changed" });
    await expect(make(join(base, "none"))).rejects.toMatchObject({ code: "file-missing" });
    expect(await store.list()).toEqual([]);
  });

  it("may live in a state_dir outside the home", async () => {
    const elsewhere = join(mkdtempSync(join(base, "state-")), "deep");
    await store.create(frozen(RUN, { elsewhere }));
    expect(lstatSync(join(home, "runs", RUN)).isSymbolicLink()).toBe(true);
    expect(store.runFolder(RUN)).toBe(join(elsewhere, RUN));
    expect(await store.visitFolder(RUN, "plan", 1)).toBe(join(elsewhere, RUN, "visits", "plan-1"));
    {
      await using open = await store.open(RUN);
      await appendMany(open, 1, 2);
    }
    expect(await store.list()).toEqual([RUN]);
    await expect(
      openStore({ home: mkdtempSync(join(base, "home-")) }).create(frozen(RUN, { elsewhere })),
    ).rejects.toMatchObject({ code: "run-exists" });
    rmSync(elsewhere, { recursive: true });
    expect(await store.list()).toEqual([RUN]);
    await expect(store.frozen(RUN)).rejects.toMatchObject({ record: { code: "state-missing" } });
  });
});

describe("finding a run", () => {
  it("lists the oldest first and passes over what is no run", async () => {
    for (const [index, run] of ["zz-1", "aa-2", "mm-10", "mm-9"].entries()) {
      await store.create(frozen(run));
      utimesSync(join(home, "runs", run, "flow.json"), 1000 + index, 1000 + index);
    }
    writeFileSync(join(home, "runs", ".DS_Store"), "");
    expect(await store.list()).toEqual(["zz-1", "aa-2", "mm-10", "mm-9"]);
    expect(await Promise.all(["aa-2", "aa", ".DS_Store", "../runs/aa-2"].map((run) => store.has(run)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("lists nothing where nothing is, and makes nothing", async () => {
    expect(await store.list()).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it("keeps a run whose frozen flow is broken in the list, and names the file", async () => {
    await store.create(frozen());
    writeFileSync(join(home, "runs", RUN, "flow.json"), '{"run": ');
    expect(await store.list()).toEqual([RUN]);
    await expect(store.frozen(RUN)).rejects.toThrow(/flow\.json is not the frozen flow of run "dev-7f3k2a"/);
  });

  it("does not follow a frozen flow that names copies elsewhere", async () => {
    await store.create(frozen());
    const flow = { ...frozen(), files: { x: { path: "frozen/../../../x", digest: "" } } };
    writeFileSync(join(home, "runs", RUN, "flow.json"), JSON.stringify(flow));
    await expect(store.frozen(RUN)).rejects.toMatchObject({ record: { code: "flow-broken" } });
  });

  it("takes an id or the beginning of one, and says what it looked for and where", async () => {
    for (const run of ["dev-1", "dev-12", "rel-3"]) await store.create(frozen(run));
    expect(await store.find("dev-1")).toBe("dev-1");
    expect(await store.find("r")).toBe("rel-3");
    await expect(store.find("dev")).rejects.toMatchObject({
      code: "ambiguous-run",
      message: expect.stringContaining("dev-1, dev-12"),
    });
    await expect(store.find("nope")).rejects.toThrow(`there is no run "nope" in ${join(home, "runs")}`);
    await expect(store.find("")).rejects.toMatchObject({ code: "no-such-run" });
  });

  it.each(["../x", "/etc", "a/b", "..", "", "a\0b"])("refuses %j as an id, whatever is asked", async (id) => {
    expect(() => store.runFolder(id)).toThrow(/there is no run/);
    for (const ask of [
      store.frozen(id),
      store.read(id),
      store.open(id),
      store.holder(id),
      store.visitFolder(id, "a", 1),
    ])
      await expect(ask).rejects.toMatchObject({ code: "no-such-run" });
    await expect(store.create(frozen(id))).rejects.toThrow();
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("the folder of a visit", () => {
  beforeEach(() => store.create(frozen()));

  it("is fresh at every try, and what an earlier one left stays as it was", async () => {
    const folder = await store.visitFolder(RUN, "plan", 12);
    expect(folder).toBe(join(home, "runs", RUN, "visits", "plan-12"));
    writeFileSync(join(folder, "artifacts", "a"), "kept");
    for (const n of [2, 3]) {
      expect(await store.visitFolder(RUN, "plan", 12)).toBe(`${folder}.${n}`);
      expect(readdirSync(join(`${folder}.${n}`, "artifacts"))).toEqual([]);
    }
    expect(readFileSync(join(folder, "artifacts", "a"), "utf8")).toBe("kept");
  });

  it("stays inside the run whatever the node is called", async () => {
    const names = [
      "..",
      ".",
      "a/../../b",
      "a b",
      "Größe",
      "😀",
      "%2E",
      "a\0b",
      "x".repeat(150),
      `${"x".repeat(149)}y`,
      "é".repeat(90),
      "",
    ];
    const folders = await Promise.all(names.map((name) => store.visitFolder(RUN, name, 1)));
    expect(new Set(folders).size).toBe(names.length);
    for (const folder of folders) {
      const name = folder.slice(join(home, "runs", RUN, "visits").length + 1);
      expect(name).toMatch(/^[A-Za-z0-9%~_-][A-Za-z0-9._%~-]{0,110}$/);
      expect(name).not.toContain("..");
    }
  });

  it("does not follow a link that was put in its way", async () => {
    symlinkSync(base, join(home, "runs", RUN, "visits", "plan-1"));
    expect(await store.visitFolder(RUN, "plan", 1)).toBe(join(home, "runs", RUN, "visits", "plan-1.2"));
    rmSync(join(home, "runs", RUN, "visits"), { recursive: true });
    symlinkSync(base, join(home, "runs", RUN, "visits"));
    await expect(store.visitFolder(RUN, "plan", 1)).rejects.toMatchObject({ record: { code: "state-unsafe" } });
  });

  it("wants a number for the visit", async () => {
    await expect(store.visitFolder(RUN, "plan", Number.NaN)).rejects.toThrow(/no number of a visit/);
  });
});

describe("the snapshot", () => {
  beforeEach(() => store.create(frozen()));
  const folder = () => store.runFolder(RUN);

  it("is the newest state, written at the end and now and then on the way", async () => {
    const open = await store.open(RUN);
    await appendMany(open, 1, SNAPSHOT_EVERY - 1);
    await open.snapshot(runAt(SNAPSHOT_EVERY - 1));
    expect(readSnapshot(folder())).toBeUndefined();
    await appendMany(open, SNAPSHOT_EVERY, SNAPSHOT_EVERY);
    await open.snapshot(runAt(SNAPSHOT_EVERY));
    expect(readSnapshot(folder())?.seq).toBe(SNAPSHOT_EVERY);
    await appendMany(open, SNAPSHOT_EVERY + 1, SNAPSHOT_EVERY + 1);
    await open.snapshot(runAt(SNAPSHOT_EVERY + 1));
    const { head } = open;
    await open[Symbol.asyncDispose]();
    expect(readSnapshot(folder())).toEqual({ seq: SNAPSHOT_EVERY + 1, head, run: runAt(SNAPSHOT_EVERY + 1) });
  });

  it("is freed at the next opening of what a kill left of its writing, and of a rest's", async () => {
    const commit = join("commits", "ship-1");
    mkdirSync(join(folder(), commit), { recursive: true });
    const left = [
      "run.json.0a1b.tmp",
      "rest.json.4711.tmp",
      "closing.json.4711.tmp",
      "host.json.1.tmp",
      join(commit, "intent.json.1.tmp"),
    ];
    for (const name of [...left, "run.json", "mine.tmp"]) writeFileSync(join(folder(), name), "{");
    await using _open = await store.open(RUN);
    const found = readdirSync(folder(), { recursive: true, encoding: "utf8" });
    expect(found.filter((name) => name.endsWith(".tmp"))).toEqual(["mine.tmp"]);
  });

  it("may be deleted or half there: the run opens all the same and writes it anew", async () => {
    for (const spoil of [undefined, '{"seq":2,"he', "", "[]", '{"seq":1,"head":"x","run":{"seq":9}}']) {
      if (spoil !== undefined) writeFileSync(join(folder(), "run.json"), spoil);
      else rmSync(join(folder(), "run.json"), { force: true });
      expect(readSnapshot(folder())).toBeUndefined();
      await using open = await store.open(RUN);
      const seq = open.lines.length + 1;
      await appendMany(open, seq, seq);
      await open.snapshot(runAt(seq));
    }
    expect(readSnapshot(folder())?.seq).toBe(5);
  });

  it("spares a reader the lines it knows, as long as it fits the journal", async () => {
    const open = await store.open(RUN);
    await appendMany(open, 1, 3);
    await open.snapshot(runAt(3));
    await open[Symbol.asyncDispose]();
    expect(await store.newest(RUN)).toMatchObject({ snapshot: { seq: 3 }, lines: [], last: { seq: 3 } });
    const later = await store.open(RUN);
    await appendMany(later, 4, 5); // and is killed before it writes the next one
    expect(await store.newest(RUN)).toMatchObject({
      snapshot: { seq: 3 },
      lines: [{ seq: 4 }, { seq: 5 }],
      last: { seq: 5 },
    });
  });

  it.each([
    ["of another line", { head: "0".repeat(64) }],
    ["of a line that is not there", { seq: 9, run: runAt(9) }],
    ["of another release", { schema: 0 }],
  ])("is passed over when it is %s", async (_, spoilt) => {
    const open = await store.open(RUN);
    await appendMany(open, 1, 3);
    await open.snapshot(runAt(3));
    await open[Symbol.asyncDispose]();
    const path = join(folder(), "run.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...spoilt }));
    const { snapshot, lines } = await store.newest(RUN);
    expect([snapshot, lines.map(({ seq }) => seq)]).toEqual([undefined, [1, 2, 3]]);
  });

  it("tells the runs that were never at rest", async () => {
    expect(await store.neverRested()).toEqual([RUN]);
    const open = await store.open(RUN);
    await appendMany(open, 1, 1);
    await open.snapshot(runAt(1));
    await open[Symbol.asyncDispose]();
    expect(await store.neverRested()).toEqual([]);
  });

  it("leaves nothing half written beside it when the process dies on the way", async () => {
    const dying = openStore({
      home,
      at: (name) => {
        if (name === "snapshot:after") throw new Error("killed");
      },
    });
    const open = await dying.open(RUN);
    await appendMany(open, 1, 1);
    await open.snapshot(runAt(1));
    await expect(open[Symbol.asyncDispose]()).rejects.toThrow("killed");
    expect(readSnapshot(folder())?.seq).toBe(1);
    expect(readdirSync(folder()).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});
