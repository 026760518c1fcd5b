// What an agent file makes of the agent a body names, in every body that names agents.
import { expect, test } from "vitest";
import { agentNode, agentStep, doerFile, known, lowered, nodesFile, stepsFile } from "../../../testing/files.js";
import { readAgentFile } from "../agent-file.js";

function agentFiles(...names: string[]) {
  const made = names.map((name) => {
    const path = `.pawl/agents/${name}.agent.md`;
    const text = `---\nname: ${name}\nmodel: small\ntools: [Read]\n---\nYou are ${name} of oak.\n`;
    return [name, { path, digest: `of ${name}`, read: readAgentFile(text, path) }] as const;
  });
  return { agentFiles: Object.fromEntries(made) };
}
const mapped = { use: "command", run: "x" };

test("every body tells the agent who it is, and names the file", () => {
  const files = [
    stepsFile([agentStep("build")], { performers: { dev: mapped } }),
    nodesFile([agentNode("build", { on: { pass: { go: "success" } } })], { performers: { dev: mapped } }),
    doerFile({ doer: "dev", reviewers: ["eye"], performers: { dev: mapped, eye: mapped } }),
  ];
  for (const file of files) {
    const { flow, issues } = lowered(file, {}, known(agentFiles("dev", "eye")));
    expect(issues.filter((issue) => issue.severity === "error")).toEqual([]);
    const works = Object.values(flow?.nodes ?? {}).flatMap(({ work }) => (work.kind === "agent" ? [work] : []));
    expect(works.length).toBeGreaterThan(0);
    for (const { performer, prompt } of works)
      expect(prompt).toMatch(new RegExp(`^You are ${performer} of oak\\.\n\n`));
    expect(flow?.performers.dev).toEqual({ ...mapped, model: "small", tools: ["Read"] });
    expect(flow?.named["agent .pawl/agents/dev.agent.md"]).toBe("of dev");
  }
});

test("what the mapping says itself stands above the file", () => {
  const performers = { dev: { ...mapped, model: "big" } };
  const { flow } = lowered(stepsFile([agentStep("build")], { performers }), {}, known(agentFiles("dev")));
  expect(flow?.performers.dev).toMatchObject({ model: "big", tools: ["Read"] });
});

test("a folder of agent files must have the file of every agent; without the key it need not", () => {
  const performers = { dev: mapped };
  const missing = lowered(
    stepsFile([agentStep("build")], { performers, agentsDir: "sdk" }),
    {},
    known({ agentFiles: {} }),
  );
  expect(missing.issues.map((issue) => issue.message)).toEqual([
    'step "build" has the agent "dev", and there is no "sdk/dev.agent.md"',
  ]);
  expect(lowered(stepsFile([agentStep("build")], { performers }), {}, known({ agentFiles: {} })).flow).toBeDefined();
});
