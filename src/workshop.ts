// Puts together what carries a run's commands out: the workers and what they work with. Apart from house.ts because looking needs none of it.
import { join } from "node:path";
import { listen } from "./adapters/agents/listen.js";
import { readFrontMatter } from "./adapters/library/front-matter.js";
import { systemListeners } from "./adapters/listeners/listeners.js";
import { openSetups } from "./adapters/sandbox/stamps.js";
import { openDoor } from "./adapters/tools/door.js";
import { launcherOf } from "./adapters/validators/launcher.js";
import type { Command, Json } from "./core/model.js";
import { registryOf } from "./hooks/registry.js";
import { FaultError } from "./ports/errors.js";
import type { FailPoint } from "./ports/fail-points.js";
import type { CommitWish } from "./ports/git.js";
import type { House } from "./ports/house.js";
import type { Sandbox } from "./ports/sandbox.js";
import type { Worker } from "./ports/worker.js";
import type { Workshop } from "./ports/workshop.js";
import type { HostedWorld } from "./ports/world.js";
import { allowancesAround } from "./runtime/allowances.js";
import { noteEnd } from "./runtime/closing.js";
import { follow, within } from "./runtime/offspring.js";
import { publisher } from "./runtime/publish.js";
import { renamer } from "./runtime/rename.js";
import { saveVisit } from "./runtime/saving.js";
import { silent } from "./runtime/silent.js";
import { actionWorker } from "./workers/action.js";
import { commandCheck } from "./workers/actions/command-check.js";
import { commitAction } from "./workers/actions/commit.js";
import { closingHook, commitHook } from "./workers/actions/commit-hook.js";
import { killListeners } from "./workers/actions/kill-listeners.js";
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

type Made = Parameters<House["worldOf"]>[0];

export function worldOf(around: Around, made: Made): HostedWorld {
  const { house } = around;
  const { away = () => false } = made;
  const shop = shopOf(around, made);
  const workers = workersOf(shop);
  return {
    workerFor: (command) => {
      const worker = workers[kindOf(command)];
      return { ...worker, here: (asked, flow) => !away(asked, flow) && worker.here(asked, flow) };
    },
    host: hostOf(shop),
    clock: house.clock,
    notifier: made.notifier,
    published: publisher(house, (trouble) => made.notifier.warned(trouble)),
    allowances: allowancesAround(house, made.frozen),
    renaming: renamer(house, (text) => made.notifier.warned(text)),
  };
}

/** Commit hooks for the record of a run that has ended. */
export function hookOf(around: Around, made: Parameters<House["hookOf"]>[0]): CommitWish["hook"] {
  const { frozen, run, folder, signal } = made;
  return async (name, args, env) => {
    const { engine } = await around.house.engine(frozen.flow.isolation, signal);
    const shop = shopOf(around, { frozen, engine, notifier: silent() });
    return closingHook(shop, { run, flow: frozen.flow, folder, signal })(name, args, env);
  };
}

function shopOf({ house, env, packageFolder, at }: Around, made: Made): Workshop {
  const { frozen, engine, extras, notifier, standIn } = made;
  const { where, store, files, git, clock, agents, records } = house;
  const registered = new Map(extras?.actions);
  const shop: Workshop = {
    frozen,
    home: where.home,
    store,
    files,
    git,
    clock,
    notifier,
    sandbox: engine ?? NO_ENGINE,
    egress: async (wish) => (await import("./adapters/sandbox/egress/egress.js")).openEgress(wish), // few steps have a setup
    setups: openSetups(where.home),
    agents,
    actions: registered,
    tools: extras?.tools ?? new Map(),
    openDoor,
    hooks: registryOf(extras?.hooks),
    frontMatter: frontMatterOf,
    variable: (name) => env[name],
    sha256: house.sha256,
    listen,
    launcher: launcherOf(join(packageFolder, "dist", "typescript.js")),
    within: (loop, task, signal) => within(house, notifier, loop, task, signal),
    follow: (loop, task) => follow(house, loop, task),
    noteEnd: (run) => noteEnd(house, frozen, run),
    save: (run, saves, signal) => saveVisit(house, { frozen, run, saves, signal }),
    publish: (job) => records.publishJournal({ job, loop: frozen.flow.name, run: frozen.run }),
    at,
    ...(standIn ? { standIn } : {}),
  };
  for (const action of [
    commitAction({ git, start: frozen.start, hook: commitHook(shop) }),
    commandCheck(shop),
    killListeners(systemListeners),
  ])
    registered.set(action.name, action);
  return shop;
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
