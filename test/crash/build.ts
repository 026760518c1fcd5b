// Bundles the program that dies, for one test file: another one's build must not pull it away from under a running child.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { afterAll, beforeAll } from "vitest";
import { PACKAGE } from "../harness/repository.js";

const FOLDER = join(PACKAGE, "build", `crash-${process.pid}`);
export const THAT_DIES = join(FOLDER, "pawl-that-dies.js");

/** Call it once at the top of a test file. */
export function buildThatDies(): void {
  beforeAll(async () => {
    await build({
      input: join(PACKAGE, "test", "crash", "pawl-that-dies.ts"),
      platform: "node",
      transform: { target: "node20" },
      output: {
        dir: FOLDER,
        format: "esm",
        minify: true,
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
      },
      logLevel: "silent",
    });
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
}
