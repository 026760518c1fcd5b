// doer and reviewer: do and review until approved. Two nested budgets, one gate that is never skipped, one kill switch.
import type { Budget, Node, Route, VerdictFile, Work } from "../../core/model.js";
import { PLAN_ADJUSTED } from "../../core/phase.js";
import { stackOf } from "../../core/stacks.js";
import type { DoerFile } from "../schema/file.js";
import { type Draft, end, hook, node, park, to } from "./build.js";
import type { Context } from "./context.js";

const DOER = "doer";
const REVIEWER = "reviewer";
const GATE = "gate";
const CONFIRM = "confirm";

/** A fresh round: paid with a reset, and the only thing that refills iterations. */
const round = (mark: "reset" | "resumed"): Route =>
  to(DOER, { spend: ["resets"], refill: ["iterations"], mark, unmark: ["warning"] });

export function lowerDoer(file: DoerFile, context: Context): Draft {
  if (file.plan) context.checkDocument(file.plan, ["plan"], hintOfPlan(file.plan));
  return {
    start: DOER,
    steps: [DOER, REVIEWER],
    nodes: [doerNode(file, context), reviewerNode(file, context), confirmNode(), gateNode()],
    budgets: { iterations: iterations(file.maxIter), resets: resets(file.maxResets) },
    afterStop: round("resumed"),
    everyTry: ["iterations"],
    restart: "archive",
  };
}

function doerNode(file: DoerFile, context: Context): Node {
  const agents = context.agentsOf(file.doer);
  const works = agents.map((agent) => [agent, workOf(file, agent, agents, context)] as const);
  const [[, only] = []] = works;
  const branches = Object.fromEntries(works);
  const again = park("work-failed", "the doer did not come to its end", to(DOER, { spend: ["iterations"] }));
  return node(
    DOER,
    works.length === 1 && only ? only : { kind: "fan", branches, inTurn: true, order: ["pass"] },
    { pass: to(REVIEWER, { saves: "work" }), block: again },
    { origin: context.origin(["doer"], DOER), exit: [hook("tree-changed", { otherwise: "warn" })] },
  );
}

type AgentWork = Extract<Work, { kind: "agent" }>;

/** Doers of several stacks work one after another in the same tree, each at its own tasks of the plan. */
function workOf(file: DoerFile, agent: string, agents: string[], context: Context): AgentWork {
  const performer = context.performer(agent, ["doer"], hintOfRole("doer", file.doer));
  const { plan } = file;
  const prompt = context.roleOf(
    agent,
    `You are the doer. Do the work that the goal and the plan ask for, and mend what the last review blocked.${plan ? ` The plan is ${plan}: read it as it is now.` : ""}`,
  );
  const all = agents.map((each) => stackOf(file.doer, each));
  const found = plan && (context.known.documents[plan]?.path ?? plan);
  const stack = { name: stackOf(file.doer, agent), all, ...(found ? { plan: found } : {}) };
  const work = { kind: "agent", performer, prompt, access: "write", session: "new", mode: "ralph_loop" } as const;
  return agents.length > 1 ? { ...work, stack } : work;
}

function reviewerNode(file: DoerFile, context: Context): Node {
  const works = file.reviewers.flatMap((role, i) => {
    const at = file.reviewers.length > 1 ? ["reviewer", i] : ["reviewer"];
    return context.agentsOf(role).map((agent) => [agent, reviewOf(file, agent, context, at)] as const);
  });
  const branches = Object.fromEntries(works);
  const [[, only] = []] = works;
  const order = ["approved", "approved-with-warnings", "pending-manual", "block", "unclear"];
  const isOne = Object.keys(branches).length === 1;
  const work: Work = isOne && only ? only : { kind: "fan", branches, inTurn: false, order };
  return node(
    REVIEWER,
    work,
    {
      approved: end("success", { saves: "review" }),
      "approved-with-warnings": end("success", { mark: "warning", saves: "review" }),
      "pending-manual": to(CONFIRM, { saves: "review" }),
      block: to(DOER, { spend: ["iterations"], saves: "review" }),
      unclear: park("no-verdict", "the reviewer left no verdict", to(REVIEWER)),
    },
    { origin: context.origin(["reviewer"], REVIEWER), produces: [file.artifact] },
  );
}

function reviewOf(file: DoerFile, name: string, context: Context, path: (string | number)[]): AgentWork {
  const performer = context.performer(name, path, hintOfRole("reviewer", name));
  const plan = file.plan ? ` It is to do what ${file.plan} asks for.` : "";
  const prompt = context.roleOf(
    name,
    `You are the reviewer. Judge the change as it lies in the workspace, with fresh eyes.${plan} Change nothing.`,
  );
  const verdict = { artifact: file.artifact, words: REVIEW_WORDS, reading: "worst" as const };
  return {
    kind: "agent",
    performer,
    prompt,
    access: context.accessOf(performer, "read"),
    session: "new",
    verdict,
    mode: "verify",
  };
}

const hintOfRole = (role: string, name: string): string =>
  `nobody is the ${role}; register one: pawl init --agent claude-code (for all roles), or map "${name}" under "agents:" of .pawl/config.yaml`;

/** What makes a plan that is missing; the path is typed into a shell. */
function hintOfPlan(path: string): string {
  const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const folder = path.includes("/") ? `mkdir -p ${quoted(path.slice(0, path.lastIndexOf("/")))} && ` : "";
  return `make it, for instance from the tasks that "pawl run plan" writes: ${folder}cp .pawl/tasks.md ${quoted(path)}`;
}

/** From best to worst. */
export const REVIEW_WORDS: VerdictFile["words"] = {
  APPROVED: { status: "pass", outcome: "approved", caveat: "approved-with-warnings" },
  APPROVED_WITH_WARNINGS: { status: "pass", outcome: "approved-with-warnings" },
  APPROVED_PENDING_MANUAL: { status: "pass", outcome: "pending-manual" },
  BLOCKED: { status: "block", outcome: "block" },
};

const confirmNode = (): Node =>
  node(
    CONFIRM,
    {
      kind: "ask",
      question: "Approved, but manual items are pending. Do they work?",
      options: ["confirmed", "does-not-work"],
    },
    { confirmed: end("success"), "does-not-work": round("reset") },
    { phase: "confirming" },
  );

const gateNode = (): Node =>
  node(
    GATE,
    {
      kind: "ask",
      question: "No approval yet. Continue with a reset, abort, or adjust the plan?",
      options: ["continue", "abort", "adjust"],
    },
    {
      continue: round("reset"),
      abort: park("escalated", "a person aborted the round", round("resumed")),
      adjust: park("paused", PLAN_ADJUSTED, round("resumed")),
    },
  );

const iterations = (maxIter: number): Budget => ({
  limit: maxIter - 1,
  first: 1,
  setBy: "max_iter",
  frozen: true,
  onExhausted: { node: GATE },
  onRepeat: { node: GATE },
});
/** The continue that would be the `max_resets`-th ends the run as killed. */
const resets = (maxResets: number): Budget => ({
  limit: maxResets - 1,
  first: 1,
  setBy: "max_resets",
  frozen: true,
  onExhausted: { end: "killed" },
});
