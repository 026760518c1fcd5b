// A repository with skills, one agent that performs them, and loops over them: what every skills journey starts from.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Options, PACKAGE, Repository } from "../harness/repository.js";

/** What the agent does at every step; it may ask $PAWL_STEP and $PAWL_VISIT. */
export const SAYS_ITS_STEP = 'echo "output of $PAWL_STEP, visit $PAWL_VISIT"';

interface Ground {
  files?: Record<string, string>;
  agent?: string;
  branch?: string;
}

/** `loops` are bodies without `name:`; the skills a, b and c are there. */
export function skillsGround(
  loops: Record<string, string>,
  { files = {}, agent = SAYS_ITS_STEP, branch }: Ground = {},
): Repository {
  const own = Object.fromEntries(
    Object.entries(loops).map(([name, text]) => [`.pawl/loops/${name}.yaml`, `name: ${name}\n${text}`]),
  );
  const skills = Object.fromEntries(
    ["a", "b", "c"].map((name) => [
      `.pawl/skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`,
    ]),
  );
  const config = 'agents:\n  worker: {use: command, run: "sh agents/worker.sh"}\nagent: worker\n';
  return Repository.make(
    { ...own, ...skills, ".pawl/config.yaml": config, "agents/worker.sh": `${agent}\n`, ...files },
    branch ? { branch } : {},
  );
}

/** A validator in shell that reads its input and prints this answer. */
export const answering = (answer: unknown, more = ""): string =>
  `#!/bin/sh\ncat >/dev/null\n${more}\ncat <<'ANSWER'\n${JSON.stringify(answer)}\nANSWER\n`;

/** An answer whose checks are given by name. */
export const report = (checks: Record<string, boolean>, message = "") => ({
  pass: Object.values(checks).every((pass) => pass),
  message,
  checks: Object.entries(checks).map(([name, pass]) => ({ name, pass })),
});

export const passing = (...checks: string[]): string =>
  answering(report(Object.fromEntries(checks.map((name) => [name, true]))));

/** The program, which writes down the status of every record it publishes, one word a line, into the file it returns. */
export function recorder(repository: Repository): { program: Options; seen: string } {
  const seen = join(repository.root, "statuses");
  const path = join(repository.root, "recorder.mjs");
  const text = `
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { main } from ${JSON.stringify(join(PACKAGE, "dist", "index.js"))};
const folder = ${JSON.stringify(join(repository.folder, ".pawl/jobs/main"))};
const at = (name) => {
  if (name !== "record:after") return;
  for (const file of readdirSync(folder)) {
    if (!/^[^.].*[0-9a-z]\\.json$/.test(file) || file.endsWith(".flow.json")) continue;
    const { status, outcome, current_skill_index, iteration_count } = JSON.parse(readFileSync(folder + "/" + file, "utf8"));
    appendFileSync(${JSON.stringify(seen)}, JSON.stringify({ status, outcome, at: current_skill_index, rounds: iteration_count }) + "\\n");
  }
};
process.exitCode = await main(process.argv.slice(2), { at });
`;
  writeFileSync(path, text);
  return { program: { program: path }, seen };
}
