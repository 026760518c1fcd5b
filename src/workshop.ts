// Puts together what carries a run's commands out: the workers and what they work with. Apart from house.ts because looking needs none of it.
import { join } from "node:path";
import { listen } from "./adapters/agents/listen.js";
import { readFrontMatter } from "./adapters/library/front-matter.js";
import { launcherOf } from "./adapters/validators/launcher.js";
import type { Command, Json } from "./core/model.js";
import { registryOf } from "./hooks/registry.js";
import { FaultError } from "./ports/errors.js";
import type { FailPoint } from "./ports/fail-points.js";
import type { House } from "./ports/house.js";
import type { Sandbox } from "./ports/sandbox.js";
import type { Worker } from "./ports/worker.js";
import type { Workshop } from "./ports/workshop.js";
import type { HostedWorld } from "./ports/world.js";
import { follow, within } from "./runtime/offspring.js";
import { publisher } from "./runtime/publish.js";
import { renamer } from "./runtime/rename.js";
import { actionWorker } from "./workers/action.js";
import { commitAction } from "./workers/actions/commit.js";
import { commitHook } from "./workers/actions/commit-hook.js";
import { agentWorker } from "./workers/agent.js";
import { askWorker } from "./workers/ask.js";
import { checkWorker } from "./workers/check.js";
import { commandWorker } from "./workers/command.js";
import { chainWorker, checkpointWorker, flowWorker } from "./workers/hand-over.js";
import { hostOf } from "./workers/host.js";

export interface Around {
  house: House;
  env: Record<string, string | undefined>;
  packageFolder: string;
  at: FailPoint;
}

export function worldOf({ house, env, packageFolder, at }: Around, made: Parameters<House["worldOf"]>[0]): HostedWorld {
  const { frozen, engine, actions, notifier, standIn, away = () => false } = made;
  const { where, store, files, git, clock, agents, records } = house;
  const registered = new Map(actions);
  const shop: Workshop = {
    frozen,
    home: where.home,
    store,
    files,
    git,
    clock,
    notifier,
    sandbox: engine ?? NO_ENGINE,
    agents,
    actions: registered,
    hooks: registryOf(),
    frontMatter: frontMatterOf,
    variable: (name) => env[name],
    sha256: house.sha256,
    listen,
    launcher: launcherOf(join(packageFolder, "dist", "typescript.js")),
    within: (loop, task, signal) => within(house, notifier, loop, task, signal),
    follow: (loop, task) => follow(house, loop, task),
    publish: (job) => records.publishJournal({ job, loop: frozen.flow.name, run: frozen.run }),
    at,
    ...(standIn ? { standIn } : {}),
  };
  registered.set("commit", commitAction({ git, start: frozen.start, hook: commitHook(shop) }));
  const workers = workersOf(shop);
  return {
    workerFor: (command) => {
      const worker = workers[kindOf(command)];
      return { ...worker, here: (asked, flow) => !away(asked, flow) && worker.here(asked, flow) };
    },
    host: hostOf(shop),
    clock,
    notifier,
    published: publisher(house, (trouble) => notifier.warned(trouble)),
    renaming: renamer(house, (text) => notifier.warned(text)),
  };
}

type Kind = "agent" | "command" | "action" | "check" | "ask" | "flow" | "checkpoint" | "chain";
const kindOf = (command: Command): Kind => {
  if (command.do === "work") return command.work.kind;
  return command.do === "hook" ? "check" : command.do;
};
const workersOf = (shop: Workshop): Record<Kind, Worker> => ({
  agent: agentWorker(shop),
  command: commandWorker(shop),
  action: actionWorker(shop),
  check: checkWorker(shop),
  ask: askWorker(),
  flow: flowWorker(shop),
  checkpoint: checkpointWorker(shop),
  chain: chainWorker(shop),
});

/** For loops without anything to confine: opening it is a bug that must not pass for a weak sandbox. */
const NO_ENGINE: Sandbox = {
  engine: "none",
  probe: async () => {
    throw new Error("unreachable: there is no engine to probe");
  },
  open: async () => {
    throw new FaultError({
      code: "sbx-no-engine",
      message: "This run was started without a sandbox engine, and a step needs one",
      hint: "pawl doctor",
    });
  },
  sweep: async () => undefined,
};

function frontMatterOf(text: string): { values: Record<string, Json>; body: string } | undefined {
  const { data, broken, body } = readFrontMatter(text);
  return broken ? undefined : { values: JSON.parse(JSON.stringify(data)) as Record<string, Json>, body };
}
