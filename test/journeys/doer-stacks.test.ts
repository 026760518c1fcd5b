// Doers and reviewers per stack: each task goes to the doer of its stack, and all reviewers are heard before the one verdict.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocked, DOER, judged, loopMdOf, REVIEWER } from "../harness/phase.js";
import { agents, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

/** A doer notes in the tree that it worked. */
const doer = (name: string) => `cat > /dev/null; echo "${name} $PAWL_VISIT" >> work.txt`;
/** Reviews of its own, one a visit. */
const reviewer = (name: string) => REVIEWER.replaceAll("agents/reviews/", `agents/reviews-${name}/`);
const PLAN = "plan.md";
const LOOP = `name: phase\nplan: ${PLAN}\ndoer: doer\nreviewer: reviewer\n`;
const mappedIn = (names: string[]) =>
  `agents:\n${names.map((name) => `  ${name}: {use: command, run: "sh agents/${name}.sh"}\n`).join("")}`;

interface Ground {
  names: string[];
  plan: string;
  reviews?: Record<string, string[]>;
  files?: Record<string, string>;
}
function ground({ names, plan, reviews = {}, files = {} }: Ground): Repository {
  const scripts = names.map((name) => [name, name.startsWith("doer") ? doer(name) : reviewer(name)]);
  const written = Object.entries(reviews).flatMap(([name, texts]) =>
    texts.map((text, i) => [`agents/reviews-${name}/${i + 1}.md`, text]),
  );
  const loop = { ".pawl/loops/phase.yaml": mappedIn(names) + LOOP, [PLAN]: plan };
  return Repository.make(
    { ...loop, ...agents(Object.fromEntries(scripts)), ...Object.fromEntries(written), ...files },
    { branch: "checkout" },
  );
}
const begunIn = (journal: string): string[] =>
  readFileSync(journal, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap(({ type, performer }) => (type === "begun" && /^(?:doer|reviewer)/.test(performer) ? [performer] : []));
const promptOf = (run: { journal: string }, visit: string) =>
  readFileSync(join(dirname(run.journal), "visits", visit, "prompt.md"), "utf8");
const BOTH = ["doer-api", "doer-web", "reviewer-api", "reviewer-web"];
const TWO = "- [ ] [web] the page\n- [ ] [api] the route\n- [ ] the readme\n";

describe("doers and reviewers of stacks", { timeout: 180_000 }, () => {
  it("of one stack are the pair that works", async () => {
    verifies("doer.agents.per-stack");
    const names = ["doer-web", "reviewer-web"];
    using repository = ground({ names, plan: "- [ ] the page\n", reviews: { "reviewer-web": [judged("APPROVED")] } });
    const result = await repository.json(["run", "phase"]);
    expect(result.status).toBe("complete");
    expect(begunIn(result.journal)).toEqual(names);
    expect(repository.read("work.txt")).toBe("doer-web 1\n");
    expect(promptOf(result, "doer-1")).not.toContain("Your stack");
  });

  it("of several: each doer is given the tasks of its stack, in turn, and all reviewers are heard before one verdict", async () => {
    verifies("doer.agents.per-stack");
    const reviews = {
      "reviewer-api": [judged("APPROVED"), judged("APPROVED")],
      "reviewer-web": [blocked("the page has no title"), judged("APPROVED")],
    };
    using repository = ground({ names: BOTH, plan: TWO, reviews });
    const result = await repository.json(["run", "phase"]);
    expect(result.status).toBe("complete");
    const round = begunIn(result.journal).slice(0, 4);
    expect([round.slice(0, 2), round.slice(2).sort()]).toEqual([BOTH.slice(0, 2), BOTH.slice(2)]);
    expect(begunIn(result.journal)).toHaveLength(8);
    expect(repository.read("work.txt")).toBe("doer-api 1\ndoer-web 1\ndoer-api 2\ndoer-web 2\n");
    const [api, web] = [promptOf(result, "doer%2Fdoer-api-1"), promptOf(result, "doer%2Fdoer-web-1")];
    expect(api).toMatch(
      /You are the doer of api\. Others do the work on web: leave it to them\.[\s\S]*the route[\s\S]*the readme/,
    );
    expect(api).not.toContain("the page");
    expect(web).toContain("[ ] the page");
    expect(web).not.toMatch(/the route|the readme/);
    expect(promptOf(result, "doer%2Fdoer-web-2")).toContain("the page has no title");
    expect(loopMdOf(result).history).toHaveLength(2);
    expect(repository.commits()).toContain("feat(checkout): work of iter 2");
    expect((await repository.pawl(["status", result.run])).out).toMatch(/doer +doers +2 +pass/);
  });

  it("a doer for whose stack the plan has no task is not started, and the story says so", async () => {
    const reviews = { "reviewer-api": [judged("APPROVED")], "reviewer-web": [judged("APPROVED")] };
    using repository = ground({ names: BOTH, plan: "- [ ] [api] the route\n", reviews });
    const result = await repository.json(["run", "phase"]);
    expect([result.status, repository.read("work.txt")]).toEqual(["complete", "doer-api 1\n"]);
    expect(JSON.stringify(result)).toContain("was not started: no task of plan.md is marked [web]");
  });

  it("are found as agent files, beside which the default agent does the work in their words", async () => {
    const file = (name: string) => `---\nname: ${name}\n---\nYou know ${name}.\n`;
    const files = {
      ".pawl/agents/doer-web.agent.md": file("doer-web"),
      ".pawl/agents/doer-api.agent.md": file("doer-api"),
      ".pawl/agents/reviewer-web.agent.md": file("reviewer-web"),
      ".pawl/config.yaml": 'agent: usual\nagents:\n  usual: {use: command, run: "sh agents/usual.sh"}\n',
      "agents/usual.sh": `${DOER}\n`,
      ".pawl/loops/phase.yaml": LOOP,
    };
    using repository = ground({ names: [], plan: TWO, files });
    const planned = await repository.pawl(["plan", "phase", "--json"]);
    expect(planned.code, planned.err).toBe(0);
    for (const name of ["doer-api", "doer-web", "reviewer-web"]) expect(planned.out).toContain(`You know ${name}.`);
    expect(planned.out).not.toContain("You know reviewer-api");
  });

  it("whoever is registered under the very name of the role fills it alone", async () => {
    const names = ["doer", "doer-web", "reviewer"];
    using repository = ground({ names, plan: TWO, reviews: { reviewer: [judged("APPROVED")] } });
    const result = await repository.json(["run", "phase"]);
    expect([result.status, repository.read("work.txt")]).toEqual(["complete", "doer 1\n"]);
  });

  it("are given the tasks of the plan that lies beside the loop file, where there is one", async () => {
    const reviews = { "reviewer-api": [judged("APPROVED")], "reviewer-web": [judged("APPROVED")] };
    const files = { "flows/phase.yaml": mappedIn(BOTH) + LOOP, "flows/plan.md": "- [ ] [web] beside it\n" };
    using repository = ground({ names: BOTH, plan: TWO, reviews, files });
    const result = await repository.json(["run", "flows/phase.yaml"]);
    expect(result.status).toBe("complete");
    expect(promptOf(result, "doer%2Fdoer-web-1")).toContain("the tasks of flows/plan.md that are yours");
  });
});
