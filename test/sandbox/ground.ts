// A workspace on disk and a plan for it, for tests that start commands in a sandbox.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bubblewrap } from "../../src/adapters/sandbox/bubblewrap/engine.js";
import { readCapped } from "../../src/adapters/sandbox/capped.js";
import { readSignposts } from "../../src/adapters/sandbox/signposts.js";
import type { Isolation } from "../../src/core/model.js";
import type { Child, Sandbox, SandboxPlan, SandboxTask } from "../../src/ports/sandbox.js";

export const SMALL: Isolation = {
  engine: "auto",
  memoryBytes: 64 << 20,
  processes: 48,
  cpus: 1,
  scratchBytes: 16 << 20,
  outputBytes: 1 << 20,
  diskFloorBytes: 0,
  protect: [],
  mounts: [],
  env: {},
  require: {},
};
export const never = new AbortController().signal;

export class Ground {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-ground-")));
  readonly workspace = join(this.root, "workspace");
  readonly state = join(this.workspace, ".pawl/local");
  readonly artifacts = join(this.state, "visit");

  constructor() {
    mkdirSync(this.artifacts, { recursive: true });
    writeFileSync(join(this.state, "journal"), "what has passed\n");
  }
  plan(change: Partial<SandboxPlan> = {}, isolation: Partial<Isolation> = {}): SandboxPlan {
    const { workspace, state, artifacts } = this;
    return {
      run: "run",
      visit: "visit",
      workspace,
      access: "write",
      signposts: readSignposts(workspace),
      state,
      artifacts,
      earlier: [],
      protect: [],
      readable: [],
      isolation: { ...SMALL, ...isolation },
      ...change,
    };
  }
  task(script: string, change: Partial<SandboxTask> = {}): SandboxTask {
    return { argv: ["sh", "-c", script], cwd: this.workspace, env: {}, timeoutMs: 30_000, graceMs: 0, ...change };
  }
  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Runs one command to its end. `meanwhile` sees the living child. */
export async function run(
  plan: SandboxPlan,
  task: SandboxTask,
  meanwhile: (child: Child) => void = () => {},
  engine: Sandbox = new Bubblewrap(),
) {
  const session = await engine.open(plan, never);
  try {
    const child = await session.start(task);
    child.stdin.end();
    const streams = Promise.all([readCapped(child.stdout), readCapped(child.stderr)]);
    meanwhile(child);
    const outcome = await child.ended;
    const [out, err] = await streams;
    return { outcome, out: out.text, err: err.text };
  } finally {
    await session[Symbol.asyncDispose]();
  }
}
