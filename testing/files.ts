// Loop files made by hand, for tests that are not about the text. Not published: users write YAML.
import { createHash } from "node:crypto";
import { formatIssue, type Issue } from "../src/config/issues.js";
import type { HookFacts, Known, Overrides } from "../src/config/known.js";
import { lower } from "../src/config/lower/index.js";
import type {
  CommonKeys,
  DoerFile,
  Go,
  GraphNode,
  HookUse,
  LoopFile,
  NodesFile,
  NodeWork,
  Positions,
  SkillsFile,
  Step,
  StepsFile,
  ValidatorUse,
} from "../src/config/schema/file.js";
import type { Flow } from "../src/core/model.js";

const common = (): CommonKeys => ({
  name: "loop",
  goalState: "all is done",
  trigger: "manual",
  humanGate: false,
  validators: [],
  onOptionalFailure: "warn",
  failureHandling: "pause",
  maxRepeats: 20,
  maxAttempts: 3,
  onComplete: {},
  makesBranch: false,
  gateChannel: "chat",
  limits: {},
  performers: { dev: { use: "command", run: "dev.sh" } },
  additionalFiles: [],
  extensions: [],
  isolation: {
    engine: "auto",
    memoryBytes: 1,
    processes: 1,
    cpus: 1,
    scratchBytes: 1,
    outputBytes: 1,
    diskFloorBytes: 1,
    protect: [],
    mounts: [],
    env: {},
    require: {},
  },
});

export const skillsFile = (skills: string[], more: Partial<SkillsFile> = {}): SkillsFile => ({
  ...common(),
  body: "skills",
  skills,
  ...more,
});
export const stepsFile = (steps: StepDraft[], more: Partial<StepsFile> = {}): StepsFile => ({
  ...common(),
  body: "steps",
  steps: steps.map((draft, i) => ({ ...defaults(steps, i), ...draft })),
  ...more,
});
export const doerFile = (more: Partial<DoerFile> = {}): DoerFile => ({
  ...common(),
  body: "doer",
  doer: "dev",
  reviewers: ["dev"],
  artifact: "REVIEW.md",
  maxIter: 5,
  maxResets: 3,
  ...more,
});
export const nodesFile = (nodes: GraphNode[], more: Partial<NodesFile> = {}): NodesFile => ({
  ...common(),
  body: "nodes",
  start: nodes[0]?.id ?? "",
  nodes,
  ...more,
});

type StepDraft = Pick<Step, "name" | "work"> & Partial<Step>;
const defaults = (steps: StepDraft[], i: number): Pick<Step, "onPass" | "onFail"> => {
  const after = steps[i + 1];
  return { onPass: after ? goto(after.name) : { go: "success" }, onFail: { go: "failure" } };
};
export const goto = (name: string): Go => ({ go: "step", name, retry: false });
export const retry = (name: string): Go => ({ go: "step", name, retry: true });

const command = { kind: "command", run: "true", timeoutMs: 1_000, env: {} } as const;
export const commandStep = (name: string, more: Partial<Step> = {}): StepDraft => ({ name, work: command, ...more });
export const agentStep = (name: string, more: Partial<Step> = {}): StepDraft => ({
  name,
  work: { kind: "agent", agent: "dev", produces: [] },
  ...more,
});
/** An agent that judges: outcomes pass, block and unclear. */
export const judgeStep = (name: string, more: Partial<Step> = {}): StepDraft => ({
  name,
  work: {
    kind: "agent",
    agent: "dev",
    produces: [],
    verdicts: { artifact: `${name}.md`, pass: "APPROVED", fail: "NEEDS CHANGES" },
  },
  ...more,
});

const graphNode = (id: string, actor: GraphNode["actor"], work: NodeWork, more: Partial<GraphNode>): GraphNode => ({
  id,
  actor,
  work,
  produces: [],
  entry: [],
  exit: [],
  session: "new",
  on: { pass: { go: "success" } },
  maxRepairs: 3,
  ...more,
});
export const agentNode = (id: string, more: Partial<GraphNode> = {}): GraphNode =>
  graphNode(id, "agent", { kind: "agent", agent: "dev" }, more);
export const codeNode = (id: string, more: Partial<GraphNode> = {}): GraphNode => graphNode(id, "code", command, more);
export const humanNode = (id: string, more: Partial<GraphNode> = {}): GraphNode =>
  graphNode(id, "human", { kind: "ask", question: `Is ${id} good?` }, more);
export const use = (hook: string): HookUse => ({ hook, with: {} });
export const validator = (tool: string, ...required: boolean[]): ValidatorUse => ({
  tool,
  checks: required.map((each, i) => ({ name: `check-${i + 1}`, required: each })),
  timeoutMs: 600_000,
});

/** What config may know: every hook a test names, one action that may say "not-committed". */
export const known = (more: Partial<Known> = {}): Known => ({
  loops: ["validate", "mend", "tidy"],
  skills: Object.fromEntries(["plan", "build", "commit"].map((name) => [name, { text: `Do ${name}.`, digest: name }])),
  validators: {
    tests: [{ path: "validators/tests.sh", digest: "v1" }],
    docs: [{ path: "validators/docs.py", digest: "v2" }],
  },
  documents: { "PLAN.md": { digest: "d1" } },
  performers: {},
  fallback: "dev",
  uses: ["command", "claude-code", "host"],
  actions: { commit: { outcomes: ["not-committed"], check: () => [] } },
  hooks: {
    "tree-changed": look(),
    validator: look(["optional"]),
    all_phases_complete: look(),
    lint: look(),
    ci: look(),
    classify: look(["approved", "changes-requested"]),
    tell: { ...look(), effect: true },
  },
  conditions: ["all_phases_complete"],
  isSet: () => true,
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  ...more,
});
const look = (outcomes: string[] = []): HookFacts => ({ outcomes, effect: false, check: () => [] });

const nowhere: Positions = { at: () => ({ line: 1, col: 1 }), wrote: () => true };

export function lowered(file: LoopFile, overrides: Overrides = {}, facts = known()): { flow?: Flow; issues: Issue[] } {
  const result = lower({ file, where: nowhere, path: "loop.yaml" }, facts, overrides);
  return "issues" in result ? result : { flow: result.flow, issues: result.warnings };
}
/** The flow of a file that must be good. */
export function flowOf(file: LoopFile, overrides: Overrides = {}): Flow {
  const { flow, issues } = lowered(file, overrides);
  if (!flow) throw new Error(issues.map(formatIssue).join("\n"));
  return flow;
}
