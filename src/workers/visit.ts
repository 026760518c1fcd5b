// One try of one visit: its folder, its environment, its sandbox, and afterwards what its verdict was said about.
import type { Evidence, Finding } from "../core/model.js";
import { extensionFiles } from "../core/named.js";
import { judgesIn, judgesTouched } from "../core/oracle.js";
import type { SandboxStart } from "../ports/agent.js";
import type { Tree } from "../ports/git.js";
import type { Session } from "../ports/sandbox.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { cutFindings, oneLine } from "./findings.js";
import { maskOf } from "./mask.js";

export interface Visit {
  folder: string;
  artifacts: string;
  env: Record<string, string>;
  /** The tree before this try. */
  before: Tree;
  /** Digest of the tree before the first try of this visit: what a try that died had done already is the visit's work. */
  treeBefore: string;
  /** Likewise what judges the work, path to digest. */
  judgesBefore: Record<string, string>;
  start: SandboxStart;
  /** What confines this visit: engine and image. Opens the sandbox, starts nothing in it. */
  sandbox(): Promise<string>;
  /** Secrets that were handed in by name, blotted out. */
  mask(text: string): string;
  /** A path of this visit as the journal names it: relative to the run's folder. */
  named(file: string): string;
  close(): Promise<void>;
}
export interface VisitNeeds {
  access: "read" | "write";
  env?: Record<string, string | { from: string }>;
  /** Absolute sources the work must be able to read besides the workspace. */
  readable?: string[];
  /** A visit that goes on, instead of a fresh one. */
  kept?: Pick<Visit, "folder" | "before">;
}

export async function openVisit(shop: Workshop, task: Task, needs: VisitNeeds): Promise<Visit> {
  const { command, run, flow } = task;
  if (command.do !== "work" && command.do !== "hook") throw new Error(`unreachable: ${command.do} has no visit`);
  const place = command.do === "work" && command.branch ? `${command.node.name}/${command.branch}` : command.node.name;
  const folder = needs.kept?.folder ?? (await shop.store.visitFolder(run.id, place, command.visit));
  const artifacts = `${folder}/artifacts`;
  const given = { ...flow.isolation.env, ...needs.env };
  const env = { ...valuesOf(given, shop), ...inputsOf(run.inputs), ...marksOf(task, shop, artifacts) };
  const before = needs.kept?.before ?? (await shop.git.tree());
  const secrets = Object.entries(given).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [env[name] ?? ""],
  );
  const isRead = needs.access === "read";
  const first = isRead ? { digest: before.digest, judges: {} } : await firstBefore(shop, folder, before);
  let session: Session | undefined;
  const opened = async () => (session ??= await openSandbox(shop, task, needs, artifacts));
  return {
    folder,
    artifacts,
    env,
    before,
    treeBefore: first.digest,
    judgesBefore: first.judges,
    mask: maskOf(secrets),
    named: (file) => `${folder.slice(folder.lastIndexOf("/visits/") + 1)}/artifacts/${file}`,
    async start(wish) {
      const inside = await opened();
      shop.at("child:before");
      const child = await inside.start(wish);
      shop.at("child:after");
      return child;
    },
    sandbox: async () => (await opened()).profile,
    async close() {
      await session?.[Symbol.asyncDispose]();
    },
  };
}

interface Before {
  /** Digest of the tree. */
  digest: string;
  /** What judges the work, path to digest. */
  judges: Record<string, string>;
}

async function firstBefore(shop: Workshop, folder: string, now: Tree): Promise<Before> {
  const path = `${folder.replace(/\.\d+$/, "")}/tree-before`; // later tries have folders with a number behind
  const known = beforeIn(await shop.files.text(path));
  if (known) return known;
  const before = { digest: now.digest, judges: judgesIn(now.files, protectsOf(shop)) };
  await shop.files.write(path, JSON.stringify(before));
  return before;
}

/** Ours, in a folder no work reaches. */
function beforeIn(text: string | undefined): Before | undefined {
  try {
    const { digest, judges } = JSON.parse(text ?? "null") as Before;
    return typeof digest === "string" && typeof judges === "object" ? { digest, judges } : undefined;
  } catch {
    return undefined; // not there
  }
}

