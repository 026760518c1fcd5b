// May the sandbox tests run on this machine? With PAWL_SANDBOX_REQUIRE=bubblewrap what is missing fails, else it skips and says why.
import { spawnSync } from "node:child_process";
import { describe, it } from "vitest";

function lacking(): string | undefined {
  if (process.platform !== "linux") return `this is ${process.platform}; bubblewrap is for Linux`;
  for (const program of ["bwrap", "cc", "git"])
    if (spawnSync(program, ["--version"]).error) return `"${program}" is not installed`;
  return undefined;
}
const reason = lacking();
const required = (process.env.PAWL_SANDBOX_REQUIRE ?? "").split(",").includes("bubblewrap");

/** A `describe` for tests that need bubblewrap. */
export function withBubblewrap(title: string, body: () => void) {
  if (reason === undefined) describe(title, body);
  else if (required)
    it(title, () => {
      throw new Error(`PAWL_SANDBOX_REQUIRE names bubblewrap, and ${reason}`);
    });
  else {
    console.warn(`skipped: ${title}: ${reason}`);
    describe.skip(title, body);
  }
}
export const isRoot = process.getuid?.() === 0;
