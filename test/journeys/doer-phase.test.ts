// The bundled loop "phase": which phase is meant, and what must be there before any agent is called.
import { describe, expect, it } from "vitest";
import { DOER, judged, loopMdOf, REVIEWER } from "../harness/phase.js";
import { agents, mapped, Repository } from "../harness/repository.js";
import { verifies } from "../harness/verifies.js";

const SETTINGS = mapped("doer", "reviewer");
const project = (files: Record<string, string> = {}) =>
  Repository.make(
    {
      ".pawl/config.yaml": SETTINGS,
      "agents/reviews/1.md": judged("APPROVED"),
      ...agents({ doer: DOER, reviewer: REVIEWER }),
      ...files,
    },
    { branch: "work" },
  );
const PHASES = {
  ".pawl/jobs/cart/PLAN.md": "---\nposition: 1\n---\n# Cart\n",
  ".pawl/jobs/checkout/PLAN.md": "---\nposition: 2\nformer: [payment, pay]\n---\n# Checkout\n",
};
const runs = async (repository: Repository) => (await repository.json(["list"])).runs;

describe("a phase", { timeout: 180_000 }, () => {
  it("is named by its slug, an older slug or its position, and its folder is the same each time", async () => {
    verifies("doer.args.phase");
    for (const name of ["checkout", "payment", "2"]) {
      using repository = project(PHASES);
      const result = await repository.json(["run", "phase", "--phase", name]);
      expect(result).toMatchObject({ code: 0, job: "checkout", phase: { slug: "checkout", position: 2 } });
      expect(result.record).toContain("/.pawl/jobs/checkout/");
      expect(loopMdOf(result).front).toMatchObject({ phase_slug: "checkout", phase_position: "2" });
    }
  });

  it("that does not exist is refused by name, with those there are, and nothing is written", async () => {
    verifies("doer.args.phase");
    using repository = project(PHASES);
    for (const name of ["chekout", "3", "../cart", ""]) {
      const { code, err } = await repository.pawl(["run", "phase", "--phase", name]);
      expect([code, err]).toEqual([2, expect.stringContaining(`there is no phase ${JSON.stringify(name)}`)]);
      expect(err).toContain("there are: cart (1), checkout (2)");
    }
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(await runs(repository)).toEqual([]);
  });

  it("that two could be is refused with both, and a loop without phases takes none", async () => {
    using repository = project({ ...PHASES, ".pawl/jobs/ship/PLAN.md": "---\nposition: 2\n---\n" });
    const twice = await repository.pawl(["run", "phase", "--phase", "2"]);
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('could be "checkout" and "ship"')]);
    repository.write({ ".pawl/loops/one.yaml": 'name: one\nsteps: [{name: a, command: "true"}]\n' });
    const other = await repository.pawl(["run", "one", "--phase", "cart"]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("works on no phase")]);
  });

  it("needs a project and its PLAN.md before any agent is called, and is told the command that makes each", async () => {
    verifies("doer.pre.project-and-plan");
    using bare = Repository.make({ "a.txt": "a\n" }, { branch: "work" });
    const none = await bare.pawl(["run", "phase", "--agent", "claude-code"]);
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/has no folder \.pawl\s+make it: pawl init/)]);
    expect(bare.has(".pawl")).toBe(false);
    using repository = project();
    const planless = await repository.pawl(["run", "phase"]);
    expect(planless.code).toBe(2);
    expect(planless.err).toContain('document ".pawl/jobs/work/PLAN.md" does not exist');
    expect(planless.err).toContain("mkdir -p .pawl/jobs/work && cp .pawl/tasks.md .pawl/jobs/work/PLAN.md");
    expect(await runs(repository)).toEqual([]);
    repository.write({ ".pawl/jobs/work/PLAN.md": "# Work\n" });
    expect(await repository.json(["run", "phase"])).toMatchObject({ code: 0, job: "work" });
  });

  it("needs a doer and a reviewer, and names the role that is missing and how to register one", async () => {
    verifies("doer.pre.specialists");
    for (const [there, missing] of [
      ["doer", "reviewer"],
      ["reviewer", "doer"],
    ] as const) {
      using repository = project({ ".pawl/config.yaml": mapped(there), ".pawl/jobs/work/PLAN.md": "# Work\n" });
      const { code, err } = await repository.pawl(["run", "phase"]);
      expect(code).toBe(2);
      expect(err).toContain(`nobody is the ${missing}; register one: pawl init --agent claude-code`);
      expect(err).not.toContain(`nobody is the ${there}`);
      expect(repository.has("work.txt")).toBe(false);
    }
  });
});
