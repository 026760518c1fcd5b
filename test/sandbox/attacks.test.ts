// The contract test of every engine: attacked from inside, between two steps and by kills, and a control that shows that the attacks can see.
// Needs a C compiler with a static libc (Debian: gcc, libc6-dev), bash, git and util-linux beside bubblewrap.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifies } from "../harness/verifies.js";
import { withBubblewrap, withDocker } from "./here.js";

const attacks = fileURLToPath(new URL("attacks", import.meta.url));
const source = fileURLToPath(new URL("engine.ts", import.meta.url));
let made = "";

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "pawl-attacks-"));
  mkdirSync(join(made, "probes"));
  for (const program of ["sysprobe", "res"]) {
    const built = join(made, "probes", program);
    const { status, stderr } = spawnSync("cc", ["-O1", "-static", "-o", built, join(attacks, `${program}.c`)]);
    if (status !== 0) throw new Error(`"${program}.c" does not compile: ${stderr}`);
  }
  const output = { file: join(made, "engine.mjs"), codeSplitting: false as const };
  await build({ input: source, platform: "node", logLevel: "silent", output });
  copyFileSync(join(attacks, "bubblewrap-plain.mjs"), join(made, "control.mjs"));
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** Concurrent, because most of the time is waiting for a time-out or a sign of life. */
function underAttack(engine: string) {
  it.concurrent("lets nothing out, keeps every cap, and lets the work through", async () => {
    verifies("sandbox.no-network", "sandbox.locked-down");
    expect(await attack("suite.mjs", ["engine.mjs", "--resources"], { PAWL_ENGINE: engine })).toMatch(
      /\d\d results, 0 breaches, 0 unexpected/,
    );
  });
  it.concurrent("opens no door to the next step by what the last one left", async () => {
    expect(await attack("between-steps.mjs", ["engine.mjs"], { PAWL_ENGINE: engine })).toContain("all as expected");
  });
  it.concurrent("is outlived by nothing, however its end comes", async () => {
    expect(await attack("survive.mjs", ["engine.mjs"], { PAWL_ENGINE: engine })).toContain("all as expected");
  });
}
withBubblewrap("the bubblewrap engine under attack", () => {
  underAttack("bubblewrap");
  it.concurrent("is not judged by blind attacks: the flags of tutorials leak", async () => {
    expect(await attack("suite.mjs", ["control.mjs"])).toContain("the suite can see");
  });
  it.concurrent("is attacked by programs that refuse to run anywhere else", async () => {
    expect(await ended(spawn("bash", [join(attacks, "guard-check.sh")], { env: environment() }))).toContain(
      "all refused",
    );
  });
});
withDocker("the Docker engine under attack", () => underAttack("docker"));

function environment(more: Record<string, string> = {}) {
  return { ...process.env, PAWL_PROBES: join(made, "probes"), ...more };
}
function attack(script: string, [engine = "", ...words]: string[], env: Record<string, string> = {}): Promise<string> {
  const args = [join(attacks, script), join(made, engine), ...words];
  return ended(spawn(process.execPath, args, { env: environment(env), stdio: ["ignore", "pipe", "pipe"] }));
}
async function ended(child: ReturnType<typeof spawn>): Promise<string> {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(said, `exit ${code}`).not.toBe("");
  expect(code, said).toBe(0);
  return said;
}
