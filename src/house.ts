// Puts the house together for one repository. With main.ts the only file that knows everybody; loaded when a command needs it.
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sweep } from "./adapters/agents/mark.js";
import { AGENTS, USES } from "./adapters/agents/registry.js";
import type { Behind } from "./adapters/background/background.js";
import { systemClock } from "./adapters/clock/clock.js";
import { diskFiles } from "./adapters/files/files.js";
import { openGit } from "./adapters/git/repository.js";
import { gitSignposts } from "./adapters/git/signposts.js";
import { FolderLibrary } from "./adapters/library/library.js";
import { readSpec } from "./adapters/library/spec.js";
import { Bubblewrap } from "./adapters/sandbox/bubblewrap/engine.js";
import { chooseEngine } from "./adapters/sandbox/choose.js";
import { Docker } from "./adapters/sandbox/docker/docker.js";
import { adoptPublished, refuseOtherHistory } from "./adapters/store/adopt.js";
import { archiveRecord } from "./adapters/store/archive.js";
import { openGround } from "./adapters/store/ground.js";
import { readJournal } from "./adapters/store/journal.js";
import { openMemory } from "./adapters/store/memory.js";
import { partsOfJob } from "./adapters/store/names.js";
import { openRecords } from "./adapters/store/records.js";
import { type FoundRecord, pendingJobsIn, scanRecords } from "./adapters/store/scan.js";
import { bindSession } from "./adapters/store/session.js";
import { openStore } from "./adapters/store/store.js";
import type { Issue } from "./config/issues.js";
import { isOfBranch, jobOf } from "./core/job.js";
import type { Limits } from "./core/model.js";
import { extensionsIn } from "./core/named.js";
import { Refusal } from "./ports/errors.js";
import type { FailPoint } from "./ports/fail-points.js";
import type { Git } from "./ports/git.js";
import type { Ground } from "./ports/ground.js";
import type { House, JobRecord, Loaded, LoadOptions } from "./ports/house.js";
import type { Library } from "./ports/library.js";
import type { Sandbox } from "./ports/sandbox.js";

export interface Surroundings {
  cwd: string;
  env: Record<string, string | undefined>;
  /** Where a test may kill the process. */
  at?: FailPoint;
}
/** The package's own folder: `loops`, `skills` and `validators` lie in it. */
export const packageFolder = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
};

export interface OpenHouse extends House {
  library: Library;
  /** People's files in the work tree, for setting up. */
  ground(): Ground;
  engines: Sandbox[];
  load(name: string, how: LoadOptions): Promise<Loaded & { issues: Issue[] }>;
  readJournal(path: string): { lines: number; head: string };
  bindSession(run: string): void;
}

export async function openHouse({ cwd, env, at = () => undefined }: Surroundings): Promise<OpenHouse> {
  const git = await openGit({ folder: cwd, env, at });
  const where = await git.where();
  const store = openStore({ home: where.home, at });
  const records = openRecords({ workspace: where.workspace, runFolder: (run) => store.runFolder(run), at });
  const library = new FolderLibrary({ workspace: where.workspace, bundled: packageFolder(), cwd });
  const engines: Sandbox[] = [new Bubblewrap(), new Docker(env)];
  const agents = new Map(AGENTS.map((agent) => [agent.use, agent]));
  const jobsFolder = join(where.workspace, ".pawl", "jobs");

  const house: OpenHouse = {
    where,
    store,
    records,
    git,
    files: diskFiles,
    memory: openMemory({ workspace: where.workspace }),
    clock: systemClock,
    agents,
    sha256,
    user: where.user?.name ?? env.USER ?? userInfo().username,
    userFolder: realFolder(env.HOME || homedir()),
    library,
    ground: () => openGround({ workspace: where.workspace, bundled: packageFolder() }),
    engines,
    engine: chooser(engines),
    async sweep(run) {
      const { start } = await store.frozen(run); // ids are unique here only: another repository may have a run of that name
      const mark = { PAWL_RUN: run, PAWL_WORKSPACE: start.workspace };
      await Promise.all([...engines.map((engine) => engine.sweep()), sweep(mark)]);
    },
    load: async (name, how) => {
      const { loadFor } = await import("./load.js");
      return loadFor({ house, env, uses: [...USES], name, how, cwd });
    },
    performer: async (name) => (await import("./load.js")).performerFor({ library, uses: [...USES], name }),
    driveBehind: (run) => {
      const isTaken = async () => (await store.holder(run)) !== undefined;
      return driveAway({
        run,
        workspace: where.workspace,
        env,
        log: join(store.runFolder(run), "behind.log"),
        isTaken,
      });
    },
    bindSession: (run) => bindSession(store.runFolder(run)),
    readJournal(path) {
      const { lines, head } = readJournal(path);
      return { lines: lines.length, head };
    },
    extrasOf: async ({ flow }) => {
      const { extrasFor } = await import("./extras.js");
      return extrasFor(where.workspace, extensionsIn(flow.named), { frozen: flow.named });
    },
    recordsOf(job) {
      const { records: found, unreadable } = scanRecords(join(jobsFolder, job));
      return { records: found.map(toldBy), unreadable };
    },
    phases: async () => (await import("./load.js")).phasesIn(jobsFolder),
    pendingJobs: () => pendingJobsIn(jobsFolder),
    branches: async () => (await import("./load.js")).branchesFor(library, (await git.where()).defaultBranch),
    jobLimits: () => jobLimitsOf(library),
    archive: async (at) => archiveRecord(records.pathOf(at), at.run, systemClock.now()),
    interrupt: (pid) => void process.kill(pid, "SIGTERM"),
    adopt(run) {
      const { home, workspace } = where;
      const adopted = adoptPublished({ home, workspace, jobsFolder, signposts: gitSignposts(workspace), at }, run);
      return adopted.did === "adopted" ? { run: adopted.run, from: adopted.from } : undefined;
    },
    refuseOtherHistory: (here) => refuseOtherHistory({ ...here, jobsFolder, runFolder: store.runFolder(here.run) }),
    job: () => jobNow(git, where.workspace),
    worldOf: async (made) => {
      const { worldOf } = await import("./workshop.js");
      return worldOf({ house, env, packageFolder: packageFolder(), at }, made);
    },
    hookOf: async (made) => {
      const { hookOf } = await import("./workshop.js");
      return hookOf({ house, env, packageFolder: packageFolder(), at }, made);
    },
  };
  return house;
}

