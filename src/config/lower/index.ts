// A checked file becomes a flow: its own body, then what all bodies share. Everything that is wrong is found here, at once.

import { digestOf } from "../../core/digest.js";
import { NAME_CHARS_MAX, TRIES_MAX } from "../../core/limits.js";
import type { Flow, Node } from "../../core/model.js";
import { checkFlow } from "../check.js";
import { type Issue, sortIssues } from "../issues.js";
import type { Known, Overrides } from "../known.js";
import type { LoopFile, Path, Positions } from "../schema/file.js";
import type { Draft } from "./build.js";
import { close } from "./closing.js";
import { Context } from "./context.js";
import { lowerDoer } from "./doer.js";
import { insertGates } from "./gates.js";
import { lowerNodes } from "./nodes.js";
import { lowerSkills } from "./skills.js";
import { lowerSteps } from "./steps.js";

export type Lowered = { flow: Flow; warnings: Issue[] } | { issues: Issue[] };

export function lower(
  text: { file: LoopFile; where: Positions; path: string },
  known: Known,
  overrides: Overrides = {},
): Lowered {
  const file = overridden(text.file, overrides);
  const context = new Context(file, text.where, text.path, known);
  const body = lowerBody(file, context);
  const draft = close(file, file.humanGate ? { ...body, nodes: insertGates(body.nodes) } : body);
  checkShared(file, context);
  const flow = assemble(file, draft, context);
  // a flow with unknown names is not worth walking: its complaints would only echo the ones we have
  if (!context.issues.some((issue) => issue.severity === "error")) checkFlow(flow, text.path, known, context.issues);
  const issues = sortIssues(context.issues);
  if (issues.some((issue) => issue.severity === "error")) return { issues };
  return { flow: { ...flow, digest: digestOf(flow, known.sha256) }, warnings: issues };
}

function lowerBody(file: LoopFile, context: Context): Draft {
  switch (file.body) {
    case "skills":
      return lowerSkills(file, context);
    case "steps":
      return lowerSteps(file, context);
    case "doer":
      return lowerDoer(file, context);
    case "nodes":
      return lowerNodes(file, context);
  }
}

function overridden(file: LoopFile, { maxAttempts, maxIter, maxResets }: Overrides): LoopFile {
  const attempts = maxAttempts === undefined ? file : { ...file, maxAttempts };
  if (attempts.body !== "doer") return attempts;
  return { ...attempts, maxIter: maxIter ?? attempts.maxIter, maxResets: maxResets ?? attempts.maxResets };
}

/** What every body may name: the loops that follow, validators, the condition, documents, variables. */
function checkShared(file: LoopFile, context: Context): void {
  for (const key of ["success", "warning", "failure"] as const) {
    const loop = file.onComplete[key];
    if (loop) context.checkLoop(loop, ["on_complete", `on_${key}`, "trigger_loop"]);
  }
  for (const [i, use] of file.validators.entries()) checkValidator(use.tool, ["validators", i, "tool"], context);
  const { repeatUntil } = file;
  const { conditions } = context.known;
  if (repeatUntil && !conditions.includes(repeatUntil)) {
    const message = `"repeat_until" must be ${conditions.join(" or ")}, not "${repeatUntil}"`;
    context.complain("unknown-condition", ["repeat_until"], message);
  }
  for (const [i, path] of file.additionalFiles.entries()) context.checkDocument(path, ["additional_files", i]);
  for (const [key, value] of Object.entries(file.isolation.env)) {
    if (typeof value !== "string" && !context.known.isSet(value.from))
      context.unset(["isolation", "env", key], `${key} is taken from`, value.from);
  }
}

function checkValidator(tool: string, at: Path, context: Context): void {
  const found = context.known.validators[tool] ?? [];
  const [first, second] = found;
  if (first) context.named[`validator ${tool}`] = first.digest;
  if (first && second) {
    const message = `validator "${tool}" is ambiguous: ${found.map((each) => each.path).join(" and ")}`;
    context.complain("unknown-validator", at, message, "remove all but one");
  }
  // none at all is no issue: it may be written during the run, and a missing one fails its checks with that reason
  if (!first)
    context.complain(
      "unknown-validator",
      at,
      `validator "${tool}" is not found yet`,
      `write validators/${tool}.sh, .py, .js or .ts`,
      "warning",
    );
}

function assemble(file: LoopFile, draft: Draft, context: Context): Flow {
  const nodes: Record<string, Node> = {};
  for (const each of draft.nodes) {
    if (Object.hasOwn(nodes, each.name))
      context.complain("duplicate-name", [], `the name "${each.name}" is needed by a generated node`);
    if (each.name.length > NAME_CHARS_MAX * 2)
      context.complain("bad-name", [], `the name "${each.name.slice(0, 40)}…" is too long`);
    Object.defineProperty(nodes, each.name, { value: each, enumerable: true, writable: true, configurable: true });
  }
  const { success, warning, failure } = file.onComplete;
  return {
    name: file.name,
    digest: "",
    goal: file.goalState,
    steps: draft.steps,
    start: draft.start,
    nodes,
    budgets: draft.budgets,
    checkpoint: { onPark: true, message: `chore: sync loop state for ${file.name}` },
    onEnd: { ...(success ? { success } : {}), ...(warning ? { warning } : {}), ...(failure ? { failure } : {}) },
    triesMax: TRIES_MAX,
    ...(draft.afterStop ? { afterStop: draft.afterStop } : {}),
    restart: draft.restart,
    limits: file.limits,
    gateChannel: file.gateChannel,
    performers: context.performers,
    documents: [...new Set(file.additionalFiles.map((path) => context.known.documents[path]?.path ?? path))],
    isolation: file.isolation,
    named: context.named,
  };
}
