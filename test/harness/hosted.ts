// A run as the MCP server leaves it between two calls: begun, and at rest at a skill of the host's agent.
import { openHouse } from "../../src/house.js";
import type { Notifier } from "../../src/ports/notifier.js";
import { drive } from "../../src/runtime/drive.js";
import { startRun } from "../../src/runtime/start.js";

/** Loops of two skills that the host does, with and without gates. */
const skill = (name: string) => ({
  [`.pawl/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: d\n---\nDo it.\n`,
});
export const HOSTED_FILES: Record<string, string> = {
  ".pawl/loops/dev.yaml": "name: dev\nhuman_gate: false\nskills: [a, b]\n",
  ".pawl/loops/gated.yaml": "name: gated\nskills: [a, b]\n",
  ...skill("a"),
  ...skill("b"),
  ".pawl/config.yaml": "agent: host\n",
};
export const silent: Notifier = { moved: () => undefined, said: () => undefined, warned: () => undefined }; // nobody listens

/** Returns its id. */
export async function hosted({ folder, home }: { folder: string; home: string }, loop = "dev"): Promise<string> {
  const house = await openHouse({ cwd: folder, env: { HOME: home } });
  const loaded = await house.load(loop, {});
  const { job, ticket } = await house.job();
  await using taken = await startRun(house, loaded, { job, ticket, inputs: {}, by: "tester" });
  const world = await house.worldOf({ frozen: taken.frozen, engine: undefined, notifier: silent });
  await drive(world, taken.opened, new AbortController().signal);
  return taken.frozen.run;
}
