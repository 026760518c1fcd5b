// What the store's tests begin with: a home in a temp folder, a frozen flow, events in a row, and the adapter as one file for children.
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { afterAll } from "vitest";
import type { Event, Flow, Run } from "../../src/core/model.js";
import type { Frozen, OpenRun } from "../../src/ports/store.js";

export const RUN = "dev-7f3k2a";
export const sha = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");

const made: string[] = [];
// Here, not in tempFolder: a test that is running can add no hook.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-store-")));
  made.push(folder);
  return folder;
}

export function frozen(run = RUN, more: Partial<Frozen> = {}): Frozen {
  const flow = { name: "dev", digest: sha("dev"), nodes: {}, steps: ["plan", "build"] } as unknown as Flow; // as much of a flow as a store looks at
  const start = { workspace: "/workspace", dirty: [], signposts: {}, files: {}, tree: "" };
  const opening = { job: "main", inputs: {}, by: "pawl" };
  return { run, flow, source: { path: "loops/dev.yaml", text: "name: dev\n" }, files: {}, opening, start, ...more };
}

export const started = (run = RUN): Event => ({
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  by: "pawl",
  type: "started",
  run,
  job: "main",
  flow: "dev",
  digest: sha("dev"),
  inputs: {},
});
export const remark = (seq: number, text = `remark ${seq}`): Event => ({
  seq,
  at: "2026-01-01T00:00:00.000Z",
  by: "pawl",
  type: "remark",
  about: "test",
  text,
});

export async function appendMany(open: OpenRun, from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq++) await open.append(seq === 1 ? started() : remark(seq), "work plan");
}
export const runAt = (seq: number): Run => ({ id: RUN, seq }) as Run; // as much of a run as a snapshot looks at

/** One file that a child started with plain `node` can import. */
export async function bundle(entry: string): Promise<string> {
  const file = join(tempFolder(), "bundle.mjs");
  await build({
    input: new URL(`../../src/adapters/store/${entry}`, import.meta.url).pathname,
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
    output: { file, format: "esm" },
    logLevel: "silent",
  });
  return file;
}
export const child = (name: string): string => new URL(`./children/${name}.mjs`, import.meta.url).pathname;
