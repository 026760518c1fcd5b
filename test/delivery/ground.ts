// What the tests of the delivery loops share: the forms that skills tell an agent to write, filled in, and validators asked by hand.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE, type Repository } from "../harness/repository.js";

export const skillText = (name: string): string => readFileSync(join(PACKAGE, "skills", name, "SKILL.md"), "utf8");

/** The form in a skill's text, to the letter. */
export function formOf(skill: string): string {
  const [, form] = /```markdown\n([\s\S]*?)```/.exec(skillText(skill)) ?? [];
  if (!form) throw new Error(`the skill "${skill}" has no form`);
  return form;
}
/** Each comment replaced by the answer at its place, as the skill says. */
export function filled(skill: string, answers: string[]): string {
  const left = [...answers];
  const text = formOf(skill).replace(/<!--[\s\S]*?-->/g, () => left.shift() ?? "NO ANSWER");
  if (left.length || text.includes("NO ANSWER"))
    throw new Error(`the form of "${skill}" has not ${answers.length} places`);
  return text;
}

export const spec = (branch: string, ticket = "none"): string =>
  filled("create-ticket", [
    ticket,
    branch,
    "Add two numbers",
    "Nobody can add here.",
    "There is a function that adds.",
    "add(1, 2) is 3",
    "add() without numbers throws",
    "subtraction",
    "numbers are JavaScript's",
    "none",
  ]);
export const plan = (branch: string, ticket = "none"): string =>
  filled("plan", [
    ticket,
    branch,
    "Add two numbers",
    "One function in one file.",
    "adding works",
    "add.cjs: add; test: test/add.test.cjs (AC-1)",
    "add.cjs: read the arguments as numbers (AC-1)",
    "mistakes are refused",
    "add.cjs: throw; test: test/add.test.cjs (AC-2)",
  ]);
export const validation = (branch: string, commit: string): string =>
  filled("validate", [
    branch,
    commit,
    "`test/add.test.cjs:3` fails without the change",
    "`test/add.test.cjs`",
    "none",
  ]).replace("AC-2: not met:", "AC-2: met:");
export const description = (branch: string): string =>
  filled("draft-pr-description", [
    branch,
    "main",
    "Add two numbers",
    "Nobody could add.",
    "add() adds",
    "node --test: 2 passed",
    "begin with add.cjs",
  ]);
export const ticked = (tasks: string): string => tasks.replaceAll("- [ ]", "- [x]");

export interface Said {
  pass: boolean;
  message: string;
  checks: { name: string; pass: boolean; message?: string }[];
  /** Names of the checks that failed. */
  failed: string[];
}
/** Runs a bundled validator in the repository, outside any sandbox. */
export function ask(repository: Repository, tool: string, env: Record<string, string> = {}): Said {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(PACKAGE, "validators", `${tool}.mjs`)], {
    cwd: repository.folder,
    input: JSON.stringify({ skill_outputs: {}, goal_state: "", loop_context: { branch: null, ticket: null } }),
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: repository.home, GIT_CONFIG_NOSYSTEM: "1", ...env },
  });
  if (status !== 0) throw new Error(`${tool} ended with ${status}: ${stderr}`);
  const said = JSON.parse(stdout);
  return {
    ...said,
    failed: said.checks.filter((check: { pass: boolean }) => !check.pass).map(({ name }: { name: string }) => name),
  };
}
export const why = (said: Said, check: string): string => said.checks.find(({ name }) => name === check)?.message ?? "";
