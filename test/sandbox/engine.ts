// Our engines (bubblewrap, or docker with PAWL_ENGINE=docker), dressed for the attack suite: `attacks/*.mjs ENGINE` run this file, bundled, as they would run any engine.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bubblewrap } from "../../src/adapters/sandbox/bubblewrap/engine.js";
import { readCapped } from "../../src/adapters/sandbox/capped.js";
import { DockerEngine } from "../../src/adapters/sandbox/docker/engine.js";
import { readSignposts } from "../../src/adapters/sandbox/signposts.js";
import { FaultError } from "../../src/ports/errors.js";
import type { Outcome, Sandbox, SandboxPlan, Session } from "../../src/ports/sandbox.js";

interface Profile {
  workspace: string;
  access?: "read" | "write";
  signposts?: Record<string, string>;
  state?: string;
  artifacts?: string;
  protect?: string[];
  mounts?: { source: string; access: "read" | "write" }[];
  limits?: { memoryBytes: number; pids: number; cpus: number; tmpBytes: number };
}
interface Step {
  argv: string[];
  env: Record<string, string>;
  timeoutMs?: number;
  graceMs?: number;
}

const noCaps = process.env.PAWL_CGROUP_ROOT !== undefined;
const isDocker = process.env.PAWL_ENGINE === "docker";
const engine: Sandbox = isDocker
  ? new DockerEngine(process.env)
  : new Bubblewrap(noCaps ? { cgroupRoot: process.env.PAWL_CGROUP_ROOT as string } : {}); // defined: just asked
export const name = engine.engine;
export const column = isDocker
  ? "docker"
  : process.getuid?.() !== 0
    ? "bubblewrap-user"
    : noCaps
      ? "bubblewrap-root-nocaps"
      : "bubblewrap-root-cgroup1";
export const gitSignposts = readSignposts;
export const sweep = () => engine.sweep();
/** For scripts that spawn their own: one session, many starts. */
export const session = (profile: Profile): Promise<Session> =>
  engine.open(planOf(profile, profile.artifacts ?? profile.workspace), new AbortController().signal);

export async function run(profile: Profile, step: Step) {
  const own = profile.artifacts ? undefined : realpathSync(mkdtempSync(join(tmpdir(), "pawl-artifacts-")));
  try {
    return await inSession(planOf(profile, profile.artifacts ?? own ?? ""), step);
  } catch (error) {
    if (error instanceof FaultError) throw Object.assign(error, { code: error.record.code.toUpperCase() });
    throw error;
  } finally {
    if (own) rmSync(own, { recursive: true, force: true });
  }
}

function planOf(profile: Profile, artifacts: string): SandboxPlan {
  const { workspace, limits } = profile;
  return {
    run: "attack",
    visit: "1",
    workspace,
    access: profile.access ?? "write",
    signposts: profile.signposts ?? readSignposts(workspace),
    state: profile.state ?? join(workspace, ".no-state"),
    artifacts,
    earlier: [],
    protect: profile.protect ?? [],
    readable: [],
    isolation: {
      engine: "auto",
      memoryBytes: limits?.memoryBytes ?? 2 ** 31,
      processes: limits?.pids ?? 512,
      cpus: limits?.cpus ?? 2,
      scratchBytes: limits?.tmpBytes ?? 512 << 20,
      outputBytes: 8 << 20,
      diskFloorBytes: 0,
      protect: [],
      mounts: (profile.mounts ?? []).map(({ source, access }) => ({ path: source, access })),
      env: {},
      require: {},
    },
  };
}

async function inSession(plan: SandboxPlan, { argv, env, timeoutMs = 600_000, graceMs = 0 }: Step) {
  const opened = await engine.open(plan, new AbortController().signal);
  try {
    const started = performance.now();
    const child = await opened.start({ argv, env, cwd: plan.workspace, timeoutMs, graceMs });
    child.stdin.end();
    const [out, err, outcome] = await Promise.all([readCapped(child.stdout), readCapped(child.stderr), child.ended]);
    const ms = performance.now() - started;
    const timedOut = outcome.end === "limit" && outcome.limit === "time";
    return {
      ...said(outcome),
      outcome,
      stdout: out.text,
      stderr: err.text,
      ms,
      ...(timedOut && { killMs: ms - timeoutMs }),
    };
  } finally {
    await opened[Symbol.asyncDispose]();
  }
}
function said(outcome: Outcome): { code: number | null; reason: string } {
  if (outcome.end === "exit") return { code: outcome.code, reason: "exit" };
  if (outcome.end === "fault") return { code: null, reason: "engine" };
  if (outcome.end === "limit" && outcome.limit === "time") return { code: null, reason: "timeout" };
  return { code: null, reason: JSON.stringify(outcome) };
}
