// Real disks that are full or read-only. Needs root for the mounts; says so where it cannot.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openRecords } from "../../src/adapters/store/records.js";
import { openStore } from "../../src/adapters/store/store.js";
import { FaultError } from "../../src/ports/errors.js";
import { appendMany, frozen, RUN, remark, runAt, tempFolder } from "./fixture.js";

const mounted: string[] = [];
function mount(options: string): string {
  const folder = tempFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "pawl-test", folder], { stdio: "pipe" });
  mounted.push(folder);
  return folder;
}
const unmountAll = () => {
  for (const folder of mounted.splice(0)) execFileSync("umount", ["-l", folder]);
};
function whyNot(): string | undefined {
  if (process.platform !== "linux") return "tmpfs needs Linux";
  if (process.getuid?.() !== 0) return "mount needs root";
  try {
    mount("size=64k");
    unmountAll();
    return undefined;
  } catch (error) {
    return `mount does not work here: ${error}`;
  }
}
const reason = whyNot();
if (reason !== undefined) console.log(`skipped, disks that are full or read-only: ${reason}`);
afterEach(unmountAll);

const fill = (folder: string) => {
  try {
    for (let size = 1 << 17; size >= 1; size >>= 1) writeFileSync(join(folder, `filler-${size}`), Buffer.alloc(size));
  } catch {
    // full
  }
};

describe.skipIf(reason !== undefined)("a full disk", () => {
  async function fillUp() {
    const home = mount("size=64k");
    const store = openStore({ home });
    await store.create(frozen());
    const open = await store.open(RUN);
    await appendMany(open, 1, 2);
    const text = "x".repeat(5_000);
    let seq = 2;
    let fault: unknown;
    while (fault === undefined && seq < 100) {
      await open.append(remark(seq + 1, text), "x").then(
        () => seq++,
        (error: unknown) => {
          fault = error;
        },
      );
    }
    return { home, store, open, seq, fault, text };
  }
  const journal = (home: string) => readFileSync(join(home, "runs", RUN, "journal.jsonl"), "utf8");

  it("is a fault that says what to do, and leaves whole lines only", async () => {
    const { home, store, open, seq, fault } = await fillUp();
    expect(fault).toBeInstanceOf(FaultError);
    expect((fault as FaultError).record).toMatchObject({
      code: "disk-full",
      hint: expect.stringContaining("make room"),
    });
    expect(journal(home).endsWith("}\n")).toBe(true);
    expect(await store.read(RUN)).toHaveLength(seq);
    await open[Symbol.asyncDispose]();
    expect(await store.holder(RUN)).toBeUndefined();
  });

  it("is asked again for nothing: with room made, the same run goes on", async () => {
    const { home, store, open, seq, text } = await fillUp();
    execFileSync("mount", ["-o", "remount,size=256k", home]);
    await open.append(remark(seq + 1, text), "x");
    await open[Symbol.asyncDispose]();
    expect(await store.read(RUN)).toHaveLength(seq + 1);
  });

  it("costs the snapshot, not the run, and leaves no temporary file", async () => {
    const { home, open, seq } = await fillUp();
    fill(home);
    await open.snapshot({ ...runAt(seq), goal: "y".repeat(70_000) } as ReturnType<typeof runAt>);
    await open[Symbol.asyncDispose]();
    expect(readdirSync(join(home, "runs", RUN)).filter((name) => /run\.json|tmp/.test(name))).toEqual([]);
  });

  it("makes no run, not even half of one", async () => {
    const home = mount("size=64k");
    fill(home);
    const asked = openStore({ home }).create(frozen(RUN, { source: { path: "x", text: "z".repeat(70_000) } }));
    await expect(asked).rejects.toMatchObject({ record: { code: "disk-full" } });
    expect(readdirSync(join(home, "runs"))).toEqual([]);
    expect(readdirSync(home).filter((name) => name.startsWith(".making"))).toEqual([]);
  });

  it("keeps the record that was there, whole, and says so without throwing", async () => {
    const workspace = mount("size=64k");
    const records = openRecords({ workspace, runFolder: () => "" });
    const at = { job: "main", loop: "dev", run: RUN };
    expect(await records.publish(at, { status: "running" })).toBeUndefined();
    const said = await records.publish(at, { status: "complete", text: "z".repeat(70_000) });
    expect(said).toMatch(/cannot write the record .*ENOSPC/);
    expect(JSON.parse(readFileSync(records.pathOf(at), "utf8")).status).toBe("running");
    expect(readdirSync(join(workspace, ".pawl", "jobs", "main"))).toHaveLength(1);
  });
});

describe.skipIf(reason !== undefined)("a read-only disk", () => {
  it("refuses a start and a resume with the reason, changes nothing, and still lets people look", async () => {
    const home = mount("size=256k");
    const store = openStore({ home });
    await store.create(frozen());
    {
      await using open = await store.open(RUN);
      await appendMany(open, 1, 3);
    }
    const size = statSync(join(home, "runs", RUN, "journal.jsonl")).size;
    execFileSync("mount", ["-o", "remount,ro", home]);
    await expect(store.create(frozen("dev-2"))).rejects.toMatchObject({ record: { code: "state-unwritable" } });
    await expect(store.open(RUN)).rejects.toMatchObject({ record: { code: "state-unwritable" } });
    expect(await store.read(RUN)).toHaveLength(3);
    expect(await store.list()).toEqual([RUN]);
    expect(await store.holder(RUN)).toBeUndefined();
    expect(statSync(join(home, "runs", RUN, "journal.jsonl")).size).toBe(size);
  });

  it("that becomes so under an open run costs the snapshot only, as the journal is open", async () => {
    const home = mount("size=256k");
    const store = openStore({ home });
    await store.create(frozen());
    const open = await store.open(RUN);
    await appendMany(open, 1, 2);
    // The journal is open for writing, so the disk itself cannot be remounted: a read-only bind over the folder hides it.
    const folder = store.runFolder(RUN);
    execFileSync("mount", ["--bind", folder, folder]);
    mounted.unshift(folder);
    execFileSync("mount", ["-o", "remount,bind,ro", folder]);
    await open.append(remark(3), "x");
    await open.snapshot(runAt(3));
    await open[Symbol.asyncDispose]();
    expect(await store.read(RUN)).toHaveLength(3);
    expect(readdirSync(folder)).not.toContain("run.json");
  });

  it("says that a record cannot be written, without throwing", async () => {
    const workspace = mount("size=256k");
    mkdirSync(join(workspace, ".pawl"));
    execFileSync("mount", ["-o", "remount,ro", workspace]);
    const records = openRecords({ workspace, runFolder: () => "" });
    expect(await records.publish({ job: "main", loop: "dev", run: RUN }, {})).toMatch(
      /cannot write the record .*EROFS/,
    );
  });
});

it("refuses a home that is a file, at once", async () => {
  const home = join(tempFolder(), "file");
  writeFileSync(home, "");
  await expect(openStore({ home }).create(frozen())).rejects.toBeInstanceOf(FaultError);
});
