// What a loop would do, before it does anything: steps and ways, bounds, gates on every path, agents, sandbox, documents.
import type { Issue } from "../../../config/issues.js";
import { gatesBefore, gatesBeforeSuccess, visitsAtMost } from "../../../core/bounds.js";
import type { Flow, Node, Route, Target } from "../../../core/model.js";
import { costText, counted } from "../../../core/ways.js";
import type { ContextFacts } from "../../../ports/house.js";
import { agentText, type Confined } from "./agents.js";
import { clean } from "./clean.js";
import { isolationLines } from "./isolation.js";
import { issuesText } from "./issues.js";
import { COLUMNS, wrap } from "./width.js";
import { kindText, nodeSettings } from "./work.js";

export interface PlanFacts {
  /** Of the loop file, as shown to people. */
  path: string;
  job?: string;
  /** What the run is about: the ticket's title, or what `--input` gave. */
  subject?: string;
  /** What brings the documents before the agents. */
  context?: ContextFacts;
  warnings: readonly Issue[];
  confined?: Confined;
  columns?: number;
}

/** Commit steps whose gates are listed; the rest is counted. */
export const COMMITS_SHOWN_MAX = 20;

export function planText(flow: Flow, facts: PlanFacts): string {
  const columns = facts.columns ?? COLUMNS;
  const section = (head: string, lines: string[]): string[] =>
    lines.length ? ["", head, ...lines.flatMap((line) => wrapped(line, columns))] : [];
  const bounds = visitsAtMost(flow);
  const agents = Object.entries(flow.performers).map(([name, each]) => `  ${agentText(name, each, facts.confined)}`);
  return [
    ...headOf(flow, facts).flatMap((line) => wrapped(line, columns)),
    ...section("Steps", stepLines(flow, bounds)),
    ...section("Gates on every path", gateLines(flow)),
    ...section("Bounds", budgetLines(flow)),
    ...section("Agents", agents),
    ...section("Sandbox", isolationLines(flow.isolation, setsUp(flow))),
    ...section(`Documents (loader: ${clean(facts.context?.loader ?? "files")})`, documentLines(flow, facts.context)),
    ...section("Fixed at the start", namedLines(flow)),
    ...section(
      "Warnings",
      issuesText(facts.warnings).map((line) => `  ${line}`),
    ),
    "",
  ].join("\n");
}

function headOf(flow: Flow, { path, job, subject }: PlanFacts): string[] {
  return [
    clean(`Plan of loop "${flow.name}" (${path})`),
    ...(job ? [clean(`  job       ${job}`)] : []),
    ...(subject ? [clean(`  subject   ${subject}`)] : []),
    ...(flow.goal ? [clean(`  goal      ${flow.goal}`)] : []),
    `  digest    ${flow.digest.slice(0, 12)}`,
    ...endLines(flow),
  ];
}

const setsUp = (flow: Flow): boolean =>
  Object.values(flow.nodes).some(({ work }) => work.kind === "command" && work.setup !== undefined);

const endLines = (flow: Flow): string[] =>
  Object.entries(flow.onEnd ?? {}).map(([ending, loop]) => clean(`  then      on ${ending} the loop "${loop}" starts`));

function stepLines(flow: Flow, bounds: Record<string, number>): string[] {
  return Object.values(flow.nodes).flatMap((node, i) => {
    const made = node.origin ? "" : ", put in by Pawl";
    const most = `at most ${counted(bounds[node.name] ?? 0, "visit")}`;
    return [
      clean(`  ${i + 1}. ${node.name} (${kindText(node)}${made}): ${most}`),
      ...nodeSettings(node).map((line) => `      ${line}`),
      ...Object.entries(node.routes).map(([outcome, route]) => `      ${wayLine(flow, outcome, route)}`),
    ];
  });
}

function wayLine(flow: Flow, outcome: string, route: Route): string {
  const cost = costText(flow, route);
  const diverts = (route.spend ?? []).flatMap((name) => {
    const budget = flow.budgets[name];
    if (!budget) return [];
    const repeat = budget.onRepeat ? [`on a repeat → ${shortTarget(budget.onRepeat)}`] : [];
    return [...repeat, `none left → ${shortTarget(budget.onExhausted)}`];
  });
  const costs = [...(cost ? [cost] : []), ...diverts].join("; ");
  return clean(`${outcome} → ${shortTarget(route.to)}${costs ? ` (${costs})` : ""}`);
}

function shortTarget(target: Target): string {
  if ("node" in target) return target.node;
  return "end" in target ? target.end : `parked (${target.park}): ${target.reason}`;
}

function gateLines(flow: Flow): string[] {
  const commits = Object.values(flow.nodes).filter(
    (node) => node.work.kind === "action" && node.work.action === "commit",
  );
  const shown = commits.slice(0, COMMITS_SHOWN_MAX);
  const left = commits.length - shown.length;
  return [
    ...shown.map((node) => clean(`  to the commit "${node.name}": ${gateNames(flow, gatesBefore(flow, node.name))}`)),
    ...(left > 0 ? [`  and ${counted(left, "more commit step")}`] : []),
    clean(`  to success: ${gateNames(flow, gatesBeforeSuccess(flow))}`),
  ];
}

function gateNames(flow: Flow, names: string[]): string {
  const named = names.flatMap((name) => flow.nodes[name] ?? []).map((node) => `${node.name} (${judgeText(node)})`);
  return named.length ? named.join(", ") : "none";
}
const judgeText = (node: Node): string => (kindText(node) === "gate" ? "a person" : kindText(node));

const budgetLines = (flow: Flow): string[] => {
  const { ms, usd, tokens } = flow.limits;
  return [
    ...Object.entries(flow.budgets).map(([name, budget]) =>
      clean(`  ${name}: ${budget.limit + budget.first}, set by ${budget.setBy}`),
    ),
    ...(ms === undefined ? [] : [`  time: ${ms / 60_000} minutes`]),
    ...(usd === undefined ? [] : [`  money: ${usd} USD`]),
    ...(tokens === undefined ? [] : [`  tokens: ${tokens}`]),
  ];
};

const documentLines = (flow: Flow, context?: ContextFacts): string[] => {
  const known = Object.entries(flow.named).filter(([name]) => name.startsWith(DOCUMENT));
  const lines = known.map(([name, digest]) => clean(`  ${name.slice(DOCUMENT.length)}  ${digest.slice(0, 12)}`));
  const later =
    context?.isAsked === false ? ["  what the loader brings when the run starts; a plan does not ask it"] : [];
  const notes = (context?.notes ?? []).map((note) => clean(`  ${note}`));
  return [...(lines.length || later.length ? lines : ["  none"]), ...later, ...notes];
};
const DOCUMENT = "document ";

const namedLines = (flow: Flow): string[] =>
  Object.entries(flow.named)
    .filter(([name]) => !name.startsWith(DOCUMENT))
    .map(([name, digest]) => clean(`  ${name}  ${digest.slice(0, 12)}`));

/** What follows the first line stands a little further in than the line itself. */
function wrapped(line: string, columns: number): string[] {
  const margin = /^ */.exec(line)?.[0] ?? "";
  return wrap(line.slice(margin.length), columns - margin.length, "    ").map((each) => margin + each);
}
