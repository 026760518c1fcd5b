// Finds out by a small attack through the real profile what holds on this machine.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ErrorRecord, Isolation } from "../../../core/model.js";
import { FaultError } from "../../../ports/errors.js";
import type { EngineReport, Guarantee, Level, Outcome, Sandbox, SandboxPlan, Session } from "../../../ports/sandbox.js";
import { readCapped } from "../capped.js";
import { trouble } from "../faults.js";
import { allAt } from "../guarantees.js";
import { readSignposts } from "../signposts.js";
import { INSTALL, missing } from "./diagnose.js";
import { ANSWERS, PROBE_SCRIPT } from "./probe-script.js";

const OLDEST = [0, 8, 0];
const PROBE_MS_MAX = 15_000;
const PREFIX = "pawl-probe-";
const OLD_MS = 3_600_000;
const SMALL: Isolation = {
  engine: "bubblewrap",
  memoryBytes: 128 << 20,
  processes: 32,
  cpus: 1,
  scratchBytes: 8 << 20,
  outputBytes: 64 << 10,
  diskFloorBytes: 0,
  protect: [],
  mounts: [],
  env: {},
  require: {},
};
/** Which answers a promise stands on. */
const STANDS_ON: Partial<Record<Guarantee, string[]>> = {
  writes: ["workspace is this one", "read-only root", "writable workspace", "protected path", "own mnt namespace"],
  reads: ["nothing beside the workspace", "no password hashes", "covered working home"],
  environment: ["bare environment"],
  network: ["own net namespace", "own ipc namespace", "loopback only"],
  privileges: ["no capabilities", "no new privileges", "core_pattern"],
  syscalls: ["system call filter", "no new namespaces"],
  git: ["git guard"],
  kill: ["own pid namespace"], // the kernel ends a pid namespace with its first process
  orphans: ["own pid namespace"], // and bubblewrap took --die-with-parent
  scratch: ["writable /tmp", "scratch of bounded size"],
};

export interface Subject {
  engine: Sandbox;
  program: string;
  /** Caps are set by cgroup, and were read back at the start. */
  capped: boolean;
}

export async function probe(subject: Subject, signal: AbortSignal): Promise<EngineReport> {
  let version: string | undefined;
  try {
    version = await versionOf(subject.program, signal);
    const answers = await attack(subject.engine, signal);
    return { version, ...judge(answers, subject) };
  } catch (error) {
    return { ...(version !== undefined && { version }), ...unusable(subject, recordOf(error)) };
  }
}

function unusable({ engine }: Subject, why: ErrorRecord): EngineReport {
  return { engine: engine.engine, usable: false, why, holds: allAt("none"), evidence: [] };
}
function recordOf(error: unknown): ErrorRecord {
  if (error instanceof FaultError) return error.record;
  const message = error instanceof Error ? error.message : String(error);
  return trouble("sbx-engine", `bubblewrap could not be tried: ${message}`, "`pawl doctor`");
}

async function versionOf(program: string, signal: AbortSignal): Promise<string> {
  const said = await promisify(execFile)(program, ["--version"], { signal, timeout: PROBE_MS_MAX }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new FaultError(missing(program)) : error;
    },
  );
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said.stdout);
  const numbers = version?.slice(1).map(Number) ?? [];
  const differs = OLDEST.findIndex((least, i) => numbers[i] !== least);
  if (!version || (differs >= 0 && (numbers[differs] ?? 0) < (OLDEST[differs] ?? 0)))
    throw new FaultError(
      trouble(
        "sbx-bwrap-old",
        `"${program}" is "${said.stdout.trim()}"; the strict profile needs 0.8.0 or later`,
        INSTALL,
      ),
    );
  return version[0];
}

/** Runs the script in a workspace of its own, which is gone afterwards; one that a kill left goes with a later probe. */
async function attack(engine: Sandbox, signal: AbortSignal): Promise<Map<string, string>> {
  sweep();
  const root = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  try {
    const nonce = randomBytes(12).toString("hex");
    const plan = layGround(root, nonce);
    const session = await engine.open(plan, signal);
    try {
      const text = await run(session, plan.workspace, environment(nonce, root, plan), signal);
      return new Map(
        [...text.matchAll(/^[PL]\|([^|\n]+)\|(.*)$/gm)].map(([, name = "", answer = ""]) => [name, answer]),
      );
    } finally {
      await session[Symbol.asyncDispose]();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Grounds of our own that are older than any probe can be. Never the reason a probe fails: others may have the folder too. */
function sweep(): void {
  try {
    for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX))) {
      const found = lstatSync(join(tmpdir(), name));
      const isOld = Date.now() - found.mtimeMs > OLD_MS;
      if (isOld && found.isDirectory() && found.uid === process.geteuid?.())
        rmSync(join(tmpdir(), name), { recursive: true });
    }
  } catch {
    // what is left is tried again by the next probe
  }
}