/** Each wish is probed for once. */
function chooser(engines: Sandbox[]): House["engine"] {
  const choices = new Map<string, ReturnType<House["engine"]>>();
  return (isolation, signal) => {
    const wish = JSON.stringify(isolation);
    const chosen = choices.get(wish) ?? chooseEngine(engines, isolation, signal);
    choices.set(wish, chosen);
    chosen.catch(() => choices.delete(wish)); // a "no" is asked again: it may be mended by then
    return chosen;
  };
}

/** How long the answers of the user's git configuration and of the engines' probes hold for a server. */
const KEPT_MS = 30_000;
const kept = new Map<string, { house: OpenHouse; signposts: string; since: number }>();

/** For who opens a house again and again: the one of a moment ago, as long as its repository is what it was. Branch and commit are
 *  looked at anew. */
export async function keptHouse(where: Surroundings): Promise<OpenHouse> {
  const last = kept.get(where.cwd);
  const now = systemClock.ticks();
  if (last && now - last.since < KEPT_MS && last.signposts === signpostsOf(last.house)) {
    last.house.where = await last.house.git.where();
    return last.house;
  }
  kept.clear();
  const house = await openHouse(where);
  kept.set(where.cwd, { house, signposts: signpostsOf(house), since: now });
  return house;
}
const signpostsOf = ({ where }: House): string => JSON.stringify(gitSignposts(where.workspace));

async function driveAway(behind: Omit<Behind, "program">): Promise<void> {
  const { driveBehind } = await import("./adapters/background/background.js");
  await driveBehind({ program: PROGRAM, ...behind });
}

/** The job of the branch as it is now: a step may have made one since the house was opened. */
async function jobNow(git: Git, workspace: string): ReturnType<House["job"]> {
  const spec = await readSpec(workspace);
  const { branch } = await git.where(); // as it is now: a step may have made a branch since the house was opened
  const found = jobOf({ spec, branch });
  const parts = "refused" in found ? found.refused : partsOfJob(found.job);
  if ("refused" in found || typeof parts === "string")
    throw new Refusal("bad-job", String(parts), "rename the branch, or mend .pawl/spec.md");
  const warning = [spec?.warning, found.warning].filter((text) => text !== undefined).join("; ");
  const { job, ticket } = found;
  return {
    job,
    ticket,
    isOfSpec: isOfBranch({ spec, branch }),
    ...(branch ? { branch } : {}),
    ...(warning ? { warning } : {}),
  };
}

/** Settings that do not name the key are not read: their reader costs more than a step may. */
async function jobLimitsOf(library: Library): Promise<Limits> {
  const settings = await library.settings();
  if (!settings?.text.includes("job_limits")) return {};
  return (await import("./load.js")).jobLimitsFor(library);
}

function toldBy({ run, loop, file, status, record }: FoundRecord): JobRecord {
  const { job_id: job, outcome = null, head } = record;
  const told = { ...(typeof job === "string" ? { job } : {}), ...(typeof head === "string" ? { head } : {}) };
  return { run, loop, file, status, isOpenEnded: outcome === null, ...told };
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there, so nobody stands in it
  }
}

/** This program, for a Pawl that is to outlive us. */
const PROGRAM = join(packageFolder(), "dist", "pawl.js");

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
