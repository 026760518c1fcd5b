// Starts a Pawl of its own for one run, in a session of its own: neither the end of a request nor that of the server ends it.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { FaultError } from "../../ports/errors.js";

/** How long it may take to take the run; a cold start on a busy machine takes a second. */
const TAKEN_MS = 10_000;
const LOOK_MS = 20;

export interface Behind {
  /** Absolute path of the program. */
  program: string;
  run: string;
  workspace: string;
  env: Record<string, string | undefined>;
  /** What it says goes there; written anew each time. */
  log: string;
  isTaken(): Promise<boolean>;
}

/** Resolves when it has taken the run, or is over already. Throws a FaultError ("not-started"). */
export async function driveBehind({ program, run, workspace, env, log, isTaken }: Behind): Promise<void> {
  const out = openSync(log, "w", 0o600);
  const child = spawn(process.execPath, [program, "drive", run], {
    cwd: workspace,
    env,
    detached: true,
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  child.unref();
  let over: { why?: string } | undefined;
  child.on("error", (error) => {
    over = { why: error.message };
  });
  child.on("exit", () => {
    over ??= {};
  });
  for (let waitedMs = 0; waitedMs < TAKEN_MS && over === undefined; waitedMs += LOOK_MS) {
    if (await isTaken()) return;
    await sleep(LOOK_MS);
  }
  if (over?.why === undefined) return; // it was quick, or is slow: the run itself says which
  throw new FaultError({
    code: "not-started",
    message: `Pawl cannot start itself for run "${run}": ${over.why}`,
    hint: `drive it by hand: pawl resume ${run}`,
  });
}