async function run(session: Session, cwd: string, env: Record<string, string>, signal: AbortSignal): Promise<string> {
  const child = await session.start({
    argv: ["sh", "-c", PROBE_SCRIPT],
    cwd,
    env,
    timeoutMs: PROBE_MS_MAX,
    graceMs: 0,
  });
  child.stdin.end();
  const stop = () => child.stop("cancelled");
  signal.addEventListener("abort", stop, { once: true });
  const [out, err, outcome] = await Promise.all([readCapped(child.stdout), readCapped(child.stderr), child.ended]);
  signal.removeEventListener("abort", stop);
  mustHaveEnded(outcome, err.text);
  return out.text;
}

function layGround(root: string, nonce: string): SandboxPlan {
  const workspace = join(root, "workspace");
  const state = join(workspace, "state");
  const artifacts = join(state, "artifacts");
  mkdirSync(artifacts, { recursive: true });
  mkdirSync(join(workspace, "guarded"));
  writeFileSync(join(root, "bait"), nonce);
  writeFileSync(join(state, "journal"), nonce);
  writeFileSync(join(workspace, ".nonce"), nonce);
  const signposts = readSignposts(workspace);
  const lists = { earlier: [], protect: ["guarded"], readable: [] };
  return {
    run: "probe",
    visit: "probe",
    workspace,
    access: "write",
    signposts,
    state,
    artifacts,
    ...lists,
    isolation: SMALL,
  };
}
function environment(nonce: string, root: string, { state }: SandboxPlan): Record<string, string> {
  const own = (kind: string) => readlinkSync(`/proc/self/ns/${kind}`);
  return {
    NONCE: nonce,
    BAIT: join(root, "bait"),
    STATE: state,
    SCRATCH_KIB: String(SMALL.scratchBytes / 1024),
    HOST_NS_NET: own("net"),
    HOST_NS_PID: own("pid"),
    HOST_NS_MNT: own("mnt"),
    HOST_NS_IPC: own("ipc"),
  };
}
/** Its own exit code says nothing: the last attack takes every process there is. */
function mustHaveEnded(outcome: Outcome, said: string) {
  if (outcome.end === "fault") throw new FaultError(outcome.fault);
  if (outcome.end === "exit" || (outcome.end === "limit" && outcome.limit === "processes")) return;
  throw new Error(`the small attack ended by ${JSON.stringify(outcome)}: ${said.slice(0, 400)}`);
}

function judge(answers: Map<string, string>, subject: Subject): EngineReport {
  const ok = (name: string) => answers.get(name) === "ok";
  const holds: Record<Guarantee, Level> = { ...allAt("none"), ...capsHeld(answers, subject) };
  for (const [guarantee, names] of Object.entries(STANDS_ON) as [Guarantee, string[]][]) // the keys are the type's
    holds[guarantee] = names.every(ok) ? "kernel" : "none";
  const given = [...answers].filter(([, answer]) => answer === "ok" || answer === "BAD");
  const bad = given.filter(([name, answer]) => answer === "BAD" && name !== "bounded processes").map(([name]) => name);
  const evidence = [...answers].map(([name, answer]) => `${name}: ${answer}`);
  evidence.push(subject.capped ? "caps by cgroup v1, read back" : "caps by prlimit, inside");
  const report = {
    engine: subject.engine.engine,
    usable: bad.length === 0 && given.length === ANSWERS,
    holds,
    evidence,
  };
  return report.usable ? report : { ...report, why: failed(bad, given.length) };
}

function capsHeld(answers: Map<string, string>, { capped }: Subject): Partial<Record<Guarantee, Level>> {
  const bounded = answers.get("bounded processes") === "ok";
  if (capped) return { processes: bounded ? "kernel" : "none", memory: "kernel", cpu: "kernel" };
  return {
    processes: bounded && answers.get("processes") === String(SMALL.processes) ? "kernel" : "none",
    memory: answers.get("data") === String(SMALL.memoryBytes) ? "process" : "none",
  };
}
function failed(bad: string[], given: number): ErrorRecord {
  if (bad.includes("workspace is this one"))
    return trouble("sbx-mount", "a file made for the purpose is not seen inside the sandbox", "`pawl doctor`");
  const what = bad.length > 0 ? `these answers are bad: ${bad.join(", ")}` : `${given} of ${ANSWERS} answers came`;
  return trouble("sbx-engine", `bubblewrap does not hold on this machine; ${what}`, "`pawl doctor`");
}
