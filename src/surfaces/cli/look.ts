// pawl, status, list, explain, verify: they look and never write. They need no lock, so a run may be driven meanwhile.
import { existsSync } from "node:fs";
import { chargesOf } from "../../core/bill.js";
import { explain } from "../../core/explain.js";
import { Refusal } from "../../core/refusal.js";
import { viewOf } from "../../core/view.js";
import { toldElsewhere } from "../../runtime/branch.js";
import { openRunOf } from "../../runtime/claim.js";
import { glanceAt, lookAt } from "../../runtime/open.js";
import { resultOf } from "../../runtime/result.js";
import type { CliHouse, Desk } from "./desk.js";
import { screenOf, tell } from "./drive.js";
import { explainText } from "./render/explain.js";
import { inboxText, type Listed, listText } from "./render/list.js";

/** `pawl` alone: what is going on here, and the next command to type. */
export async function overview(desk: Desk): Promise<number> {
  const house = await desk.house();
  const { runs, broken } = await listed(house);
  const open = runs.filter((run) => run.state !== "ended");
  if (desk.json) {
    desk.out(`${JSON.stringify({ open, broken, runs: runs.length }, null, 2)}\n`);
    return 0;
  }
  if (open.length) desk.out(`${inboxText(open, screenOf(desk)).join("\n")}\n`);
  else
    desk.out(
      `nothing is going on in ${house.where.workspace}\nnext: pawl run LOOP, or pawl demo to see one; pawl --help lists the commands\n`,
    );
  for (const line of broken) desk.err(`${line}\n`);
  return 0;
}

export async function status(desk: Desk, name: string | undefined): Promise<number> {
  const house = await desk.house();
  const id = name === undefined ? await openOrLatest(desk, house) : await house.store.find(name);
  const { flow, run } = await glanceAt(house, id);
  const told = await resultOf(house, flow, run);
  const holder = await house.store.holder(id);
  if (holder && !desk.json) desk.err(`driven by process ${holder.pid} since ${holder.since}\n`);
  const { usd, inputTokens, outputTokens } = told.view.spent;
  const isCounted = usd !== undefined || inputTokens !== undefined || outputTokens !== undefined;
  tell(desk, told, isCounted ? chargesOf(flow, (await lookAt(house, id)).events) : []);
  return 0; // it looked, and that worked; where the run stands is in the answer
}

export async function list(desk: Desk): Promise<number> {
  const house = await desk.house();
  const { runs, broken } = await listed(house);
  if (desk.json) desk.out(`${JSON.stringify({ runs, broken }, null, 2)}\n`);
  else desk.out(`${listText(runs, screenOf(desk)).join("\n")}\n`);
  for (const line of broken) desk.err(`${line}\n`);
  return 0;
}

export async function explainRun(desk: Desk, name: string, step: string | undefined): Promise<number> {
  const house = await desk.house();
  const { flow, run, events } = await lookAt(house, await house.store.find(name));
  if (step !== undefined && !flow.steps.includes(step) && !flow.nodes[step]) {
    throw new Refusal("unknown-step", `run ${run.id} has no step "${step}"`, `the steps are: ${flow.steps.join(", ")}`);
  }
  const told = explain(flow, run, events, step);
  desk.out(desk.json ? `${JSON.stringify(told, null, 2)}\n` : `${explainText(told, screenOf(desk)).join("\n")}\n`);
  return 0;
}

/** The chain, the numbers, the fold, and the frozen flow against its own digest. */
export async function verify(desk: Desk, name: string): Promise<number> {
  const house = await desk.house();
  if (existsSync(name)) {
    const { lines, head } = house.readJournal(name);
    return verified(desk, { journal: name, events: lines, head });
  }
  const id = await house.store.find(name);
  const { flow, events, head } = await lookAt(house, id);
  return verified(desk, {
    journal: `${house.store.runFolder(id)}/journal.jsonl`,
    events: events.length,
    head,
    flow: flow.digest,
    loop: flow.name,
  });
}

function verified(
  desk: Desk,
  told: { journal: string; events: number; head: string } & Record<string, unknown>,
): number {
  desk.out(
    desk.json
      ? `${JSON.stringify({ ok: true, ...told }, null, 2)}\n`
      : `whole: ${told.events} events, head ${told.head.slice(0, 12)} (${told.journal})\n`,
  );
  return 0;
}

async function listed(house: CliHouse): Promise<{ runs: Listed[]; broken: string[] }> {
  const runs: Listed[] = [];
  const broken: string[] = [];
  for (const id of await house.store.list()) {
    try {
      const { flow, run, updated } = await glanceAt(house, id);
      runs.push({ ...viewOf(flow, run), updated });
    } catch (error) {
      broken.push(`run ${id} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { runs, broken };
}

/** The open run of this job, else the latest one; that the latest is another branch's is said. */
async function openOrLatest(desk: Desk, house: CliHouse): Promise<string> {
  const { job } = await house.job();
  const open = await openRunOf(house, job);
  const known = await house.store.list();
  if (open && known.includes(open.run)) return open.run;
  const id = known.at(-1);
  if (id === undefined) throw new Refusal("no-run", "no run has been started here", "pawl run LOOP", 1);
  const told = open ? undefined : await toldElsewhere(house, job);
  if (told) desk.err(`${told.message}; ${told.hint}\n`);
  return id;
}
