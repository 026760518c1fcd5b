// Finds out by a small attack through the real profile what holds on this machine.
import { randomBytes } from "node:crypto";
import {
  existsSync,
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
import type { ErrorRecord, Isolation } from "../../core/model.js";
import { FaultError } from "../../ports/errors.js";
import type { EngineReport, Guarantee, Level, Outcome, Sandbox, SandboxPlan, Session } from "../../ports/sandbox.js";
import { readCapped } from "./capped.js";
import { trouble } from "./faults.js";
import { allAt } from "./guarantees.js";
import { ANSWERS, PROBE_SCRIPT } from "./probe-script.js";
import { readSignposts } from "./signposts.js";

export const PROBE_MS_MAX = 15_000;
const PREFIX = "pawl-probe-";
const OLD_MS = 3_600_000;
export const SMALL: Isolation = {
  engine: "auto",
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
  /** What is to hold: image and pull policy; the caps are ours. */
  isolation: Pick<Isolation, "image" | "pull">;
  /** Throws a FaultError where the engine cannot be used at all. */
  version(signal: AbortSignal): Promise<string>;
  /** How caps are set, for the evidence. */
  caps: string;
  capsHeld(answers: Answers): Partial<Record<Guarantee, Level>>;
  /** Does what runs inside die with the Pawl that started it? */
  diesWithUs: boolean;
  /** Names that the first process inside may have in its environment, as a pattern for grep -E. */
  given(names: string[]): Promise<string>;
}
export type Answers = Map<string, string>;

export async function probe(subject: Subject, signal: AbortSignal): Promise<EngineReport> {
  let version: string | undefined;
  try {
    version = await subject.version(signal);
    const answers = await attack(subject, signal);
    return { version, ...judge(answers, subject) };
  } catch (error) {
    return { ...(version !== undefined && { version }), ...unusable(subject, recordOf(error, subject)) };
  }
}

function unusable({ engine }: Subject, why: ErrorRecord): EngineReport {
  return { engine: engine.engine, usable: false, why, holds: allAt("none"), evidence: [] };
}
function recordOf(error: unknown, { engine }: Subject): ErrorRecord {
  if (error instanceof FaultError) return error.record;
  const message = error instanceof Error ? error.message : String(error);
  return trouble("sbx-engine", `"${engine.engine}" could not be tried: ${message}`, "`pawl doctor`");
}

/** Runs the script in a workspace of its own, which is gone afterwards; one that a kill left goes with a later probe. */
async function attack(subject: Subject, signal: AbortSignal): Promise<Answers> {
  sweep();
  const root = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  try {
    const nonce = randomBytes(12).toString("hex");
    const plan = { ...layGround(root, nonce), isolation: { ...SMALL, ...subject.isolation } };
    const session = await subject.engine.open(plan, signal);
    try {
      const env = environment(nonce, root, plan);
      const given = await subject.given([...Object.keys(env), "GIVEN"]);
      const text = await run(session, plan.workspace, { ...env, GIVEN: given }, signal);
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
  const own = (kind: string) => (existsSync("/proc/self/ns") ? readlinkSync(`/proc/self/ns/${kind}`) : "elsewhere");
  const shadow = lstatSync("/etc/shadow", { throwIfNoEntry: false });
  return {
    NONCE: nonce,
    BAIT: join(root, "bait"),
    STATE: state,
    HOST_SHADOW: shadow ? `${shadow.dev}:${shadow.ino}` : "none",
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

function judge(answers: Answers, subject: Subject): Omit<EngineReport, "version"> {
  const ok = (name: string) => answers.get(name) === "ok";
  const holds: Record<Guarantee, Level> = { ...allAt("none"), ...subject.capsHeld(answers) };
  for (const [guarantee, names] of Object.entries(STANDS_ON) as [Guarantee, string[]][]) // the keys are the type's
    holds[guarantee] = names.every(ok) ? "kernel" : "none";
  if (!subject.diesWithUs) holds.orphans = "none";
  const given = [...answers].filter(([, answer]) => answer === "ok" || answer === "BAD");
  const bad = given.filter(([name, answer]) => answer === "BAD" && name !== "bounded processes").map(([name]) => name);
  const evidence = [...[...answers].map(([name, answer]) => `${name}: ${answer}`), subject.caps];
  const { engine } = subject.engine;
  const report = { engine, usable: bad.length === 0 && given.length === ANSWERS, holds, evidence };
  return report.usable ? report : { ...report, why: failed(engine, bad, given.length) };
}
function failed(engine: string, bad: string[], given: number): ErrorRecord {
  if (bad.includes("workspace is this one"))
    return trouble("sbx-mount", "a file made for the purpose is not seen inside the sandbox", ELSEWHERE);
  const what = bad.length > 0 ? `these answers are bad: ${bad.join(", ")}` : `${given} of ${ANSWERS} answers came`;
  return trouble("sbx-engine", `"${engine}" does not hold on this machine; ${what}`, "`pawl doctor`");
}
const ELSEWHERE =
  "the engine must run on this very machine and see the same folders: unset DOCKER_HOST, or share the folder in Docker Desktop's settings";
