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
    ["is its own name where nobody is registered", ["doers", "reviewer-web"], ["doer"]],
  ])("%s", (_, registered, agents) => {
    expect(agentsOfRole("doer", registered)).toEqual(agents);
  });
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
});
