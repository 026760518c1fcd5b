// pawl plan, validate, graph, schema: what a loop file says, before anything is done. Nothing here writes or starts anything.
import type { Issue } from "../../config/issues.js";
import { formatIssue } from "../../config/issues.js";
import { visitsAtMost } from "../../core/bounds.js";
import { Refusal } from "../../core/refusal.js";
import { unconfined } from "../../runtime/result.js";
import type { CliHouse, Desk } from "./desk.js";
import { dot, graphJson, mermaid } from "./render/graph.js";
import { planText } from "./render/plan.js";
import { isPath, loadIn, type RunOptions } from "./run.js";

export async function plan(desk: Desk, name: string, options: RunOptions): Promise<number> {
  const house = await desk.house();
  const { loaded, job: asked } = await loadIn(house, name, { ...options, looks: true });
  const { flow, source, context } = loaded;
  if (desk.json) {
    desk.out(
      `${JSON.stringify({ loop: flow.name, path: source.path, flow, visits_at_most: visitsAtMost(flow), context, unconfined: unconfined(house, flow), warnings: loaded.warnings }, null, 2)}\n`,
    );
    return 0;
  }
  const { job } = asked === undefined ? await jobFor(house) : { job: asked };
  const confined = Object.fromEntries([...house.agents].map(([use, agent]) => [use, agent.confined]));
  desk.out(
    planText(flow, {
      path: source.path,
      subject: options.input?.subject ?? context.subject ?? flow.name,
      context,
      warnings: loaded.issues,
      confined,
      columns: desk.columns(),
      ...(job ? { job } : {}),
    }),
  );
  return 0;
}

async function jobFor(house: CliHouse): Promise<{ job?: string }> {
  try {
    return await house.job();
  } catch {
    return {}; // a start would refuse the name; a plan is about the file
  }
}

interface Checked {
  file: string;
  ok: boolean;
  issues: (Issue | string)[];
}

/** Every file is checked, whatever is wrong with another. 2 when one has errors. */
export async function validate(desk: Desk, files: string[]): Promise<number> {
  const house = await desk.house();
  const told: Checked[] = [];
  for (const file of files) told.push(await checkFile(house, file));
  desk.out(desk.json ? `${JSON.stringify(told, null, 2)}\n` : told.flatMap(linesOf).join(""));
  return told.every((each) => each.ok) ? 0 : 2;
}

async function checkFile(house: CliHouse, file: string): Promise<Checked> {
  try {
    const { issues } = await house.load(file, { byPath: isPath(file), anyAgent: true, looks: true, handed: {} });
    return { file, ok: true, issues };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { file, ok: false, issues: issuesOf(error) ?? [error.message] };
  }
}

const linesOf = ({ file, ok, issues }: Checked): string[] => [
  ...issues.map((issue) => `${typeof issue === "string" ? issue : formatIssue(issue)}\n`),
  ...(ok ? [`${file}: ok\n`] : []),
];

const issuesOf = (error: Refusal): Issue[] | undefined =>
  "issues" in error && Array.isArray(error.issues) ? (error.issues as Issue[]) : undefined; // BadLoop of main's side

export async function graph(desk: Desk, file: string, format: "mermaid" | "dot" | "json"): Promise<number> {
  const house = await desk.house();
  const { flow } = await house.load(file, { byPath: isPath(file), anyAgent: true, looks: true, handed: {} });
  desk.out({ mermaid, dot, json: graphJson }[format](flow));
  return 0;
}

export async function schema(desk: Desk): Promise<number> {
  const { loopJsonSchema } = await import("../../config/schema/json-schema.js");
  desk.out(`${JSON.stringify(loopJsonSchema(), null, 2)}\n`);
  return 0;
}
