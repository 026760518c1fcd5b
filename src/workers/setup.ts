// The setup of a command step: runs before it in a sandbox of its own, which alone has a way out, unless its stamp says that it ran.
import { GRACE_MS } from "../core/limits.js";
import type { Work } from "../core/model.js";
import type { Heard } from "../ports/listen.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { hearLine } from "./line.js";
import { openVisit, type Visit } from "./visit.js";

type Command = Extract<Work, { kind: "command" }>;
export type SetUp =
  | { skipped: string }
  /** `settle` is to be called once it is judged: a pass is stamped. */
  | { heard: Heard; refused: string[]; stamp(): void };

/** Secrets and what belongs to one run stay out: what a setup makes is there for the runs to come. */
export async function setUp(
  shop: Workshop,
  task: Task,
  { setup, env: own = {}, timeoutMs }: Command & { setup: string },
  visit: Visit,
  signal: AbortSignal,
): Promise<SetUp> {
  const { workspace } = shop.frozen.start;
  const { isolation, name: loop } = task.flow;
  const allow = isolation.egress ?? [];
  const env = { ...plain(isolation.env), ...own, PAWL_WORKSPACE: workspace };
  const step = task.command.do === "work" ? task.command.node.name : "";
  const setups = shop.setups.open({
    ...{ workspace, of: `${loop}/${step}`, text: setup, env, egress: allow },
    sandbox: await visit.sandbox(),
  });
  const since = setups.doneSince();
  if (since !== undefined) return { skipped: since };
  setups.begin();
  await using egress = await shop.egress({ allow, workspace, log: `${visit.folder}/egress.log` });
  const outward = await openVisit(shop, task, { access: "write", kept: visit, readable: [egress.folder] });
  try {
    const argv = egress.wrap(["sh", "-c", setup]);
    const child = await outward.start({ argv, cwd: workspace, env, timeoutMs, graceMs: GRACE_MS });
    const heard = await hearLine(shop, task, outward, child, `${visit.folder}/setup.log`, signal);
    return { heard, refused: egress.refused(), stamp: () => setups.succeed() };
  } finally {
    await outward.close();
  }
}

const plain = (env: Record<string, string | { from: string }>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
