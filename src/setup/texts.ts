// The texts that setting up writes: rules for agents, the loop's slash command, the memory bank, the first settings.
import type { ClientName } from "./model.js";

/** The rules, for every agent that works in the repository by hand or in a loop. */
export const RULES = `## Pawl: when a loop runs, it leads

Pawl runs loops: a sequence of skills with checks and gates. A run leaves a task file in \`.pawl/jobs/\`.

**Before you begin to work, look whether a run is active.** Call \`loop_status\`. Without that tool read the task files:
\`.pawl/jobs/<job>/*.json\` (the job is the ticket in \`.pawl/spec.md\` when its branch is checked out, else the branch) and
\`.pawl/jobs/_pending-*/*.json\`. A run is active while its \`status\` is none of \`complete\` and \`failed\`.

### A run is active: you are bound to it

1. Do the current skill only (\`skills[current_skill_index]\`). Read it with \`get_skill\`. Do not begin the next one.
2. When it is done, call \`loop_advance\` with \`skill\` (its name) and \`output\` (what you did, where it is). Then do what the answer says.
3. While the status is \`paused\`, stop. Say what the run waits for, in its own words, and wait for the person. Work on nothing else of this job.
4. While the status is \`validating\`, call \`loop_status\` until it says more. Change no file meanwhile.
5. After a person has answered in this conversation, call \`loop_continue\`. Never call it of your own accord.
6. Never say that a gate is approved, a check has passed or a skill is done unless Pawl has said so.
7. Never edit, move or remove anything in \`.pawl/jobs/\`, \`.pawl/local/\` or \`.git/pawl/\`.
8. Never change a loop (\`.pawl/loops/\`), a skill or a validator (\`validators/\`) to get past a check.
9. When you cannot go on, call \`loop_stop\` with the reason. Do not work around the loop.
10. An unreadable task file counts as an active run: say so, and stop.

### No run is active: nothing changes

- Work as you always do. A skill that a person asks for by name (\`/pawl/<skill>\`, \`/<skill>\`) is done by hand, outside any loop.
- Then write no task file, start no run and call no validator, unless the person asks for it.
- Start a loop (\`run_loop\`) only when a person asks for one.
`;

/** The one text of the loop's slash command; each host gets its own header over it. */
export const LOOP_COMMAND = `Run a loop of Pawl in this session, until it rests.

What was asked for: $ARGUMENTS
(When the line above shows no words of the person, take them from their message.)

1. The first word names the loop; what follows describes the work. Without a name call \`list_loops\`, show the list and ask which one.
2. Call \`loop_status\`. When a run of this job is active, go on with it and start no second one.
3. Otherwise call \`run_loop\` with \`name\` and \`description\`.
4. Do what the answer says: the current skill only. Report it with \`loop_advance\` (\`skill\`, \`output\`), and repeat with the next answer.
5. While checks run, call \`loop_status\` until they are done.
6. When the run is paused, at a gate, or over: stop, and say in its own words what it waits for or how it ended.
   Only after the person has answered call \`loop_continue\`.
7. When you cannot go on, call \`loop_stop\` with the reason. Never edit \`.pawl/jobs/\`, loops, skills or validators on the way.
`;

const ABOUT = "Run a Pawl loop here: skills in order, checks and gates between them";
export const TOOLS = [
  "run_loop",
  "loop_advance",
  "loop_continue",
  "loop_status",
  "loop_stop",
  "loop_explain",
  "list_loops",
  "list_skills",
  "get_skill",
];

/** Path and header of the slash command, by host. */
export const COMMAND_FILES: Partial<Record<ClientName, { path: string; header: string }>> = {
  "claude-code": {
    path: ".claude/commands/pawl-loop.md",
    header: [
      `description: "${ABOUT}"`,
      'argument-hint: "<loop> [what it is for]"',
      `allowed-tools: ${TOOLS.map((tool) => `mcp__pawl__${tool}`).join(", ")}, Read, Grep, Glob, Edit, Write, Bash, Task`,
    ].join("\n"),
  },
  copilot: {
    path: ".github/prompts/pawl-loop.prompt.md",
    header: [
      `description: "${ABOUT}"`,
      "agent: agent",
      "tools: ['pawl/*', 'search', 'edit', 'runCommands', 'todos']",
    ].join("\n"),
  },
  // a subtask: the work of a whole loop does not fill the person's conversation, and it comes back there when the run rests
  opencode: {
    path: ".opencode/command/pawl-loop.md",
    header: [`description: "${ABOUT}"`, "agent: build", "subtask: true"].join("\n"),
  },
  antigravity: {
    path: ".agent/workflows/pawl-loop.md",
    header: [
      `description: "${ABOUT}"`,
      "triggers:",
      '  - "/pawl-loop"',
      '  - "run the loop"',
      '  - "run a pawl loop"',
      '  - "go on with the loop"',
    ].join("\n"),
  },
};

export const commandFile = (header: string): string => `---\n${header}\n---\n\n${LOOP_COMMAND}`;

/** Cursor's rules have a header; the text is everybody's. */
export const CURSOR_RULES = `---
description: How to work while a Pawl loop runs
alwaysApply: true
---

${RULES}`;

/** The memory bank: what the team and its agents know. Written only where a file is missing. */
export const MEMORY: Record<string, string> = {
  "projectbrief.md": `# Project brief

What this project is, for whom, and what counts as a success. Everything else follows from here.
`,
  "productContext.md": `# Product context

Why the product exists, which problems it solves, and how it should feel to use.
`,
  "systemPatterns.md": `# System patterns

How the system is built: parts, decisions and the patterns that hold everywhere.
`,
  "techContext.md": `# Technical context

Languages, tools, how to build and test, and what limits us.
`,
  "activeContext.md": `# Active context

What is being worked on now, and what comes next.

## Open learnings and decisions
`,
};

export interface FirstSettings {
  branchBase?: string | undefined;
  productionBranch?: string | undefined;
  agent?: string | undefined;
  ides?: ClientName[] | undefined;
}

/** A new \`.pawl/config.yaml\`. Values are quoted as JSON, which is YAML. */
export function firstSettings({ branchBase, productionBranch, agent, ides }: FirstSettings): string {
  const value = (text: string | undefined): string => (text === undefined ? "" : ` ${JSON.stringify(text)}`);
  return `# Settings of Pawl for this repository. A key without a value is unset.

# The branch that work starts from; without a value it is git's.
branch_base:${value(branchBase)}
# The branch that is in production.
production_branch:${value(productionBranch)}
# Who works where a loop names nobody: claude-code, or a name from "agents".
agent:${value(agent)}
# Editors and agents that "pawl init" sets up; without a value those that it finds.
ides:${ides ? ` [${ides.join(", ")}]` : ""}
# What the names of agents stand for, in every loop.
# agents:
#   developer: { use: claude-code }
`;
}
