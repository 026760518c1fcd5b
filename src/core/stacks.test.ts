import { describe, expect, it } from "vitest";
import { agentsOfRole, tasksOf } from "./stacks.js";

describe("a role", () => {
  it.each([
    ["is filled by the agent of its own name", ["doer-web", "doer"], ["doer"]],
    [
      "is filled by the agents of its stacks, in their order, each once",
      ["doer-web", "x", "doer-api", "doer-web"],
      ["doer-web", "doer-api"],
    ],
    ["is its own name where nobody is registered", ["doers", "reviewer-web", "doer-"], ["doer"]],
  ])("%s", (_, registered, agents) => {
    expect(agentsOfRole("doer", registered, ["codex"])).toEqual(agents);
  });
});

it("a driver is filled by itself, whatever agents are called like it", () => {
  expect(agentsOfRole("codex", ["codex-fast"], ["codex"])).toEqual(["codex"]);
});

describe("a task of the plan", () => {
  const plan = `# Plan

- [ ] [web] the page
- [x] [api] the route
* [api] without a box
- [ ] for nobody
- [ ] [docs] of no stack here
- prose, no task
- [web](https://example.org) is a link

\`\`\`
- [ ] [web] in code
\`\`\`
1. [ ] [web] numbered
`;
  const of = (name: string) => tasksOf(plan, { name, all: ["api", "web"] });

  it("is its stack's; what is marked for none of the stacks is the first one's", () => {
    expect(of("web")).toEqual(["[ ] the page", "[ ] numbered"]);
    expect(of("api")).toEqual(["[x] the route", "without a box", "[ ] for nobody", "[ ] [docs] of no stack here"]);
  });

  it.each([
    ["code in a line is no fence", "```pnpm test``` passes\n- [ ] [web] x", ["[ ] x"]],
    ["a fence is closed by its own sign only", "~~~\n```\n- [ ] [web] a\n~~~~\n- [ ] [web] x", ["[ ] x"]],
    ["a fence within an item is one", "- [ ] [web] x\n  ```\n  - [ ] [web] a\n  ```", ["[ ] x"]],
    ["a fence that is never closed goes to the end", "- [ ] [web] x\n```\n- [ ] [web] a", ["[ ] x"]],
    ["a mark counts in any case", "- [ ] [Web] x", ["[ ] x"]],
  ])("%s", (_, text, tasks) => {
    expect(tasksOf(text, { name: "web", all: ["api", "web"] })).toEqual(tasks);
  });

  it("is found in a hostile plan of a megabyte in a moment", () => {
    const began = performance.now();
    for (const part of ["`", "~", "```\n", "- [", " ", "1. ", "- [ ] ["])
      tasksOf(part.repeat(1_000_000 / part.length), { name: "web", all: ["web"] });
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
