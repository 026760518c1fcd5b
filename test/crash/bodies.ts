// One loop of each body, small and quick, with doubles that write down every execution in the artifacts of their visit: what they
// do depends on their visit alone, so a story told twice is told the same.
export interface Body {
  loop: string;
  files: Record<string, string>;
  /** What a person answers at each gate, in their order. */
  answers: string[];
  /** Commits at the end, with their messages and files. */
  commits: { subject: string; paths: string[] }[];
  ends: string;
  /** So many work side by side. */
  width: number;
}

/** The line that counts. The nap makes it likelier that a kill finds it at work. */
const COUNT = 'echo "$PAWL_STEP" >> "$PAWL_ARTIFACTS/executions"; sleep 0.05';
const agent = (text: string): string => `${COUNT}\n${text}\n`;

const VALIDATOR = `#!/bin/sh
sleep 0.05
cat > /dev/null
echo '{"pass": true, "checks": [{"name": "whole", "pass": true}]}'
`;

const skills: Body = {
  loop: "skilled",
  files: {
    ".pawl/loops/skilled.yaml": `name: skilled
agents: {worker: {use: command, run: "sh agents/worker.sh"}}
skills: [plan, build]
human_gate: true
validators: [{tool: whole, checks: [{name: whole}]}]
`,
    ".pawl/config.yaml": "agent: worker\n",
    ".pawl/skills/plan/SKILL.md": "Make a plan.\n",
    ".pawl/skills/build/SKILL.md": "Build it.\n",
    "validators/whole.sh": VALIDATOR,
    "agents/worker.sh": agent('echo "$PAWL_STEP" > "$PAWL_STEP.txt"'),
  },
  answers: ["continue", "continue"],
  commits: [],
  ends: "success",
  width: 1,
};

const steps: Body = {
  loop: "stepwise",
  files: {
    ".pawl/loops/stepwise.yaml": `name: stepwise
agents:
  dev: {use: command, run: "sh agents/dev.sh"}
  review: {use: command, run: "sh agents/review.sh"}
max_attempts: 5
steps:
  - {name: dev, agent: dev, produces: summary.md}
  - name: test
    command: sh agents/test.sh
    on_fail: {goto: dev, retry: true}
  - name: review
    agent: review
    artifact: findings.md
    verdicts: {pass: APPROVED, fail: NEEDS CHANGES}
    on_fail: {goto: dev, retry: true}
  - {name: commit, action: commit, params: {message: "feat: {subject}"}}
`,
    "agents/dev.sh": agent(`echo "work $PAWL_VISIT" > work.txt; echo done > "$PAWL_ARTIFACTS/summary.md"`),
    "agents/test.sh": agent('grep -q "work 2" work.txt'),
    "agents/review.sh": agent('echo "VERDICT: APPROVED" > "$PAWL_ARTIFACTS/findings.md"'),
  },
  answers: [],
  commits: [{ subject: "feat: stepwise", paths: ["work.txt"] }],
  ends: "success",
  width: 1,
};

const doer: Body = {
  loop: "phased",
  files: {
    ".pawl/loops/phased.yaml": `name: phased
agents:
  doer: {use: command, run: "sh agents/doer.sh"}
  ann: {use: command, run: "sh agents/ann.sh", access: read}
  bob: {use: command, run: "sh agents/bob.sh", access: read}
doer: doer
reviewer: [ann, bob]
max_iter: 1
max_resets: 3
`,
    "agents/doer.sh": agent('echo "work $PAWL_VISIT" > work.txt'),
    "agents/ann.sh": agent('echo "VERDICT: APPROVED" > "$PAWL_ARTIFACTS/REVIEW.md"'),
    "agents/bob.sh": agent(
      `if grep -q "work 2" work.txt; then echo "VERDICT: APPROVED" > "$PAWL_ARTIFACTS/REVIEW.md"; else
printf -- "## Blockers\\n\\n- not yet\\n\\nVERDICT: BLOCKED\\n" > "$PAWL_ARTIFACTS/REVIEW.md"; fi`,
    ),
  },
  answers: ["continue"],
  commits: [],
  ends: "success",
  width: 2,
};

const nodes: Body = {
  loop: "graph",
  files: {
    ".pawl/loops/graph.yaml": `name: graph
agents:
  author: {use: command, run: "sh agents/author.sh"}
start: design
nodes:
  - id: design
    actor: agent
    agent: author
    produces: [design.md]
    exit:
      - {hook: validate-artifacts, with: {sections: [Architecture]}}
      - lint-artifacts
    on: {pass: approve}
  - id: approve
    actor: human
    question: "Is the design good?"
    on: {approved: build, approved-with-comments: build, changes-requested: design}
  - {id: build, actor: code, command: sh agents/build.sh, on: {pass: commit, block: design}}
  - {id: commit, actor: code, action: commit, on: {pass: success}}
`,
    "agents/author.sh": agent(
      `if [ "$PAWL_VISIT" = 1 ]; then echo "# Nothing" > "$PAWL_ARTIFACTS/design.md"; else
printf "# Design\\n\\n## Architecture\\n\\nOne room.\\n" > "$PAWL_ARTIFACTS/design.md"; fi`,
    ),
    "agents/build.sh": agent('echo "built $PAWL_VISIT" > built.txt'),
  },
  answers: ["changes-requested", "approved"],
  commits: [{ subject: "graph: graph", paths: ["built.txt"] }],
  ends: "success",
  width: 1,
};

export const BODIES = { skills, steps, doer, nodes };
