// Builds the program once before the tests that run it.
import { execFileSync } from "node:child_process";

export default function setup(): void {
  if (process.env.PAWL_BUILT) return; // the caller has just built it
  execFileSync("npx", ["rolldown", "-c"], { stdio: "pipe" });
}
