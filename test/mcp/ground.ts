// A repository with a loop of skills for the agent of an IDE, and a validator that says what a file says.
import { Repository } from "../harness/repository.js";

/** Waits `work/slow` seconds, then passes if `work/ok` is there. */
const LOOK = `#!/bin/sh
cat >/dev/null
[ -e work/slow ] && sleep "$(cat work/slow)"
if [ -e work/ok ]; then
  echo '{"pass": true, "message": "all is well", "checks": [{"name": "fine", "pass": true}]}'
else
  echo '{"pass": false, "message": "something is missing", "checks": [{"name": "fine", "pass": false, "message": "work/ok is not there"}]}'
fi
`;
const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name} now.\n`;

export interface GroundHow {
  loop?: string;
  branch?: string;
  name?: string;
  files?: Record<string, string>;
}
export const LOOP =
  'name: dev\nskills: [alpha, beta]\ngoal_state: "all done"\nvalidators: [{tool: look, checks: [{name: fine}]}]\n';

export function ground({
  loop = `${LOOP}human_gate: false\n`,
  branch = "feature",
  name,
  files = {},
}: GroundHow = {}): Repository {
  return Repository.make(
    {
      ".pawl/loops/dev.yaml": loop,
      ".pawl/skills/alpha/SKILL.md": skill("alpha"),
      ".pawl/skills/beta/SKILL.md": skill("beta"),
      "validators/look.sh": LOOK,
      "work/ok": "yes\n",
      ...files,
    },
    { branch, ...(name ? { name } : {}) },
  );
}

/** Every file below `.pawl` with its contents: to see that a look changed none. */
export function pawlFiles(repository: Repository): string {
  return repository.git("ls-files", "-s", "-o", "-m", "-c", "--", ".pawl") + repository.git("stash", "list");
}
