// Runs a validator of the repository inside the sandbox: JSON in, JSON out, judged by the contract (contract.ts).
import { GRACE_MS } from "../core/limits.js";
import type { Verdict } from "../core/model.js";
import { FaultError } from "../ports/errors.js";
import type { Frozen } from "../ports/store.js";
import type { Task } from "../ports/worker.js";
import type { Workshop } from "../ports/workshop.js";
import { type DeclaredValidator, input, judge } from "./contract.js";
import type { ValidatorRun } from "./validator-answer.js";
import { openVisit } from "./visit.js";

type FrozenFile = Frozen["files"][string];
export type Asked = { verdict: Verdict; digest: string };

/** Throws a FaultError when the sandbox could not; everything the validator does wrong is a failed check. */
export async function askValidator(
  shop: Workshop,
  task: Task,
  wish: DeclaredValidator & { timeoutMs: number },
  signal: AbortSignal,
): Promise<Asked> {
  const frozen = shop.frozen.files[`validator ${wish.tool}`];
  const file = frozen && (await asFrozen(shop, frozen));
  const launch = file && shop.launcher(file.path);
  if (!frozen || !file || !launch)
    return judged(wish, { stdout: "", stderrTail: "", timedOut: false, limitSeconds: wish.timeoutMs / 1000 }, "");
  if ("missing" in launch) {
    const why = `"${wish.tool}" needs ${launch.missing}, which is not installed`;
    return judged(
      wish,
      { stdout: "", stderrTail: "", timedOut: false, limitSeconds: wish.timeoutMs / 1000, why },
      frozen.digest,
    );
  }
  const ran = await run(
    shop,
    task,
    { argv: launch.argv, readable: [...file.readable, ...launch.readable], timeoutMs: wish.timeoutMs },
    signal,
  );
  const asked = judged(
    wish,
    { ...ran, path: `validators/${file.path.slice(file.path.lastIndexOf("/") + 1)}` },
    frozen.digest,
  );
  if (!file.edited) return asked;
  const text = `the validator was edited during the run; the version from its start was used`;
  const edited = { text, where: wish.tool, severity: "warning" as const };
  return { ...asked, verdict: { ...asked.verdict, findings: [...asked.verdict.findings, edited] } };
}

/** The file where the author wrote it, for what it reads beside itself; where it was edited since, its copy from the start. */
async function asFrozen(
  shop: Workshop,
  { path, from, digest }: FrozenFile,
): Promise<{ path: string; readable: string[]; edited: boolean }> {
  const { workspace } = shop.frozen.start;
  if (!from?.startsWith(`${workspace}/`)) return { path, readable: [path], edited: false };
  const read = await shop.files.read(workspace, from.slice(workspace.length + 1));
  const same = "text" in read && read.sha256 === digest;
  return same ? { path: from, readable: [], edited: false } : { path, readable: [path], edited: true };
}

function judged(declared: DeclaredValidator, ran: ValidatorRun, digest: string): Asked {
  const { verdict, result } = judge(declared, ran);
  return { verdict: { ...verdict, report: JSON.parse(JSON.stringify(result)) }, digest };
}

interface Wish {
  argv: string[];
  readable: string[];
  timeoutMs: number;
}

async function run(
  shop: Workshop,
  task: Task,
  { argv, readable, timeoutMs }: Wish,
  signal: AbortSignal,
): Promise<ValidatorRun> {
  const visit = await openVisit(shop, task, { access: "write", readable });
  try {
    const { workspace } = shop.frozen.start;
    const child = await visit.start({ argv, cwd: workspace, env: visit.env, timeoutMs, graceMs: GRACE_MS });
    const stop = () => child.stop("cancelled");
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const onLine = (line: string) => shop.notifier.said(task.command, visit.mask(line));
    const heard = await shop.listen(child, {
      stdin: inputOf(shop, task),
      log: `${visit.folder}/console.log`,
      onLine,
      mask: visit.mask,
    });
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
    const { outcome } = heard;
    if (outcome.end === "fault") throw new FaultError(outcome.fault);
    return {
      ...(outcome.end === "exit" ? { exit: outcome.code } : {}),
      stdout: heard.stdout,
      stderrTail: visit.mask(heard.stderrTail),
      timedOut: outcome.end === "limit" && outcome.limit === "time",
      limitSeconds: timeoutMs / 1000,
      ...(outcome.end === "limit" && outcome.limit !== "time"
        ? { why: `used more ${outcome.limit} than ${outcome.value}` }
        : {}),
    };
  } finally {
    await visit.close();
  }
}

function inputOf(shop: Workshop, { run, flow }: Task): string {
  const outputs = flow.steps.flatMap((name) =>
    run.results[name]?.output === undefined ? [] : [[name, run.results[name].output] as const],
  );
  const { branch, ticket } = shop.frozen.start;
  return input({
    skillOutputs: Object.fromEntries(outputs),
    goalState: flow.goal,
    job: run.job,
    run: run.id,
    loop: flow.name,
    branch,
    ticket,
  });
}
