// pawl demo: the whole thing on a sample repository. It goes the ways of `pawl run` and `pawl answer`; nothing is staged but the agents.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { Refusal } from "../../core/refusal.js";
import { gateOf } from "../../core/view.js";
import { lookAt } from "../../runtime/open.js";
import type { Desk } from "./desk.js";
import { clean } from "./render/clean.js";
import { answer, run } from "./run.js";

const LOOP = "ship";
/** Who has answered when nobody was there to. */
const NOBODY = "demo";

export async function demo(desk: Desk, keep: boolean): Promise<number> {
  const folder = repositoryFor(desk, keep);
  cpSync(join(await desk.packaged("demo"), "project"), folder, { recursive: true });
  commitAll(folder, desk);
  desk.err(`${clean(folder)}: a small project whose tests fail\n`);
  desk.err(`its loop "${LOOP}": develop, test in the sandbox, review, ask a person, commit\n\n`);
  let told = "";
  const there = desk.at(folder, (text) => {
    told = text;
    if (!desk.json) desk.out(text);
  });
  const ran = await run(there, LOOP, {});
  const ended = ran === 3 && !desk.signal.aborted ? await answered(there, ran) : ran;
  if (desk.json) desk.out(`${JSON.stringify({ repository: folder, ...JSON.parse(told) }, null, 2)}\n`);
  else desk.out(await whatNow(there));
  return ended;
}

/** A new folder of the system's temporary one; with --keep one here, which must not be there yet. */
function repositoryFor(desk: Desk, keep: boolean): string {
  if (!keep) return realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-")));
  const folder = join(desk.cwd, "pawl-demo");
  if (existsSync(folder)) throw new Refusal("demo-exists", `"${folder}" is there already`, `rm -r "${folder}"`);
  mkdirSync(folder);
  return folder;
}

/** A repository of ours with nothing in it but our files, so git may be run in it. */
function commitAll(folder: string, desk: Desk): void {
  const name = asks(desk) ? (desk.env.USER ?? NOBODY) : NOBODY;
  const env = { PATH: desk.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  for (const words of [
    ["init", "--quiet", "--initial-branch=main", "--template="],
    ["config", "user.name", name],
    ["config", "user.email", `${NOBODY}@example.invalid`],
    ["add", "--all"],
    ["commit", "--quiet", "--message=A cart, and tests that fail"],
  ])
    execFileSync("git", words, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
}

/** At a terminal the person has been asked, and has left the question open; elsewhere the demo answers, and says so. */
async function answered(there: Desk, code: number): Promise<number> {
  const house = await there.house();
  const id = await onlyRun(there);
  const { flow, run: rested } = await lookAt(house, id);
  const [option] = gateOf(flow, rested)?.options ?? [];
  if (!option || asks(there)) return code;
  there.err(`\nnobody is asked here, so the demo answers as "${NOBODY}": pawl answer ${id} ${option}\n`);
  return answer(there, id, option, "answered by the demo: nobody was at a terminal");
}

/** Is a person asked? As `pawl run` decides it. */
const asks = (desk: Desk): boolean => desk.terminal && !desk.json;

const onlyRun = async (there: Desk): Promise<string> => (await (await there.house()).store.list()).at(-1) ?? "";

async function whatNow(there: Desk): Promise<string> {
  const house = await there.house();
  const id = await onlyRun(there);
  const { flow, run: ended } = await lookAt(house, id);
  const pawl = programName();
  const commands = [
    [`cd ${there.cwd}`, ""],
    ["git show --stat", "what was committed, and nothing else"],
    [`${pawl} log ${id}`, "the story"],
    [`${pawl} explain ${id} test`, "why it went back"],
    [`${pawl} plan ${LOOP}`, "what this loop can do at most"],
    [`cat .pawl/loops/${LOOP}.yaml`, "the loop itself"],
  ] as const;
  const width = Math.max(...commands.map(([words]) => words.length));
  return [
    "",
    `repository  ${clean(there.cwd)}`,
    `record      ${relative(there.cwd, house.records.pathOf({ job: ended.job, loop: flow.name, run: id }))}`,
    `journal     ${relative(there.cwd, house.store.runFolder(id))}/journal.jsonl`,
    "",
    "try next:",
    ...commands.map(([words, about]) => `  ${words.padEnd(width)}${about ? `  # ${about}` : ""}`.trimEnd()),
    "",
  ].join("\n");
}

/** As the person can type it: installed, or out of a clone. */
function programName(): string {
  const [, program = "pawl"] = process.argv;
  return basename(program) === "pawl" ? "pawl" : `node ${program}`;
}
