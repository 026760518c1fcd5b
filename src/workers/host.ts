// Steps of the host's own agent (the IDE's): handed out as a text, taken in as an output. Pawl may be gone in between, so what
// the step began with waits in a file of the run.
import { HOST } from "../core/hosts.js";
import type { Command, Run, Verdict, Work } from "../core/model.js";
import type { Tree } from "../ports/git.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import type { Host } from "../ports/world.js";
import { judge } from "./agent.js";
import { promptOf } from "./agent-prompt.js";
import { openVisit, type Visit } from "./visit.js";

type AgentWork = Extract<Work, { kind: "agent" }>;

export const hostOf = (shop: Workshop): Host => ({
  handOut: async (command, run) => {
    const { task, work, visit } = await visited(shop, command, run);
    const place = { artifacts: visit.artifacts, beside: `${visit.folder}/beside`, attended: true };
    const { text, beside } = await promptOf(shop, task, work, place);
    for (const each of beside) await shop.files.write(each.path, each.text);
    await shop.files.writeQuickly(`${visit.folder}/prompt.md`, text);
    return text;
  },
  shown: async (command, run) => {
    const { work, task } = asTask(shop, command, run);
    const kept = await keptOf(shop, run.id);
    if (kept?.ticket === command.ticket) return (await shop.files.text(`${kept.folder}/prompt.md`)) || undefined;
    const names = work.verdict !== undefined || task.command.do !== "work" || task.command.node.produces.length > 0;
    if (names) return undefined;
    const { text, beside } = await promptOf(shop, task, work, { artifacts: "", beside: "", attended: true });
    return beside.length ? undefined : text;
  },
  takeIn: async (command, run, output): Promise<Verdict> => {
    const { task, work, visit } = await visited(shop, command, run);
    const end = { end: "finished" as const, denials: [], output, spent: { ms: 0 } };
    return judge(shop, task, { work, visit, end });
  },
});

interface Kept {
  ticket: string;
  folder: string;
  /** The tree when the step was handed out first. */
  before: Tree;
}

/** The visit of this ticket: the one that was opened when it was handed out first, or one that is opened now. */
async function visited(
  shop: Workshop,
  command: Command,
  run: Run,
): Promise<{ task: Task; work: AgentWork; visit: Visit }> {
  const { task, work } = asTask(shop, command, run);
  const { ticket } = command;
  const found = await keptOf(shop, run.id);
  const kept = found?.ticket === ticket ? found : undefined;
  const visit = await openVisit(shop, task, { access: work.access, ...(kept ? { kept } : {}) });
  if (kept) return { task, work, visit };
  await shop.files.writeQuickly(
    keptPath(shop, run.id),
    JSON.stringify({ ticket, folder: visit.folder, before: visit.before } satisfies Kept),
  );
  return { task, work, visit };
}

function asTask(shop: Workshop, command: Command, run: Run): { task: Task; work: AgentWork } {
  if (command.do !== "work" || command.work.kind !== "agent")
    throw new Error("unreachable: only an agent's work is handed out");
  const tries = run.tries[command.ticket] ?? 1;
  return { task: { command, run, flow: shop.frozen.flow, begin: { performer: HOST }, tries }, work: command.work };
}

const keptPath = (shop: Workshop, run: string): string => `${shop.store.runFolder(run)}/host.json`;

async function keptOf(shop: Workshop, run: string): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse((await shop.files.text(keptPath(shop, run))) ?? "null") as Partial<Kept> | null; // looked at next
    const isWhole =
      typeof kept?.ticket === "string" && typeof kept.folder === "string" && typeof kept.before?.digest === "string";
    return isWhole && kept.folder?.startsWith(`${shop.store.runFolder(run)}/`) ? (kept as Kept) : undefined; // whole
  } catch {
    return undefined; // half written: the step is opened anew
  }
}