/** What a verdict of this visit is about, as things stand now (P5). */
export async function evidenceOf(
  shop: Workshop,
  task: Task,
  more: Omit<Evidence, "loop" | "tree"> = {},
): Promise<Evidence> {
  const { digest } = await shop.git.tree();
  return { tree: digest, loop: task.flow.digest, ...more };
}

/** What of that which judges the work this visit has changed, in all its tries; `now` is the digest of the tree. */
export async function judgesTouchedBy(shop: Workshop, visit: Visit, now: string | undefined): Promise<Finding[]> {
  if (now === visit.treeBefore) return [];
  const protects = protectsOf(shop);
  const judges = judgesIn((await shop.git.tree()).files, protects);
  const findings = judgesTouched(visit.judgesBefore, judges, protects);
  return cutFindings(findings.map((finding) => ({ ...finding, text: oneLine(finding.text) }))); // the names are the work's own
}

function protectsOf({ frozen: { flow, source } }: Workshop): string[] {
  const agents = Object.keys(flow.named).flatMap((key) => /^agent (.+)$/s.exec(key)?.[1] ?? []);
  return [source.path, ...agents, ...extensionFiles(flow.named), ...flow.isolation.protect];
}

function openSandbox(
  shop: Workshop,
  { run, flow, command }: Task,
  needs: VisitNeeds,
  artifacts: string,
): Promise<Session> {
  const { start } = shop.frozen;
  const folder = shop.store.runFolder(run.id);
  const all = Object.values(run.results).flatMap((verdict) => verdict.artifacts ?? []);
  const earlier = [...new Set(all.map((path) => `${folder}/${path.slice(0, path.indexOf("/artifacts/"))}/artifacts`))];
  const plan = {
    run: run.id,
    visit: command.ticket,
    workspace: start.workspace,
    access: needs.access,
    signposts: start.signposts,
    state: shop.home,
    ...(shop.frozen.elsewhere ? { stateElsewhere: folder.slice(0, folder.lastIndexOf("/")) } : {}),
    artifacts,
    earlier: earlier.filter((each) => each !== artifacts),
    protect: [...PROTECTED, ...extensionFiles(flow.named), ...flow.isolation.protect],
    readable: needs.readable ?? [],
    isolation: flow.isolation,
  };
  return shop.sandbox.open(plan, new AbortController().signal);
}

/** What decides about work is out of the work's reach (P6); absent ones are passed over. */
const PROTECTED = [".pawl/loops", ".pawl/skills", ".pawl/config.yaml", "validators"];

function marksOf({ run, flow, command }: Task, shop: Workshop, artifacts: string): Record<string, string> {
  const step = command.do === "work" || command.do === "hook" ? command.node.name : command.do;
  const purse = run.purses.attempts ?? run.purses.iterations;
  return {
    PAWL_RUN: run.id,
    PAWL_JOB: run.job,
    PAWL_LOOP: flow.name,
    PAWL_STEP: step,
    PAWL_VISIT: String(run.visits[step] ?? 0),
    PAWL_ATTEMPT: String((purse?.spent ?? 0) + 1),
    PAWL_WORKSPACE: shop.frozen.start.workspace,
    PAWL_ARTIFACTS: artifacts,
    PAWL_NONCE: shop.clock.random(24),
  };
}

/** A run's inputs reach programs as variables, never as text of a command: what is in them is data. */
function inputsOf(inputs: Record<string, string>): Record<string, string> {
  const named = Object.entries(inputs).map(([key, value]) => [
    `PAWL_INPUT_${key.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`,
    value.replaceAll("\0", ""),
  ]);
  return Object.fromEntries(named);
}

function valuesOf(env: Record<string, string | { from: string }>, shop: Workshop): Record<string, string> {
  const values = Object.entries(env).map(([key, value]) => [
    key,
    typeof value === "string" ? value : (shop.variable(value.from) ?? ""),
  ]);
  return Object.fromEntries(values);
}
