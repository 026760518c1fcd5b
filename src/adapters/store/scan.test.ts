import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../test/durability/fixture.js";
import { verifies } from "../../../test/harness/verifies.js";
import { RECORD_BYTES_MAX, STATUS_WORDS, scanRecords } from "./scan.js";

const record = (status: unknown, more = {}) => JSON.stringify({ loop_name: "dev", task_id: "dev-1", status, ...more });
function folderOf(files: Record<string, string>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it("finds the records of a job, in any of the seven words", () => {
  const files = Object.fromEntries(STATUS_WORDS.map((status, index) => [`dev-${index}.json`, record(status)]));
  const { records, unreadable } = scanRecords(folderOf(files));
  expect(records.map(({ status }) => status)).toEqual(STATUS_WORDS);
  expect(records[0]).toMatchObject({ file: "dev-0.json", loop: "dev", run: "dev-1", record: { task_id: "dev-1" } });
  expect(unreadable).toEqual([]);
});

it("passes over JSON that lacks the marks of a run, and over what is no JSON by name", () => {
  verifies("active.foreign-json");
  const files = {
    "validation-report.json": '{"status": "fail", "checks": []}',
    "list.json": "[1]",
    "null.json": "null",
    "proto.json": '{"__proto__": {"loop_name": "a", "task_id": "b", "status": "running"}}',
    "dev-1.jsonl": "{",
    "dev-1.flow.json": "{",
    ".hidden.json": "{",
    "dev-1.json.12-ab.tmp": "{",
    "LOOP.md": "",
  };
  expect(scanRecords(folderOf(files))).toEqual({ records: [], unreadable: [] });
});

it("names a file with another word, and what the words are", () => {
  verifies("task.field.status");
  const { records, unreadable } = scanRecords(
    folderOf({ "a.json": record("done"), "b.json": record(["running"]), "c.json": record("running") }),
  );
  expect(records.map(({ file }) => file)).toEqual(["c.json"]);
  expect(unreadable).toEqual([
    { file: "a.json", why: `its status is "done", not one of ${STATUS_WORDS.join(", ")}` },
    { file: "b.json", why: expect.stringContaining("not one of") },
  ]);
});

it("names every file that is cut off, too long, a link, a pipe or a folder, and waits at none", () => {
  const folder = folderOf({
    "cut.json": record("running").slice(0, -3),
    "empty.json": "",
    "long.json": "",
    "odd.json": record("running", { task_id: 7 }),
  });
  truncateSync(join(folder, "long.json"), RECORD_BYTES_MAX + 1);
  symlinkSync("cut.json", join(folder, "link.json"));
  mkdirSync(join(folder, "folder.json"));
  execFileSync("mkfifo", [join(folder, "pipe.json")]);
  const { records, unreadable } = scanRecords(folder);
  expect(records).toEqual([]);
  expect(unreadable).toEqual([
    { file: "cut.json", why: "is cut off or not valid JSON" },
    { file: "empty.json", why: "is cut off or not valid JSON" },
    { file: "folder.json", why: "is no plain file" },
    { file: "link.json", why: "is a symbolic link" },
    { file: "long.json", why: `is longer than ${RECORD_BYTES_MAX} bytes` },
    { file: "odd.json", why: 'its "loop_name" or "task_id" is no text' },
    { file: "pipe.json", why: "is no plain file" },
  ]);
});

it("finds nothing where there is no folder, or a file in its place", () => {
  expect(scanRecords(join(tempFolder(), "none"))).toEqual({ records: [], unreadable: [] });
  expect(scanRecords(join(folderOf({ file: "" }), "file"))).toEqual({ records: [], unreadable: [] });
});
