// What init writes, in the real Claude Code: its own end-of-turn hook runs, keeps the agent at its skill, and lets it go.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { REMINDERS_MAX } from "../../src/core/turn.js";
import { HOSTED_FILES, hosted } from "../harness/hosted.js";
import { ended, PACKAGE } from "../harness/repository.js";
import { deedsIn } from "./scenarios.mjs";
import { openWorkbench, skippedBecause, type Workbench } from "./workbench.js";

/** `pawl` by its name, as the files of a team call it. */
function put({ root, workspace }: Workbench): string {
  for (const [name, text] of Object.entries(HOSTED_FILES)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "pawl"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(PACKAGE, "dist", "pawl.js")}" "$@"\n`,
  );
  chmodSync(join(bin, "pawl"), 0o755);
  return bin;
}

describe.skipIf(skippedBecause !== undefined)("Claude Code in a repository that was set up", () => {
  test("is sent back to its skill three times while a run waits for it, and ends its turn at once when none does", async () => {
    const bench = await openWorkbench(deedsIn);
    try {
      const env = { ...bench.hostEnv, ...bench.clientEnv, PATH: `${put(bench)}:${bench.hostEnv.PATH}` };
      // not in step: the scripted model lives in this process
      const run = (file: string, ...args: string[]) => ended(spawn(file, args, { cwd: bench.workspace, env }));
      await run("pawl", "init", "--ides", "claude-code", "--yes");
      const turn = async () => {
        const before = bench.models.requests.length;
        await run(bench.program, "-p", "[[recall]] please", "--output-format", "stream-json", "--verbose");
        return bench.models.requests.slice(before).map((request) => JSON.stringify(request));
      };
      expect((await turn()).filter((request) => request.includes("reminder "))).toEqual([]);
      const id = await hosted({ folder: bench.workspace, home: bench.home });
      const reminded = (await turn()).filter((request) => request.includes(`Run ${id} of the Pawl loop`));
      expect(reminded).toHaveLength(REMINDERS_MAX);
      expect(reminded.at(-1)).toContain("reminder 3 of 3");
      expect((await turn()).filter((request) => request.includes("reminder "))).toEqual([]);
    } finally {
      await bench.close();
    }
  });
});
